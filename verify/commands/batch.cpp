#include "verify/batch.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "verify/commands/commands.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

int run(const Question& question, const Output& output) {
  if (question.contains("list")) return list_ops(output.out, output.json);
  std::ios::sync_with_stdio(false);
  const int code = run_batch(std::cin, output.out);
  if (!std::cin.eof() || std::cin.bad()) {
    throw Error("standard input", "cannot be read", "a pipe or a file of JSON lines");
  }
  return code;
}

}  // namespace

Command batch_command() {
  return {"batch",
          "Read JSON lines of questions on stdin, write JSON lines of answers",
          R"(echo '{"id":1,"op":"smem_descriptor.decode","arch":"sm_100",)"
          R"("descriptor":"0x4000404000010040"}' | layout-check batch
layout-check batch --list)",
          nullptr,
          false,
          {{"--list", OptionKind::flag, "", "print every op with its fields"}},
          run};
}

}  // namespace lc::verify
