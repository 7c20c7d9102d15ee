#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "verify/commands/commands.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

std::string coordinates_text(const Answer& list) {
  std::vector<std::string> parts;
  for (const Answer& c : list) parts.push_back(c.dump());
  return fmt::format("({})", fmt::join(parts, ", "));
}

void print_difference(const Answer& d, const Output& output) {
  const std::string found = d.at("found").is_null()
                                ? "nothing: the box does not write there"
                                : "tensor element " + coordinates_text(d.at("found"));
  const std::uint64_t address = d.at("address").get<std::uint64_t>();
  output.out << fmt::format(
      "  first at mn {}, k {}: the descriptor reads 0x{:x} (bank sector S{})\n"
      "    expected tensor element {}\n    found there {}\n",
      d.at("mn").dump(), d.at("k").dump(), address, address / 16 % 8,
      coordinates_text(d.at("expected")), found);
}

void print_fix(const Answer& fix, const char* lead, const Output& output) {
  output.out << "  " << output.paint.cyan(lead) << ' '
             << wrap(fix.at("words").get<std::string>(), 7) << '\n';
  if (fix.contains("descriptor")) {
    output.out << "       descriptor " << output.paint.bold(fix.at("descriptor").get<std::string>())
               << '\n';
  }
}

/// How a copy that does not happen ends.
std::string outcome_text(const std::string& outcome) {
  if (outcome == "refused") return "the encoder refuses the tensor map";
  return fmt::format("the copy itself ends in {}", outcome);
}

int run(const Question& question, const Output& output) {
  Question q = question;
  default_copy(q);
  const Answer answer = answer_op("match.tma_to_operand", q, output);
  const bool matches = answer.at("matches").get<bool>();
  const int code = matches && !has_error(answer.at("findings")) ? 0 : 1;
  if (output.json) return code;
  if (answer.contains("outcome")) {
    output.out << output.paint.red("no: ") << outcome_text(answer.at("outcome").get<std::string>())
               << '\n';
  } else if (matches && code != 0) {
    output.out << output.paint.red("no: ")
               << "the addresses agree, but the bytes would be no use; see the errors\n";
  } else if (matches) {
    output.out << output.paint.green("yes: ")
               << "the descriptor reads every element where the box wrote it\n";
  } else {
    output.out << output.paint.red("no: ") << "the descriptor does not read what the box wrote\n";
    print_difference(answer.at("first_difference"), output);
    if (answer.contains("no_fix")) {
      output.out << "  " << wrap(answer.at("no_fix").get<std::string>(), 2) << '\n';
    }
    if (!answer.at("fix").is_null()) print_fix(answer.at("fix"), "try:", output);
    if (answer.contains("other_fixes")) {
      for (const Answer& fix : answer.at("other_fixes")) print_fix(fix, "or: ", output);
    }
  }
  print_findings(output, answer.at("findings"));
  return code;
}

}  // namespace

Command match_command() {
  using enum OptionKind;
  return {"match",
          "Will this descriptor read what this box wrote? If not, which change makes it so?",
          "layout-check match --arch sm_90 --data-type bf16 --global-dim 64,16 --global-strides "
          "128 \\\n"
          "  --box-dim 64,16 --swizzle 128B --descriptor 0x4000040000100040 \\\n"
          "  --major k --element bf16 --mn 16 --k 64",
          nullptr,
          false,
          joined({operand_options(),
                  tensor_map_options(),
                  copy_options(),
                  {{"--descriptor", text, "WORD", "the operand's descriptor"},
                   {"--mn-dimension", list, "D,D", "tensor dimensions of mn, fastest first"},
                   {"--k-dimension", list, "D,D", "tensor dimensions of k, fastest first"},
                   {"--operand-origin", list, "C,C", "tensor coordinates of element (0, 0)"}}}),
          run};
}

}  // namespace lc::verify
