#pragma once

#include "sim/layout/bank_patterns.h"
#include "sim/layout/banks.h"
#include "verify/request.h"

namespace lc::verify {

/// kind, width, num, trans: the instruction, without its addresses.
BankAccess read_bank_instruction(const Request& request);
/// lanes: 32 addresses or null, into `access`.
void read_bank_lanes(const Request& request, BankAccess& access);
/// base, pitch, column, rows, pieces, rows_first, swizzle.
RowPattern read_row_pattern(const Request& request);

}  // namespace lc::verify
