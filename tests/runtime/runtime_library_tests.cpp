#include <cstring>
#include <string>
#include <vector>

#include "sim/runtime/abi.h"
#include "tests/runtime/loaded_library.h"

// libcudart.so.13 without nvcc: what its host code would call, called by hand.
using lc::LoadedLibrary;
namespace cuda_abi = lc::runtime::abi;

namespace {

std::string text_of(const LoadedLibrary& library, const char* function, int error) {
  return reinterpret_cast<const char* (*)(int)>(library.symbol(function))(error);
}

/// A program with one kernel, `sum`, whose host function is `stub`, and two variables.
struct Program {
  LoadedLibrary cudart{"libcudart.so.13"};
  cuda_abi::FatbinWrapper wrapper{cuda_abi::FatbinWrapper::kMagic, 1,
                                  reinterpret_cast<const std::uint8_t*>(lc::kTwoKernels), nullptr};
  void** handle = nullptr;
  char stub = 0, shadow = 0;

  Program() {
    BOOST_TEST_REQUIRE(cudart("cudaDeviceReset") == 0);
    handle =
        reinterpret_cast<void** (*)(void*)>(cudart.symbol("__cudaRegisterFatBinary"))(&wrapper);
    cudart("__cudaRegisterFunction", handle, &stub, nullptr, static_cast<const char*>("sum"), -1,
           nullptr, nullptr, nullptr, nullptr, nullptr);
    cudart("__cudaRegisterVar", handle, &shadow, nullptr, static_cast<const char*>("offset"), 0,
           std::size_t{4}, 1, 0);
    cudart("__cudaRegisterFatBinaryEnd", handle);
  }
  ~Program() { cudart("__cudaUnregisterFatBinary", handle); }

