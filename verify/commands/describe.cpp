#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/canonical.h"
#include "verify/commands/commands.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

int run(const Question& question, const Output& output) {
  const Answer answer = answer_op("operand.describe", question, output);
  if (output.json) return has_error(answer.at("findings")) ? 1 : 0;
  const OperandTile tile = read_tile(Request(question));
  output.out << fmt::format("{} {} x {} {}\n", tile.mn, tile.k, name_of(tile.element),
                            name_of(tile.swizzle));
  print_findings(output, answer.at("findings"));
  return has_error(answer.at("findings")) ? 1 : 0;
}

}  // namespace

Command describe_command() {
  using enum OptionKind;
  return {"describe",
          "I have this operand tile. Which descriptors, which tensor map and box fill it?",
          "layout-check describe --arch sm_100 --element bf16 --major k --swizzle 128B --mn 128 "
          "--k 64",
          nullptr,
          false,
          joined({operand_options(),
                  {{"--swizzle", text, "MODE", "none 32B 64B 128B 128B_32B"},
                   {"--start-address", text, "ADDR", "of the tile in shared memory (0x400)"},
                   {"--atom-order", text, "ORDER", "mn_first (default) or k_first"}}}),
          run};
}

}  // namespace lc::verify
