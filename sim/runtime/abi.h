#pragma once

#include <cstddef>
#include <cstdint>

// What crosses the border between programs and the CUDA 13 libraries, in our own words, so that the
// drop-in builds without the toolkit.  tests/runtime/abi_check.cpp compares every size and offset
// with the toolkit's headers where they are.
namespace lc::runtime::abi {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct Extent {
  std::size_t width, height, depth;
};

struct Position {
  std::size_t x, y, z;
};

struct PitchedPointer {
  void* pointer;
  std::size_t pitch, x_size, y_size;
};

/// cudaMemcpy3DParms
struct Copy3d {
  void* source_array;
  Position source_position;
  PitchedPointer source;
  void* target_array;
  Position target_position;
  PitchedPointer target;
  Extent extent;
  int kind;
};

/// CUDA_MEMCPY2D
struct DriverCopy2d {
  std::size_t source_x, source_y;
  int source_type;
  const void* source_host;
  std::uint64_t source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t target_x, target_y;
  int target_type;
  void* target_host;
  std::uint64_t target_device;
  void* target_array;
  std::size_t target_pitch;
  std::size_t width, height;
};

/// CUDA_MEMCPY3D
struct DriverCopy3d {
  std::size_t source_x, source_y, source_z, source_level;
  int source_type;
  const void* source_host;
  std::uint64_t source_device;
  void* source_array;
  void* reserved_0;
  std::size_t source_pitch, source_height;
  std::size_t target_x, target_y, target_z, target_level;
  int target_type;
  void* target_host;
  std::uint64_t target_device;
  void* target_array;
  void* reserved_1;
  std::size_t target_pitch, target_height;
  std::size_t width, height, depth;
};

/// cudaLaunchAttribute, CUlaunchAttribute
struct LaunchAttribute {
  enum Id : int {
    ignore = 0,
    cooperative = 2,
    cluster_dimension = 4,
    programmatic_stream_serialization = 6,
    programmatic_event = 7,
    preferred_cluster_dimension = 11,
    launch_completion_event = 12,
  };
  int id;
  int padding;
  union {
    char bytes[64];
    int flag;
    unsigned cluster[3];
    void* event;
  };
};

/// cudaLaunchConfig_t
struct LaunchConfig {
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// CUlaunchConfig
struct DriverLaunchConfig {
  unsigned grid[3], block[3];
  unsigned dynamic_shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// cudaFuncAttributes
struct FunctionAttributes {
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_carveout;
  int cluster_must_be_set, required_cluster_width, required_cluster_height, required_cluster_depth;
  int cluster_scheduling_policy, non_portable_cluster_allowed;
  int reserved[16];
};

/// cudaPointerAttributes
struct PointerAttributes {
  int type;  ///< 0 unregistered, 1 host, 2 device, 3 managed
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

/// cudaKernelNodeParams
struct KernelNode {
  void* function;
  Dim3 grid, block;
  unsigned dynamic_shared_bytes;
  void** arguments;
  void** extra;
};

/// cudaMemsetParams
struct FillNode {
  void* target;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};

/// cudaHostNodeParams
struct HostNode {
  void (*function)(void*);
  void* data;
};

/// What nvcc's host code hands to __cudaRegisterFatBinary.
struct FatbinWrapper {
  static constexpr int kMagic = 0x466243b1;
  int magic;
  int version;  ///< 1 whole programs, 2 to be linked on the device
  const std::uint8_t* data;
  void* extra;
};

/// cudaDeviceProp
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int max_threads_per_block, max_block[3], max_grid[3];
  std::size_t total_constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host_memory;
  int texture_1d, texture_1d_mipmap, texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3];
  int texture_2d_gather[2], texture_3d[3], texture_3d_alternate[3], texture_cubemap;
  int texture_1d_layered[2], texture_2d_layered[3], texture_cubemap_layered[2];
  int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3];
  int surface_cubemap, surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver;
  int async_engines, unified_addressing, memory_bus_bits, l2_bytes, persisting_l2_bytes;
  int max_threads_per_multiprocessor, stream_priorities, global_l1_cache, local_l1_cache;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group;
  int host_native_atomics, pageable_memory_access, concurrent_managed_access;
  int compute_preemption, host_pointer_for_registered_memory, cooperative_launch;
  std::size_t shared_per_block_optin;
  int pageable_uses_host_tables, direct_managed_access, max_blocks_per_multiprocessor;
  int access_policy_max_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores;
  int memory_pools, gpu_direct_rdma;
  unsigned gpu_direct_flush_options;
  int gpu_direct_ordering;
  unsigned memory_pool_handle_types;
  int deferred_mapping_arrays, ipc_events, cluster_launch, unified_function_pointers;
  int numa_config, numa_id, mps_enabled, host_numa_id;
  unsigned pci_device_id, pci_subsystem_id;
  int host_numa_multinode_ipc;
  int reserved[56];
};

}  // namespace lc::runtime::abi
