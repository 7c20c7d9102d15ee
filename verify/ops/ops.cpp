#include "verify/ops/ops.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verify/suggest.h"

namespace lc::verify {

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (const auto family :
       {smem_descriptor_ops, operand_ops, tensor_map_ops, tma_ops, match_ops,
        instruction_descriptor_ops, bank_ops, tmem_ops, mbarrier_ops, word_ops}) {
    const std::span<const Op> rows = family();
    ops.insert(ops.end(), rows.begin(), rows.end());
  }
  return ops;
}

const Op* find_op(const std::string& name) {
  static const std::vector<Op> ops = all_ops();
  for (const Op& op : ops) {
    if (name == op.name) return &op;
  }
  return nullptr;
}

Answer run_op(const Op& op, const Question& question) {
  const Request request(question);
  request.has("id");
  request.has("op");
  Answer answer = op.run(request);
  for (const std::string& field : request.ignored_fields()) {
    if (!answer.contains("findings")) answer["findings"] = Answer::array();
    answer["findings"].push_back(
        {{"severity", "note"},
         {"rule", "request.unknown-field"},
         {"field", field},
         {"message", fmt::format("`{:.60}` is not a field of {} (or not of this form of it) and "
                                 "was not read",
                                 field, op.name)}});
  }
  return answer;
}

std::string hex64(std::uint64_t word) {
  return fmt::format("0x{:016x}", word);
}
std::string hex32(std::uint32_t word) {
  return fmt::format("0x{:08x}", word);
}

}  // namespace lc::verify
