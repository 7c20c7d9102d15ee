#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/mbarrier.h"
#include "verify/error.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

struct Step {
  MbarrierOp op;
  std::uint32_t operand;
};

std::uint32_t read_operand(const Request& request, const std::string& where,
                           const Question& value) {
  // Read through a Request of its own, so that numbers mean what they mean everywhere.
  const Question holder = {{"operand", value}};
  try {
    return static_cast<std::uint32_t>(Request(holder).number("operand", 0, UINT32_MAX));
  } catch (const Error& e) {
    request.fail(where, e.message, e.hint);
  }
}

/// `["arrive", 2]`; arrivals may leave the 1 away.
Step read_step(const Request& request, const Question& entry, std::size_t index) {
  const std::string where = fmt::format("ops[{}]", index);
  const bool named = entry.is_array() && !entry.empty() && entry[0].is_string();
  if (!named || entry.size() > 2) {
    request.fail(where, "expected a name and a number", "[\"arrive_expect_tx\", 4096]");
  }
  const std::string name = entry[0].get<std::string>();
  const auto op = value_of<MbarrierOp>(name);
  if (!op) {
    std::vector<std::string> names;
    for (const auto& row : spellings(MbarrierOp{})) names.emplace_back(row.name);
    request.fail(where, fmt::format("unknown operation \"{:.60}\"", name), one_of(name, names));
  }
  if (entry.size() == 2) return {*op, read_operand(request, where + "[1]", entry[1])};
  if (!counts_arrivals(*op)) request.fail(where, "the number of bytes is missing");
  return {*op, 1};
}

/// Steps up to the first one whose effect is undefined; that one has an error finding.
Answer run_steps(const Request& request) {
  const std::uint64_t count = request.number("count");
  const Question& ops = request.raw("ops");
  if (!ops.is_array()) request.fail("ops", "expected a list", "[[\"arrive\", 1]]");
  std::vector<Step> list;
  list.reserve(ops.size());
  for (const Question& entry : ops) list.push_back(read_step(request, entry, list.size()));
  Findings findings = check_mbarrier_count(count);
  Answer steps = Answer::array();
  if (findings.has_error()) return {{"steps", steps}, {"findings", to_json(findings)}};
  Mbarrier b = mbarrier_init(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Findings found = check_mbarrier(b, list[i].op, list[i].operand, static_cast<int>(i));
    findings.append(found);
    if (found.has_error()) break;
    b = apply(b, list[i].op, list[i].operand);
    steps.push_back(
        {b.phase, b.pending, b.tx, wait_parity(b, 0) ? 1 : 0, wait_parity(b, 1) ? 1 : 0});
  }
  if (steps.size() == list.size() && (b.pending != b.expected || b.tx != 0)) {
    findings.add(mbarrier_rules::kOpenPhase, b.pending, b.tx);
  }
  return {{"steps", std::move(steps)}, {"findings", to_json(findings)}};
}

Answer decode_op(const Request& request) {
  const std::uint64_t word = request.number("word");
  const Mbarrier b = decode_mbarrier(word);
  return {{"phase_parity", b.phase},
          {"pending", b.pending},
          {"tx", b.tx},
          {"expected", b.expected},
          {"wait_parity_0", wait_parity(b, 0)},
          {"wait_parity_1", wait_parity(b, 1)},
          {"findings", to_json(check_mbarrier_word(word))}};
}

constexpr Op kOps[] = {
    {"mbarrier.run",
     "count (the init), ops: [[\"arrive\", n], [\"arrive_drop\", n], [\"expect_tx\", bytes], "
     "[\"complete_tx\", bytes], [\"arrive_expect_tx\", bytes]]",
     "steps: [phase, pending, tx, wait_parity_0, wait_parity_1] after each; phase counts completed "
     "phases from 0; waits are 1 where test_wait.parity answers true; findings. An operation whose "
     "effect is undefined (pending below 0, a count out of range) is an error, and steps end "
     "before it",
     run_steps},
    {"mbarrier.decode", "word (64-bit object, as an H200 leaves it after mbarrier.inval)",
     "phase_parity, pending, tx, expected, wait_parity_0, wait_parity_1, findings", decode_op},
};

}  // namespace

std::span<const Op> mbarrier_ops() {
  return kOps;
}

}  // namespace lc::verify
