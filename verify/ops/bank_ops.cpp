#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/bank_patterns.h"
#include "sim/layout/banks.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

/// The instruction, without its addresses.
BankAccess read_instruction(const Request& request) {
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

void read_lanes(const Request& request, BankAccess& access) {
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
  BankAccess access = read_instruction(request);
  read_lanes(request, access);
  return answer_of(access);
}

RowPattern read_pattern(const Request& request) {
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

Answer rows_op(const Request& request) {
  const BankAccess instruction = read_instruction(request);
  RowPattern pattern = read_pattern(request);
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
