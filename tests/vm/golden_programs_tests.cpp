#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/machine/fault.h"
#include "sim/ptx/error.h"
#include "tests/test.h"
#include "tests/vm/golden_program.h"
#include "tests/vm/golden_values.h"
#include "tests/vm/guest.h"

// The golden programs of tests/ptx on the virtual GPU; the format is described in golden_program.h.
using namespace lc;
using namespace lc::tests;

BOOST_AUTO_TEST_SUITE(golden_programs_tests)

namespace {

namespace fs = std::filesystem;

std::vector<std::string> program_files() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(LC_PTX_PROGRAM_DIR)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  std::ifstream in(fs::path(LC_PTX_PROGRAM_DIR) / file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Puts arguments where the entry's parameters are.
class Arguments {
 public:
  Arguments(Guest& guest, const GoldenRun& run, const machine::Program& program)
      : guest_(guest), run_(run) {
    for (const GoldenArg& arg : run.args) {
      addresses_.push_back(arg.kind == GoldenArg::Kind::buffer ? guest.buffer(arg.bytes) : 0);
      named_.push_back({arg.name, addresses_.back()});
    }
    const auto& places = program.entry().parameters;
    if (places.size() != run.args.size()) {
      throw std::runtime_error("the entry has " + std::to_string(places.size()) +
                               " parameters, the run " + std::to_string(run.args.size()));
    }
    parameters_.resize(program.parameter_bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::vector<std::uint8_t> bytes = bytes_of_arg(i);
      if (bytes.size() != places[i].size) {
        throw std::runtime_error("parameter " + run.args[i].name + " has another size");
      }
      std::memcpy(parameters_.data() + places[i].offset, bytes.data(), bytes.size());
    }
  }

  const std::vector<std::byte>& parameters() const { return parameters_; }

  std::vector<std::vector<std::uint8_t>> buffers() const {
    std::vector<std::vector<std::uint8_t>> all(run_.args.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (run_.args[i].kind == GoldenArg::Kind::buffer) {
        all[i] = guest_.read<std::uint8_t>(addresses_[i], run_.args[i].bytes.size());
      }
    }
    return all;
  }

 private:
  std::vector<std::uint8_t> bytes_of_arg(std::size_t i) const {
    const GoldenArg& arg = run_.args[i];
    switch (arg.kind) {
      case GoldenArg::Kind::buffer:
        return bytes_of_values(ElementType::u64, {addresses_[i]}, 1);
      case GoldenArg::Kind::value:
        return arg.bytes;
      case GoldenArg::Kind::tensor_map:
        break;
    }
    const auto bytes = tensor_map_bytes(arg.json, named_);
    return {bytes.begin(), bytes.end()};
  }

  Guest& guest_;
  const GoldenRun& run_;
  std::vector<std::uint64_t> addresses_;
  std::vector<BufferAddress> named_;
  std::vector<std::byte> parameters_;
};

GoldenOutcome run_on_virtual_gpu(const GoldenProgram& program, const GoldenRun& run,
                                 const std::string& schedule) {
  machine::RunOptions options;
  options.arch = *value_of<Arch>(run.arch);
  options.schedule = *machine::parse_schedule(schedule);
  options.max_instructions = 20'000'000;
  options.host_threads = 1;
  GoldenOutcome outcome;
  try {
    Guest guest(program.text, options);
    machine::Launch launch = guest.launch(run.block);
    if (!run.entry.empty()) launch.program = guest.module->entry(run.entry);
    const Arguments arguments(guest, run, *launch.program);
    launch.parameters = arguments.parameters();
    launch.grid = run.grid;
    launch.cluster = run.cluster;
    launch.explicit_cluster = run.explicit_cluster;
    launch.dynamic_shared_bytes = run.shared;
    guest.run(launch);
    outcome.buffers = arguments.buffers();
  } catch (const machine::Fault& fault) {
    outcome.fault = GoldenFault{fault.rule, fault.what()};
  } catch (const ptx::ParseError& error) {
    outcome.fault = GoldenFault{"load", error.message};
  }
  return outcome;
}

bool blessing() {
  const char* bless = std::getenv("LC_BLESS");
  return bless != nullptr && *bless != '\0';
}

}  // namespace

BOOST_DATA_TEST_CASE(does_what_it_says, bdata::make(program_files()), file) {
  const GoldenProgram program = parse_golden_program(file, text_of(file));
  std::vector<GoldenOutcome> outcomes;
  for (const GoldenRun& run : program.runs) {
    for (std::size_t i = 0; i < run.schedules.size(); ++i) {
      const GoldenOutcome outcome = run_on_virtual_gpu(program, run, run.schedules[i]);
      if (i == 0) outcomes.push_back(outcome);
      if (blessing()) continue;
      for (const std::string& line : differences(program, run, outcome, false)) {
        BOOST_ERROR(line << " (schedule " << run.schedules[i] << ")");
      }
    }
  }
  if (!blessing()) return;
  std::ofstream(fs::path(LC_PTX_PROGRAM_DIR) / file) << blessed(program, outcomes);
}

BOOST_AUTO_TEST_SUITE_END()
