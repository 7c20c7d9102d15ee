#include <cstring>
#include <vector>

#include "sim/layout/tensor_map_bits.h"
#include "tests/runtime/loaded_library.h"

using lc::LoadedLibrary;

namespace {

/// libcuda.so.1 with the module loaded and a fresh device.
struct Driver {
  LoadedLibrary cuda{"libcuda.so.1"};
  void* module = nullptr;

  Driver() {
    BOOST_TEST_REQUIRE(cuda("cuInit", 0U) == 0);
    BOOST_TEST_REQUIRE(cuda("cuDevicePrimaryCtxReset_v2", 0) == 0);
    BOOST_TEST_REQUIRE(cuda("cuModuleLoadData", &module, lc::kTwoKernels) == 0);
  }
  ~Driver() {
    cuda("cuDevicePrimaryCtxReset_v2", 0);
    cuda("cuModuleUnload", module);
  }

  void* function(const char* name) const {
    void* found = nullptr;
    BOOST_TEST_REQUIRE(cuda("cuModuleGetFunction", &found, module, name) == 0);
    return found;
  }
  std::uint64_t memory(std::size_t bytes) const {
    std::uint64_t address = 0;
    BOOST_TEST_REQUIRE(cuda("cuMemAlloc_v2", &address, bytes) == 0);
    return address;
  }
  int launch(void* f, unsigned threads, void** arguments, void** extra = nullptr,
             unsigned shared = 0) const {
    return cuda("cuLaunchKernel", f, 1U, 1U, 1U, threads, 1U, 1U, shared,
                static_cast<void*>(nullptr), arguments, extra);
  }
  std::vector<std::uint32_t> words(std::uint64_t from, std::size_t count) const {
    std::vector<std::uint32_t> out(count);
    BOOST_TEST_REQUIRE(cuda("cuMemcpyDtoH_v2", static_cast<void*>(out.data()), from, count * 4) ==
                       0);
    return out;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(driver_library_tests, Driver)

BOOST_AUTO_TEST_CASE(a_kernel_runs_with_arguments_one_by_one_and_packed) {
  std::uint64_t out = memory(40 * 4);
  std::uint32_t x = 7;
  void* arguments[] = {&out, &x};
  BOOST_TEST_REQUIRE(launch(function("sum"), 40, arguments) == 0);
  for (std::uint32_t i = 0; i < 40; ++i) BOOST_TEST(words(out, 40)[i] == 1007 + i);

  std::byte packed[12];
  x = 9;
  std::memcpy(packed, &out, 8);
  std::memcpy(packed + 8, &x, 4);
  std::size_t bytes = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), packed, reinterpret_cast<void*>(2), &bytes, nullptr};
  BOOST_TEST_REQUIRE(launch(function("sum"), 1, nullptr, extra) == 0);
  BOOST_TEST(words(out, 1)[0] == 1009);
  bytes = 11;
  BOOST_TEST(launch(function("sum"), 1, nullptr, extra) == 1);
  BOOST_TEST(launch(function("sum"), 1, arguments, extra) == 1);
}

BOOST_AUTO_TEST_CASE(variables_can_be_read_and_constants_set) {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  BOOST_TEST_REQUIRE(cuda("cuModuleGetGlobal_v2", &address, &bytes, module,
                          static_cast<const char*>("offset")) == 0);
  BOOST_TEST(bytes == 4);
  const std::uint32_t offset = 5;
  BOOST_TEST_REQUIRE(
      cuda("cuMemcpyHtoD_v2", address, static_cast<const void*>(&offset), std::size_t{4}) == 0);
  std::uint64_t out = memory(4);
  std::uint32_t x = 0;
  void* arguments[] = {&out, &x};
  BOOST_TEST_REQUIRE(launch(function("sum"), 1, arguments) == 0);
  BOOST_TEST(words(out, 1)[0] == 5);
  BOOST_TEST_REQUIRE(cuda("cuModuleGetGlobal_v2", &address, &bytes, module,
                          static_cast<const char*>("seen")) == 0);
  BOOST_TEST(words(address, 1)[0] == 77);
  BOOST_TEST(cuda("cuModuleGetGlobal_v2", &address, &bytes, module,
                  static_cast<const char*>("nothing")) == 500);
}

// As an H200's driver answers (measured): 1 for every one.
BOOST_AUTO_TEST_CASE(launches_out_of_range_are_refused_and_leave_the_device_well) {
  std::uint64_t out = memory(4);
  std::uint32_t x = 0;
  void* arguments[] = {&out, &x};
  BOOST_TEST(launch(function("sum"), 0, arguments) == 1);
  BOOST_TEST(launch(function("sum"), 1025, arguments) == 1);
  BOOST_TEST(launch(function("sum"), 1, arguments, nullptr, 50000) == 1);
  BOOST_TEST(launch(function("sum"), 1, arguments, nullptr, 300000) == 1);
  BOOST_TEST(launch(function("sum"), 1, arguments, nullptr, 49152) == 0);
}

BOOST_AUTO_TEST_CASE(a_fault_stays_until_the_context_is_reset) {
  BOOST_TEST(launch(function("broken"), 1, nullptr) == 700);
  BOOST_TEST(cuda("cuCtxSynchronize") == 700);
  std::uint64_t address = 0;
  BOOST_TEST(cuda("cuMemAlloc_v2", &address, std::size_t{4}) == 700);
  BOOST_TEST(cuda("cuDevicePrimaryCtxReset_v2", 0) == 0);
  BOOST_TEST(cuda("cuMemAlloc_v2", &address, std::size_t{4}) == 0);
}

BOOST_AUTO_TEST_CASE(images_that_cannot_run_are_told_apart) {
  void* other = nullptr;
  const auto load = [&](const char* text) { return cuda("cuModuleLoadData", &other, text); };
  BOOST_TEST(load("no PTX at all") == 200);
  BOOST_TEST(load(".version 8.0\n.target sm_75a\n.address_size 64\n") == 209);
  BOOST_TEST(
      load(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { hop; }\n") == 0);
  void* found = nullptr;
  BOOST_TEST_REQUIRE(cuda("cuModuleGetFunction", &found, other, static_cast<const char*>("k")) ==
                     0);
  BOOST_TEST(launch(found, 1, nullptr) == 218);
  BOOST_TEST(load(".version 8.0\n.target sm_90\n.visible .entry k( {}\n") == 218);
}

BOOST_AUTO_TEST_CASE(tensor_maps_are_the_hardwares_or_refused) {
  alignas(64) std::byte map[128];
  const std::uint64_t dim[] = {64, 32}, strides[] = {128};
  const std::uint32_t box[] = {64, 8}, steps[] = {1, 1};
  const auto encode = [&](void* to, std::uint64_t address, int swizzle) {
    return cuda("cuTensorMapEncodeTiled", to, 9, std::uint32_t{2}, reinterpret_cast<void*>(address),
                &dim[0], &strides[0], &box[0], &steps[0], 0, swizzle, 0, 0);
  };
  BOOST_TEST_REQUIRE(encode(map, 0x10000, 3) == 0);
  lc::TensorMap want;
  want.data_type = lc::DataType::bf16;
  want.rank = 2;
  want.global_address = 0x10000;
  want.global_dim = {64, 32, 1, 1, 1};
  want.global_stride[0] = 128;
  want.box_dim = {64, 8, 1, 1, 1};
  want.swizzle = lc::Swizzle::b128;
  const lc::TensorMapWords words = lc::encode_tensor_map(want);
  std::uint64_t got[16];
  std::memcpy(got, map, sizeof got);
  for (std::size_t i = 0; i < 16; ++i) BOOST_TEST(got[i] == words.word[i]);
  BOOST_TEST(encode(map, 0x10008, 3) == 1);  // address not aligned to 16 bytes
  BOOST_TEST(encode(map, 0x10000, 1) == 1);  // the box is wider than the span
  BOOST_TEST(encode(map + 8, 0x10000, 3) == 1);
  BOOST_TEST(cuda("cuTensorMapReplaceAddress", static_cast<void*>(map),
                  reinterpret_cast<void*>(std::uint64_t{0x20000})) == 0);
  want.global_address = 0x20000;
  std::memcpy(got, map, sizeof got);
  BOOST_TEST(got[0] == lc::encode_tensor_map(want).word[0]);
}

BOOST_AUTO_TEST_CASE(functions_are_found_by_name_and_version) {
  void* found = nullptr;
  int status = -1;
  const auto get = [&](const char* name, int version) {
    return cuda("cuGetProcAddress_v2", name, &found, version, std::uint64_t{0}, &status);
  };
  BOOST_TEST(get("cuMemAlloc", 12000) == 0);
  BOOST_TEST(found == cuda.symbol("cuMemAlloc_v2"));
  BOOST_TEST(get("cuCtxCreate", 12000) == 0);
  BOOST_TEST(found == cuda.symbol("cuCtxCreate_v2"));
  BOOST_TEST(get("cuCtxCreate", 13000) == 0);
  BOOST_TEST(found == cuda.symbol("cuCtxCreate_v4"));
  BOOST_TEST(get("cuNothingOfTheKind", 13000) == 500);
  BOOST_TEST(status == 1);
}

BOOST_AUTO_TEST_CASE(what_is_missing_says_so_instead_of_failing_to_link) {
  BOOST_TEST(cuda("cuGraphicsMapResources", 0U, nullptr, nullptr) == 801);
  BOOST_TEST(cuda("cuGraphicsMapResources_ptsz", 0U, nullptr, nullptr) == 801);
  BOOST_TEST(cuda("cuStreamSynchronize_ptsz", nullptr) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
