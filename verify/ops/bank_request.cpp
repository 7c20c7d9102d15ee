#include "verify/ops/bank_request.h"

#include <fmt/format.h>

namespace lc::verify {

BankAccess read_bank_instruction(const Request& request) {
  BankAccess access;
  access.op = request.choice<BankOp>("kind");
  if (is_matrix(access.op)) {
    access.width = 16;
    access.num = static_cast<std::uint32_t>(request.number("num"));
    if (access.num != 1 && access.num != 2 && access.num != 4) {
      request.fail("num", fmt::format("there is no .x{}", access.num), "1, 2 or 4 matrices");
    }
    request.flag_or("trans", false);
    return access;
  }
  const bool atomic = access.op == BankOp::atom || access.op == BankOp::red;
  const std::uint64_t width = atomic ? request.number_or("width", 4) : request.number("width");
  if (width > 16 || !is_bank_width(static_cast<std::uint32_t>(width))) {
    request.fail("width", fmt::format("no lane moves {} bytes", width), "1, 2, 4, 8 or 16");
  }
  access.width = static_cast<std::uint32_t>(width);
  return access;
}

void read_bank_lanes(const Request& request, BankAccess& access) {
  const auto lanes = request.numbers_or_null("lanes", 32);
  if (lanes.size() != 32) {
    request.fail("lanes", fmt::format("{} entries, but a warp has 32 lanes", lanes.size()),
                 "null for a lane that is not active");
  }
  access.active = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (!lanes[lane]) continue;
    if (*lanes[lane] > UINT32_MAX) {
      request.fail(fmt::format("lanes[{}]", lane), "beyond 32 bits",
                   "a byte address in the shared window");
    }
    access.address[lane] = static_cast<std::uint32_t>(*lanes[lane]);
    access.active |= 1u << lane;
  }
}

RowPattern read_row_pattern(const Request& request) {
  const auto number = [&](const char* field, std::uint32_t fallback, std::uint64_t max) {
    return static_cast<std::uint32_t>(request.number_or(field, fallback, 0, max));
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  // sums of the below fit 32 bits
  RowPattern p;
  p.base = number("base", 0x400, kMost);
  p.pitch = static_cast<std::uint32_t>(request.number("pitch", 0, kMost));
  p.column = number("column", 0, kMost);
  p.pieces = static_cast<std::uint32_t>(request.number_or("pieces", 1, 1, 32));
  p.rows = static_cast<std::uint32_t>(request.number_or("rows", 32 / p.pieces, 1, 32));
  if (p.rows * p.pieces > 32) {
    request.fail("rows", fmt::format("{} rows of {} lanes are more than 32", p.rows, p.pieces),
                 "rows * pieces at most 32");
  }
  p.rows_first = request.flag_or("rows_first", false);
  p.swizzle = request.choice_or<Swizzle>("swizzle", Swizzle::none);
  return p;
}

}  // namespace lc::verify
