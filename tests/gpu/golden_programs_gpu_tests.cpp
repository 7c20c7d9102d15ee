#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "tests/gpu/needs_gpu.h"
#include "tests/vm/golden_program.h"
#include "tests/vm/golden_values.h"

// The golden programs of tests/ptx on this GPU: those for its architecture that a GPU can run to
// the end.  What the virtual GPU has been blessed with is what the hardware has to give.
using namespace lc::tests;

namespace {

namespace fs = std::filesystem;
namespace bdata = boost::unit_test::data;

/// A function of the driver, of the version that CUDA 12.4 has.
template <class Function>
Function driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion(name, &function, 12040, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    throw std::runtime_error(std::string("the driver has no ") + name);
  }
  return reinterpret_cast<Function>(function);
}

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  const char* name = "";
  driver<PFN_cuGetErrorName_v6000>("cuGetErrorName")(status, &name);
  throw std::runtime_error(std::string(what) + ": " + name);
}

std::string arch_of_device() {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major == 9 ? "sm_90" : "sm_100";
}

/// The first `.entry NAME(` of the text.
std::string first_entry(const std::string& text) {
  std::size_t at = text.find(".entry");
  at = text.find_first_not_of(" \t\n", at + 6);
  return text.substr(at, text.find_first_of(" \t\n(", at) - at);
}

class DeviceBuffer {
 public:
  explicit DeviceBuffer(const std::vector<std::uint8_t>& bytes) : size_(bytes.size()) {
    if (cudaMalloc(&data_, std::max<std::size_t>(size_, 1)) != cudaSuccess ||
        cudaMemcpy(data_, bytes.data(), size_, cudaMemcpyHostToDevice) != cudaSuccess) {
      throw std::runtime_error("memory of the device");
    }
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }
  std::vector<std::uint8_t> read() const {
    std::vector<std::uint8_t> bytes(size_);
    cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost);
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// A parameter's bytes, at an alignment that suits tensor maps.
struct alignas(64) Parameter {
  std::array<std::uint8_t, 128> bytes{};
};

class Module {
 public:
  explicit Module(const std::string& text) {
    check(driver<PFN_cuModuleLoadData_v2000>("cuModuleLoadData")(&module_, text.c_str()),
          "the driver's compiler");
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() { driver<PFN_cuModuleUnload_v2000>("cuModuleUnload")(module_); }

  CUfunction function(const std::string& name) const {
    CUfunction out = nullptr;
    check(driver<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction")(&out, module_, name.c_str()),
          "the entry");
    return out;
  }

 private:
  CUmodule module_ = nullptr;
};

void launch(CUfunction function, const GoldenRun& run, std::vector<void*>& arguments) {
  if (run.shared > 0) {
    check(driver<PFN_cuFuncSetAttribute_v9000>("cuFuncSetAttribute")(
              function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              static_cast<int>(run.shared)),
          "shared memory");
  }
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = run.cluster[0];
  cluster.value.clusterDim.y = run.cluster[1];
  cluster.value.clusterDim.z = run.cluster[2];
  CUlaunchConfig config{};
  config.gridDimX = run.grid[0], config.gridDimY = run.grid[1], config.gridDimZ = run.grid[2];
  config.blockDimX = run.block[0], config.blockDimY = run.block[1], config.blockDimZ = run.block[2];
  config.sharedMemBytes = run.shared;
  config.attrs = &cluster;
  config.numAttrs = run.explicit_cluster ? 1 : 0;
  check(driver<PFN_cuLaunchKernelEx_v11060>("cuLaunchKernelEx")(&config, function, arguments.data(),
                                                                nullptr),
        "the launch");
  if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess) {
    throw std::runtime_error(std::string("the kernel: ") + cudaGetErrorName(status));
  }
}

GoldenOutcome run_on_device(const GoldenProgram& program, const GoldenRun& run) {
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::vector<BufferAddress> named;
  for (const GoldenArg& arg : run.args) {
    const bool buffer = arg.kind == GoldenArg::Kind::buffer;
    buffers.push_back(buffer ? std::make_unique<DeviceBuffer>(arg.bytes) : nullptr);
    named.push_back({arg.name, buffer ? buffers.back()->address() : 0});
  }
  std::vector<Parameter> parameters(run.args.size());
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < run.args.size(); ++i) {
    const GoldenArg& arg = run.args[i];
    std::vector<std::uint8_t> bytes = arg.bytes;
    if (arg.kind == GoldenArg::Kind::buffer) {
      bytes = bytes_of_values(ElementType::u64, {named[i].address}, 1);
    } else if (arg.kind == GoldenArg::Kind::tensor_map) {
      const auto map = tensor_map_bytes(arg.json, named);
      bytes.assign(map.begin(), map.end());
    }
    std::copy(bytes.begin(), bytes.end(), parameters[i].bytes.begin());
    arguments.push_back(parameters[i].bytes.data());
  }
  const Module module(program.text);
  launch(module.function(run.entry.empty() ? first_entry(program.text) : run.entry), run,
         arguments);
  GoldenOutcome outcome;
  for (const auto& buffer : buffers) {
    outcome.buffers.push_back(buffer ? buffer->read() : std::vector<std::uint8_t>{});
  }
  return outcome;
}

/// Where the tests were built, or where they are run.
fs::path program_folder() {
  return fs::exists(LC_PTX_PROGRAM_DIR) ? LC_PTX_PROGRAM_DIR : "tests/ptx";
}

std::vector<std::string> program_files() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(program_folder())) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  std::ifstream in(program_folder() / file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

LC_GPU_SUITE(golden_programs_gpu_tests)

BOOST_DATA_TEST_CASE(does_on_this_gpu_what_it_says, bdata::make(program_files()), file) {
  const GoldenProgram program = parse_golden_program(file, text_of(file));
  const std::string arch = arch_of_device();
  int ran = 0;
  for (const GoldenRun& run : program.runs) {
    if (!run.gpu || run.fault || run.arch != arch) continue;
    ++ran;
    try {
      const auto lines = differences(program, run, run_on_device(program, run), true);
      BOOST_TEST(lines.empty());
      for (const std::string& line : lines) BOOST_ERROR(line);
    } catch (const std::runtime_error& e) {
      BOOST_ERROR(file << ":" << run.line << ": " << e.what());
    }
  }
  BOOST_TEST_MESSAGE(file << ": " << ran << " of " << program.runs.size() << " runs are for "
                          << arch << " and can end on a GPU");
}

BOOST_AUTO_TEST_SUITE_END()
