#include <nlohmann/json.hpp>

#include "sim/machine/fault.h"
#include "sim/ptx/error.h"
#include "verify/commands/commands.h"
#include "verify/commands/run_program.h"
#include "verify/error.h"
#include "verify/run/instructions.h"
#include "verify/run/run_kernel.h"

namespace lc::verify {
namespace {

/// A program of its own, not a kernel with a launch file.
int become(const Question& question, const Output& output) {
  for (const char* field : {"seed", "expect"}) {
    if (!question.contains(field)) continue;
    throw Error(std::string("--") + field, "works with a launch file",
                "--launch launch.json (docs/run.md)");
  }
  const std::string name = question.at("file").at(0).get<std::string>();
  if (name.ends_with(".ptx")) {
    throw Error("--launch", "nothing says how to launch the kernel",
                "--launch launch.json (docs/run.md), or --coverage to see which instructions are "
                "known");
  }
  return run_program(question, output);
}

int answer(const Question& question, const Output& output) {
  const bool has_file = question.contains("file");
  // Coverage without anything that runs asks which instructions are known.
  const bool known = question.contains("coverage") && !question.contains("watch");
  const bool launched = question.contains("launch") || known;
  if (has_file && !launched) return become(question, output);
  if (has_file && question.at("file").size() > 1) {
    throw Error(question.at("file").at(1).get<std::string>(), "run takes one FILE",
                "options of the kernel stand in the launch file");
  }
  if (question.contains("launch")) {
    if (!has_file) {
      throw Error("FILE", "no kernel to launch",
                  "layout-check run kernel.ptx --launch launch.json");
    }
    return run_kernel(question, output);
  }
  if (question.contains("coverage")) {
    return has_file ? print_known_instructions(question, output) : print_instruction_table(output);
  }
  throw Error("FILE", "nothing to run",
              "layout-check run kernel.ptx --launch launch.json, or layout-check run -- ./program");
}

/// What the libraries of the virtual GPU throw becomes the error of a command.
int run(const Question& question, const Output& output) {
  try {
    return answer(question, output);
  } catch (const ptx::ParseError& e) {
    std::string where = e.file;
    if (e.at.line != 0) {
      where += ":" + std::to_string(e.at.line) + ":" + std::to_string(e.at.column);
    }
    std::string what = e.message;
    if (!e.source_line.empty()) what += "\n" + e.source_line;
    throw Error(where, what, e.hint);
  } catch (const machine::Fault& fault) {
    throw Error("launch", std::string(fault.what()) + " [" + fault.rule + "]",
                "correct the launch file");
  }
}

}  // namespace

Command run_command() {
  using enum OptionKind;
  return {"run",
          "What does this kernel, or CUDA program, do on a virtual Hopper or Blackwell GPU?",
          "layout-check run tests/golden/run/scale.ptx --launch tests/golden/run/scale.json\n"
          "layout-check run --device b200 --schedule random:7 -- ./gemm --m 256",
          "file",
          true,
          {{"--launch", text, "FILE", "grid, block and arguments: docs/run.md"},
           {"--device", text, "NAME", "b200 h200; default: what the PTX is for"},
           {"--schedule", text, "HOW", "of asynchronous work: eager lazy random:SEED"},
           {"--seed", text, "N", "random schedule with that seed"},
           {"--max-instructions", text, "N", "stop after so many, warp-wide"},
           {"--memory", text, "BYTES", "of the device (8G)"},
           {"--host-threads", text, "N", "of this machine (all)"},
           {"--fresh-shared", text, "BYTE", "what fresh shared memory holds"},
           {"--fresh-global", text, "BYTE", "programs: what fresh device memory holds"},
           {"--keep-ptx", text, "DIR", "programs: write the PTX of loaded modules there"},
           {"--launches", flag, "", "programs: one line a launch, to stderr"},
           {"--watch", text, "KERNEL#N", "programs: the launch that the options below watch (#1)"},
           {"--expect", many, "NAME=FILE", "buffer that must hold the array of a .npy file"},
           {"--coverage", flag, "", "instructions executed; without --launch: known ones"},
           {"--banks", flag, "", "wavefronts and conflicts of every access to shared memory"},
           {"--timeline", flag, "", "who waited for whom, by a cost model"},
           {"--trace", text, "FILE", "the timeline for chrome://tracing and Perfetto"},
           {"--dump-smem", many, "WHERE", "exit mma line:N mbarrier:ADDRESS:PHASE [,cta=X,Y,Z]"},
           {"--dump", text, "FILE", "the dump file, for layout-check check"}},
          run};
}

}  // namespace lc::verify
