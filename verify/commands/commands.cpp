#include "verify/commands/commands.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "verify/ops/ops.h"

namespace lc::verify {

std::vector<Command> all_commands() {
  return {describe_command(), decode_command(), map_command(), tma_command(),   match_command(),
          banks_command(),    gemm_command(),   run_command(), check_command(), batch_command()};
}

std::string field_of_option(const char* option) {
  std::string field = option;
  field.erase(0, field.find_first_not_of('-'));
  std::replace(field.begin(), field.end(), '-', '_');
  return field;
}

std::vector<OptionRow> joined(std::initializer_list<std::vector<OptionRow>> groups) {
  std::vector<OptionRow> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

std::vector<OptionRow> operand_options() {
  using enum OptionKind;
  return {{"--arch", text, "sm_90|sm_100", "wgmma or tcgen05"},
          {"--element", text, "TYPE", "f16 bf16 tf32 e4m3 e5m2 e2m3 e3m2 e2m1 i8 u8"},
          {"--container", text, "8", "6- and 4-bit elements in byte cells (kind f8f6f4)"},
          {"--major", text, "k|mn", "the dimension contiguous in shared memory"},
          {"--mn", text, "N", "rows of A, or columns of B"},
          {"--k", text, "N", "extent along K, elements"}};
}

std::vector<OptionRow> tensor_map_options() {
  using enum OptionKind;
  return {{"--data-type", text, "TYPE", "u8 … f16 f32 f64 bf16 tf32 … 16u4_align8b …"},
          {"--global-address", text, "ADDR", "of the tensor (0x10000000)"},
          {"--global-dim", list, "N,N", "elements, innermost first"},
          {"--global-strides", list, "B", "bytes, from dimension 1 on"},
          {"--box-dim", list, "N,N", "elements, innermost first"},
          {"--element-strides", list, "N,N", "default 1 each"},
          {"--interleave", text, "MODE", "none 16B 32B"},
          {"--swizzle", text, "MODE", "none 32B 64B 128B 128B_ATOM_32B …"},
          {"--l2-promotion", text, "MODE", "none 64B 128B 256B"},
          {"--oob-fill", text, "FILL", "zero nan"}};
}

std::vector<OptionRow> copy_options() {
  using enum OptionKind;
  return {{"--coordinates", list, "C,C", "of the box's first element, innermost first"},
          {"--smem-address", text, "ADDR", "shared-memory address (0x400)"}};
}

void default_copy(Question& q) {
  const auto absent = [&](const char* field) { return !q.contains(field); };
  const auto rank =
      q.contains("global_dim") && q["global_dim"].is_array() ? q["global_dim"].size() : 1;
  if (absent("arch")) q["arch"] = "sm_90";
  if (absent("global_address")) q["global_address"] = "0x10000000";
  if (absent("global_strides") && rank == 1) q["global_strides"] = Question::array();
  if (absent("element_strides")) q["element_strides"] = std::vector<int>(rank, 1);
  if (absent("coordinates")) q["coordinates"] = std::vector<int>(rank, 0);
  if (absent("smem_address")) q["smem_address"] = "0x400";
  for (const auto& [field, value] :
       {std::pair("interleave", "none"), std::pair("swizzle", "none"),
        std::pair("l2_promotion", "none"), std::pair("oob_fill", "zero")}) {
    if (absent(field)) q[field] = value;
  }
}

Answer answer_op(const char* op, const Question& question, const Output& output) {
  Answer answer = run_op(*find_op(op), question);
  if (output.json) {
    Answer whole = {{"op", op}};
    whole.update(answer);
    output.out << whole.dump() << '\n';
  }
  return answer;
}

}  // namespace lc::verify
