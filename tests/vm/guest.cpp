#include "tests/vm/guest.h"

namespace lc {

Guest::Guest(const std::string& ptx, machine::RunOptions run_options)
    : options(run_options),
      module(std::make_unique<isa::LoadedModule>(
          std::make_shared<const ptx::Module>(ptx::parse(ptx, "test.ptx")), memory)) {}

std::uint64_t Guest::buffer(std::uint64_t bytes) {
  return *memory.allocate(bytes);
}

machine::Launch Guest::launch(std::array<std::uint32_t, 3> block,
                              const std::vector<std::uint64_t>& parameters) {
  machine::Launch l;
  for (const ptx::Function& f : module->module().functions) {
    if (f.entry && !l.program) l.program = module->entry(f.name);
  }
  l.block = block;
  l.parameters.resize(parameters.size() * 8);
  if (!parameters.empty()) {
    std::memcpy(l.parameters.data(), parameters.data(), l.parameters.size());
  }
  return l;
}

machine::RunResult Guest::run(const machine::Launch& l) {
  machine::RunResult result = machine::run(l, memory, options);
  if (result.fault) throw machine::Fault(*result.fault);
  return result;
}

machine::RunResult Guest::run(std::uint32_t threads, const std::vector<std::uint64_t>& parameters) {
  return run(launch({threads, 1, 1}, parameters));
}

std::string kernel(const std::string& parameters, const std::string& body,
                   const std::string& before) {
  return ".version 9.0\n.target sm_100a\n.address_size 64\n" + before + "\n.visible .entry k(" +
         parameters + ")\n{\n" + body + "\n}\n";
}

}  // namespace lc
