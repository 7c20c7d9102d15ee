#include <nlohmann/json.hpp>

#include "verify/findings.h"
#include "verify/ops/bank_request.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

Answer lanes_in(std::uint32_t mask) {
  Answer lanes = Answer::array();
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0) lanes.push_back(lane);
  }
  return lanes;
}

/// Banks that need more than one wavefront, by group of lanes.
Answer collisions_of(const BankReport& report) {
  Answer out = Answer::array();
  for (std::size_t g = 0; g < report.group_count; ++g) {
    const BankLoad& load = report.groups[g];
    for (std::size_t bank = 0; bank < 32; ++bank) {
      if (load.demand[bank] < 2) continue;
      out.push_back({{"bank", bank},
                     {"lanes", lanes_in(load.lanes[bank])},
                     {"wavefronts", load.demand[bank]},
                     {"group", g}});
    }
  }
  return out;
}

Answer answer_of(const BankAccess& access) {
  const BankReport report = bank_report(access);
  return {{"wavefronts", report.wavefronts},
          {"ideal", report.ideal},
          {"conflicts", report.conflicts()},
          {"collisions", collisions_of(report)},
          {"findings", to_json(check_bank_access(access))}};
}

Answer access_op(const Request& request) {
  BankAccess access = read_bank_instruction(request);
  read_bank_lanes(request, access);
  return answer_of(access);
}

Answer rows_op(const Request& request) {
  const BankAccess instruction = read_bank_instruction(request);
  RowPattern pattern = read_row_pattern(request);
  const BankAccess access = with_rows(instruction, pattern);
  Answer answer = answer_of(access);
  Answer lanes = Answer::array();
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    lanes.push_back(access.is_active(lane) ? Answer(access.address[lane]) : Answer(nullptr));
  }
  answer["lanes"] = std::move(lanes);
  pattern.swizzle = Swizzle::none;
  Answer swizzles = Answer::array();
  for (const SwizzleVerdict& v : swizzle_verdicts(with_rows(instruction, pattern), pattern.pitch)) {
    swizzles.push_back({{"swizzle", name_of(v.mode)},
                        {"wavefronts", v.wavefronts},
                        {"conflicts", v.conflicts},
                        {"row_fits_span", v.row_fits_span}});
  }
  answer["swizzles"] = std::move(swizzles);
  return answer;
}

constexpr Op kOps[] = {
    {"banks.access",
     "kind (ld st ldmatrix stmatrix atom red cp.async), width in bytes (1 2 4 8 16; atom and red: "
     "4) or num (1 2 4) and trans (false) for the matrix kinds, lanes: 32 byte addresses or null",
     "wavefronts, ideal (groups with an active lane, after merging), conflicts = wavefronts - "
     "ideal, collisions: [{bank, lanes, wavefronts, group}], findings",
     access_op},
    {"banks.rows",
     "kind, width or num as in banks.access; pitch (bytes from row to row), base (0x400), column "
     "(0: first byte of a row), pieces (1: lanes side by side in a row), rows (32 / pieces), "
     "rows_first (false: lanes fill a row first), swizzle (none; the mode the tile was written "
     "with)",
     "as banks.access, and lanes (the 32 addresses), swizzles: [{swizzle, wavefronts, conflicts, "
     "row_fits_span}] (the same access on a tile kept with each mode)",
     rows_op},
};

}  // namespace

std::span<const Op> bank_ops() {
  return kOps;
}

}  // namespace lc::verify
