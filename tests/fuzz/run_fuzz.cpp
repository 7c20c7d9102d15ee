// Any bytes as PTX text whose kernels are run with tight limits, or as a launch file: an end, a
// fault or a message, and no byte of the host's memory touched (the address sanitizer watches).
#include <string>

#include "sim/isa/load.h"
#include "sim/machine/fault.h"
#include "sim/machine/launch.h"
#include "sim/ptx/error.h"
#include "sim/ptx/parser.h"
#include "tests/fuzz/must.h"
#include "verify/error.h"
#include "verify/run/launch_file.h"

using namespace lc;
using lc::fuzz::must;

namespace {

constexpr std::uint64_t kMemory = 16 << 20, kInstructions = 20'000;

void launch(isa::LoadedModule& module, std::string_view entry, machine::GlobalMemory& memory) {
  machine::Launch l;
  l.program = module.entry(entry);
  const auto& block = l.program->required_block;
  l.block = block[0] != 0 ? block : std::array<std::uint32_t, 3>{64, 1, 1};
  if (l.program->required_cluster[0] != 0) l.grid = l.cluster = l.program->required_cluster;
  l.parameters.resize(l.program->parameter_bytes);
  machine::RunOptions options;
  options.max_instructions = kInstructions;
  options.host_threads = 1;
  for (const auto kind : {machine::Schedule::Kind::eager, machine::Schedule::Kind::lazy}) {
    options.schedule.kind = kind;
    const machine::RunResult result = machine::run(l, memory, options);
    must(!result.fault || *result.fault->what() != '\0', "a fault says what");
  }
}

void run_text(const std::string& text) {
  try {
    machine::GlobalMemory memory(kMemory);
    const auto module = std::make_shared<const ptx::Module>(ptx::parse(text, "text"));
    isa::LoadedModule loaded(module, memory);
    for (const ptx::Function& f : module->functions) {
      if (!f.entry || !f.has_body) continue;
      try {
        launch(loaded, f.name, memory);
      } catch (const machine::Fault& fault) {
        must(!fault.rule.empty(), "a fault has a rule");
      }
    }
  } catch (const ptx::ParseError& error) {
    must(!error.message.empty(), "a message says what");
  } catch (const machine::Fault& fault) {
    must(!fault.rule.empty(), "a fault has a rule");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (!text.starts_with('{')) {
    run_text(text);
    return 0;
  }
  try {
    verify::parse_launch("launch.json", text);
  } catch (const verify::Error& error) {
    must(!error.where.empty() && !error.message.empty(), "a message says where and what");
  }
  return 0;
}
