#include "sim/runtime/device.h"

#include <cstring>

namespace lc::runtime {
namespace {

// What an H200 answers (driver 580, measured), but for what nothing here can do: sparse and
// deferred arrays, external semaphores, RDMA, virtual memory management, IPC, and for its place on
// the bus.
// clang-format off
constexpr AttributeValue kH200[] = {
    {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
    {9, 65536}, {10, 32}, {11, 2147483647}, {12, 65536}, {13, 1980000}, {14, 512}, {15, 1},
    {16, 132}, {17, 0}, {18, 0}, {19, 1}, {20, 0}, {21, 131072}, {22, 131072}, {23, 65536},
    {24, 16384}, {25, 16384}, {26, 16384}, {27, 32768}, {28, 32768}, {29, 2048}, {30, 512},
    {31, 1}, {32, 1}, {33, 0}, {34, 0}, {35, 0}, {36, 3201000}, {37, 6016}, {38, 62914560},
    {39, 2048}, {40, 3}, {41, 1}, {42, 32768}, {43, 2048}, {44, 1}, {45, 32768}, {46, 32768},
    {47, 8192}, {48, 8192}, {49, 32768}, {50, 0}, {51, 32}, {52, 32768}, {53, 32768}, {54, 2046},
    {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384}, {60, 16384}, {61, 32768},
    {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768}, {68, 2046},
    {69, 268435456}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {75, 9},
    {76, 0}, {77, 32768}, {78, 1}, {79, 1}, {80, 1}, {81, 233472}, {82, 65536}, {83, 1}, {84, 0},
    {85, 0}, {86, 0}, {87, 2}, {88, 0}, {89, 1}, {90, 1}, {91, 1}, {92, 0}, {93, 0}, {94, 0},
    {95, 1}, {96, 0}, {97, 232448}, {98, 0}, {99, 1}, {100, 0}, {101, 0}, {102, 0}, {103, 0},
    {104, 0}, {105, 0}, {106, 32}, {107, 0}, {108, 39321600}, {109, 134217728}, {110, 0},
    {111, 1024}, {112, 0}, {113, 1}, {114, 0}, {115, 1}, {116, 0}, {117, 0}, {118, 0}, {119, 0},
    {120, 1}, {121, 0}, {122, 0}, {123, 1}, {124, 0}, {125, 0}, {126, 4}, {127, 0}, {128, 0},
    {129, 0}, {130, 0}, {131, -1}, {132, 0}, {133, 0}, {134, 0}, {135, 0}, {136, 0}, {137, 0},
    {138, 0}, {139, 0}, {140, 0}, {141, 0}, {142, 0}, {143, 0}, {144, 0}, {145, 0}, {146, 0},
    {147, 0},
};

// Where a B200 differs.  From NVIDIA's documents and reports of cudaGetDeviceProperties; no B200 was
// asked.
constexpr AttributeValue kB200[] = {
    {kMultiprocessors, 148}, {13, 1965000}, {36, 3996000}, {37, 8192}, {38, 132644864},
    {kMajor, 10}, {kMinor, 0}, {108, 82903040},
};
// clang-format on

constexpr DeviceModel kModels[] = {
    {"layout-check virtual H200", "sm_90", Arch::sm_90, 150109880320, {}},
    {"layout-check virtual B200", "sm_100", Arch::sm_100, 191503138816, kB200},
};

/// Reads attributes into the fields of cudaDeviceProp.
struct Filler {
  const DeviceModel& device;
  int of(int id) const { return device.attribute(id).value_or(0); }
  std::size_t size_of(int id) const { return static_cast<std::size_t>(of(id)); }
  template <std::size_t N>
  void several(int (&to)[N], const int (&ids)[N]) const {
    for (std::size_t i = 0; i < N; ++i) to[i] = of(ids[i]);
  }

  void limits(abi::DeviceProperties& p) const {
    p.shared_per_block = size_of(kSharedPerBlock);
    p.registers_per_block = of(12);
    p.warp_size = of(10);
    p.memory_pitch = size_of(11);
    p.max_threads_per_block = of(kMaxThreadsPerBlock);
    several(p.max_block, {2, 3, 4});
    several(p.max_grid, {5, 6, 7});
    p.total_constant_memory = size_of(9);
    p.major = of(kMajor);
    p.minor = of(kMinor);
    p.multiprocessors = of(kMultiprocessors);
    p.max_threads_per_multiprocessor = of(kThreadsPerMultiprocessor);
    p.shared_per_multiprocessor = size_of(kSharedPerMultiprocessor);
    p.registers_per_multiprocessor = of(82);
    p.shared_per_block_optin = size_of(kSharedPerBlockOptin);
    p.max_blocks_per_multiprocessor = of(kBlocksPerMultiprocessor);
    p.reserved_shared_per_block = size_of(kReservedSharedPerBlock);
  }

  void memory(abi::DeviceProperties& p) const {
    p.memory_bus_bits = of(37);
    p.l2_bytes = of(38);
    p.persisting_l2_bytes = of(108);
    p.access_policy_max_window = of(109);
    p.can_map_host_memory = of(19);
    p.unified_addressing = of(41);
    p.managed_memory = of(83);
    p.host_native_atomics = of(86);
    p.pageable_memory_access = of(88);
    p.concurrent_managed_access = of(89);
    p.host_pointer_for_registered_memory = of(91);
    p.pageable_uses_host_tables = of(100);
    p.direct_managed_access = of(101);
    p.host_register = of(99);
    p.host_register_read_only = of(113);
    p.memory_pools = of(115);
    p.memory_pool_handle_types = static_cast<unsigned>(of(119));
    p.numa_config = of(130);
    p.numa_id = of(131);
    p.global_l1_cache = of(79);
    p.local_l1_cache = of(80);
  }

  void features(abi::DeviceProperties& p) const {
    p.integrated = of(18);
    p.concurrent_kernels = of(31);
    p.ecc_enabled = of(32);
    p.async_engines = of(40);
    p.stream_priorities = of(78);
    p.compute_preemption = of(90);
    p.cooperative_launch = of(95);
    p.cluster_launch = of(120);
    p.unified_function_pointers = of(129);
  }

  void textures(abi::DeviceProperties& p) const {
    p.texture_alignment = size_of(14);
    p.texture_pitch_alignment = size_of(51);
    p.surface_alignment = size_of(30);
    p.texture_1d = of(21);
    p.texture_1d_mipmap = of(77);
    several(p.texture_2d, {22, 23});
    several(p.texture_2d_mipmap, {73, 74});
    several(p.texture_2d_linear, {70, 71, 72});
    several(p.texture_2d_gather, {45, 46});
    several(p.texture_3d, {24, 25, 26});
    several(p.texture_3d_alternate, {47, 48, 49});
    p.texture_cubemap = of(52);
    several(p.texture_1d_layered, {42, 43});
    several(p.texture_2d_layered, {27, 28, 29});
    several(p.texture_cubemap_layered, {53, 54});
    p.surface_1d = of(55);
    several(p.surface_2d, {56, 57});
    several(p.surface_3d, {58, 59, 60});
    several(p.surface_1d_layered, {61, 62});
    several(p.surface_2d_layered, {63, 64, 65});
    p.surface_cubemap = of(66);
    several(p.surface_cubemap_layered, {67, 68});
  }
};

}  // namespace

std::optional<int> DeviceModel::attribute(int id) const {
  for (const AttributeValue& a : differences) {
    if (a.id == id) return a.value;
  }
  for (const AttributeValue& a : kH200) {
    if (a.id == id) return a.value;
  }
  return std::nullopt;
}

const DeviceModel& h200() {
  return kModels[0];
}

const DeviceModel& b200() {
  return kModels[1];
}

std::span<const AttributeValue> all_attributes() {
  return kH200;
}

abi::DeviceProperties properties_of(const DeviceModel& device, std::uint64_t memory_bytes) {
  abi::DeviceProperties p{};
  std::strncpy(p.name, device.name, sizeof p.name - 1);
  std::strncpy(p.uuid, device.target, sizeof p.uuid - 1);
  p.total_global_memory = memory_bytes;
  const Filler filler{device};
  filler.limits(p);
  filler.memory(p);
  filler.features(p);
  filler.textures(p);
  return p;
}

}  // namespace lc::runtime