  void* memory(std::size_t bytes) {
    void* to = nullptr;
    BOOST_TEST_REQUIRE(cudart("cudaMalloc", &to, bytes) == 0);
    return to;
  }
  /// As <<<grid, block>>> does.
  int launch(cuda_abi::Dim3 block, void** arguments) {
    void* kernel = nullptr;
    BOOST_TEST_REQUIRE(cudart("__cudaGetKernel", &kernel, static_cast<const void*>(&stub)) == 0);
    cudart("__cudaPushCallConfiguration", cuda_abi::Dim3{1, 1, 1}, block, std::size_t{0}, nullptr);
    cuda_abi::Dim3 grid;
    std::size_t shared = 1;
    void* stream = nullptr;
    BOOST_TEST_REQUIRE(cudart("__cudaPopCallConfiguration", &grid, &block, &shared,
                              static_cast<void*>(&stream)) == 0);
    return cudart("__cudaLaunchKernel", kernel, grid, block, arguments, shared, stream);
  }
  int copy_back(void* to, const void* from, std::size_t bytes) {
    return cudart("cudaMemcpy", to, from, bytes, 2);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(runtime_library_tests, Program)

BOOST_AUTO_TEST_CASE(registered_code_runs_and_symbols_are_set) {
  const std::uint32_t offset = 30;
  BOOST_TEST_REQUIRE(cudart("cudaMemcpyToSymbol", static_cast<const void*>(&shadow),
                            static_cast<const void*>(&offset), std::size_t{4}, std::size_t{0},
                            1) == 0);
  void* out = memory(16);
  std::uint32_t x = 4;
  void* arguments[] = {&out, &x};
  BOOST_TEST_REQUIRE(launch({4, 1, 1}, arguments) == 0);
  std::uint32_t got[4] = {};
  BOOST_TEST_REQUIRE(copy_back(got, out, sizeof got) == 0);
  for (std::uint32_t i = 0; i < 4; ++i) BOOST_TEST(got[i] == 34 + i);
  BOOST_TEST(cudart("cudaMemcpyToSymbol", static_cast<const void*>(&stub),
                    static_cast<const void*>(&offset), std::size_t{4}, std::size_t{0}, 1) == 13);
  BOOST_TEST(cudart("cudaMemcpyToSymbol", static_cast<const void*>(&shadow),
                    static_cast<const void*>(&offset), std::size_t{4}, std::size_t{1}, 1) == 1);
}

BOOST_AUTO_TEST_CASE(errors_are_remembered_once_and_faults_for_good) {
  void* out = memory(16);
  std::uint32_t x = 4;
  void* arguments[] = {&out, &x};
  BOOST_TEST(launch({1, 1025, 1}, arguments) == 9);
  BOOST_TEST(cudart("cudaPeekAtLastError") == 9);
  BOOST_TEST(cudart("cudaGetLastError") == 9);
  BOOST_TEST(cudart("cudaGetLastError") == 0);
  BOOST_TEST(launch({5, 1, 1}, arguments) == 700);  // one word past the end
  BOOST_TEST(cudart("cudaGetLastError") == 700);
  BOOST_TEST(cudart("cudaGetLastError") == 700);
  BOOST_TEST(cudart("cudaDeviceSynchronize") == 700);
  BOOST_TEST(cudart("cudaDeviceReset") == 0);
  BOOST_TEST(cudart("cudaDeviceSynchronize") == 0);
}

BOOST_AUTO_TEST_CASE(errors_have_names_and_sentences) {
  BOOST_TEST(text_of(cudart, "cudaGetErrorName", 700) == "cudaErrorIllegalAddress");
  BOOST_TEST(text_of(cudart, "cudaGetErrorString", 700) ==
             "an illegal memory access was encountered");
  BOOST_TEST(text_of(cudart, "cudaGetErrorString", 12) == "invalid pitch value");
  BOOST_TEST(text_of(cudart, "cudaGetErrorName", 12345) == "unrecognized error code");
}

BOOST_AUTO_TEST_CASE(properties_agree_with_attributes) {
  cuda_abi::DeviceProperties p;
  BOOST_TEST_REQUIRE(cudart("cudaGetDeviceProperties", &p, 0) == 0);
  const auto attribute = [&](int id) {
    int value = -1;
    BOOST_TEST_REQUIRE(cudart("cudaDeviceGetAttribute", &value, id, 0) == 0);
    return value;
  };
  BOOST_TEST(std::string(p.name).find("virtual") != std::string::npos);
  BOOST_TEST(p.multiprocessors == attribute(16));
  BOOST_TEST(p.major == attribute(75));
  BOOST_TEST(p.l2_bytes == attribute(38));
  BOOST_TEST(p.shared_per_block_optin == static_cast<std::size_t>(attribute(97)));
  BOOST_TEST(p.cluster_launch == 1);
  int value = 0;
  BOOST_TEST(cudart("cudaDeviceGetAttribute", &value, 9999, 0) == 1);
  BOOST_TEST(cudart("cudaDeviceGetAttribute", &value, 16, 1) == 101);
}

BOOST_AUTO_TEST_CASE(host_memory_is_reached_by_kernels_when_it_is_pinned_or_registered) {
  std::uint32_t x = 1;
  void* pinned = nullptr;
  BOOST_TEST_REQUIRE(cudart("cudaHostAlloc", &pinned, std::size_t{16}, 2U) == 0);
  void* arguments[] = {&pinned, &x};
  BOOST_TEST_REQUIRE(launch({4, 1, 1}, arguments) == 0);
  BOOST_TEST(static_cast<std::uint32_t*>(pinned)[3] == 1004);
  BOOST_TEST(cudart("cudaFreeHost", pinned) == 0);

  std::vector<std::uint32_t> mine(4);
  void* address = mine.data();
  void* mine_arguments[] = {&address, &x};
  BOOST_TEST_REQUIRE(cudart("cudaHostRegister", address, std::size_t{16}, 0U) == 0);
  BOOST_TEST(cudart("cudaHostRegister", address, std::size_t{16}, 0U) == 712);
  BOOST_TEST_REQUIRE(launch({4, 1, 1}, mine_arguments) == 0);
  BOOST_TEST(mine[0] == 1001);
  BOOST_TEST(cudart("cudaHostUnregister", address) == 0);
  BOOST_TEST(cudart("cudaHostUnregister", address) == 713);
  BOOST_TEST(launch({4, 1, 1}, mine_arguments) == 700);  // no longer the device's
}

BOOST_AUTO_TEST_CASE(boxes_are_copied_between_pitches) {
  char* const device = static_cast<char*>(memory(4 * 3 * 16));
  char host[2][3][4];
  for (int i = 0; i < 24; ++i) (&host[0][0][0])[i] = static_cast<char>(i);
  BOOST_TEST_REQUIRE(cudart("cudaMemset", static_cast<void*>(device), 9, std::size_t{192}) == 0);
  cuda_abi::Copy3d copy{};
  copy.source = {host, 4, 4, 3};
  copy.target = {device, 16, 16, 3};
  copy.target_position = {2, 0, 1};
  copy.extent = {4, 3, 2};
  copy.kind = 1;
  BOOST_TEST_REQUIRE(cudart("cudaMemcpy3D", static_cast<const cuda_abi::Copy3d*>(&copy)) == 0);
  char got[192];
  BOOST_TEST_REQUIRE(copy_back(got, device, sizeof got) == 0);
  for (int z = 0; z < 4; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 16; ++x) {
        const bool inside = z >= 1 && z < 3 && x >= 2 && x < 6;
        BOOST_TEST(got[(z * 3 + y) * 16 + x] == (inside ? host[z - 1][y][x - 2] : 9));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(driver_functions_are_found_through_the_runtime) {
  void* function = nullptr;
  int status = -1;
  BOOST_TEST(cudart("cudaGetDriverEntryPointByVersion",
                    static_cast<const char*>("cuTensorMapEncodeTiled"), &function, 12000U, 0ULL,
                    &status) == 0);
  BOOST_TEST(status == 0);
  BOOST_TEST(function == LoadedLibrary("libcuda.so.1").symbol("cuTensorMapEncodeTiled"));
}

BOOST_AUTO_TEST_CASE(what_is_missing_says_so_instead_of_failing_to_link) {
  BOOST_TEST(cudart("cudaMallocArray", nullptr, nullptr, std::size_t{1}, std::size_t{1}, 0U) ==
             801);
}

BOOST_AUTO_TEST_SUITE_END()
