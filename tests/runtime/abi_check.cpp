// Compiled only: our words for CUDA's structures against the toolkit's.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "sim/runtime/abi.h"

namespace cuda_abi = lc::runtime::abi;

#define LC_SAME_SIZE(ours, theirs) static_assert(sizeof(cuda_abi::ours) == sizeof(theirs))
#define LC_SAME_PLACE(ours, member, theirs, their_member)                             \
  static_assert(offsetof(cuda_abi::ours, member) == offsetof(theirs, their_member) && \
                sizeof(cuda_abi::ours::member) == sizeof(theirs::their_member))

LC_SAME_SIZE(Dim3, dim3);
LC_SAME_SIZE(Extent, cudaExtent);
LC_SAME_SIZE(Position, cudaPos);
LC_SAME_SIZE(PitchedPointer, cudaPitchedPtr);
LC_SAME_SIZE(Copy3d, cudaMemcpy3DParms);
LC_SAME_SIZE(DriverCopy2d, CUDA_MEMCPY2D);
LC_SAME_SIZE(DriverCopy3d, CUDA_MEMCPY3D);
LC_SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
LC_SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
LC_SAME_SIZE(DriverLaunchConfig, CUlaunchConfig);
LC_SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
LC_SAME_SIZE(PointerAttributes, cudaPointerAttributes);
LC_SAME_SIZE(KernelNode, cudaKernelNodeParams);
LC_SAME_SIZE(FillNode, cudaMemsetParams);
LC_SAME_SIZE(HostNode, cudaHostNodeParams);
LC_SAME_SIZE(DeviceProperties, cudaDeviceProp);

LC_SAME_PLACE(LaunchAttribute, id, cudaLaunchAttribute, id);
LC_SAME_PLACE(LaunchAttribute, bytes, cudaLaunchAttribute, val);
LC_SAME_PLACE(LaunchConfig, grid, cudaLaunchConfig_t, gridDim);
LC_SAME_PLACE(LaunchConfig, block, cudaLaunchConfig_t, blockDim);
LC_SAME_PLACE(LaunchConfig, dynamic_shared_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
LC_SAME_PLACE(LaunchConfig, stream, cudaLaunchConfig_t, stream);
LC_SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
LC_SAME_PLACE(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
LC_SAME_PLACE(DriverLaunchConfig, dynamic_shared_bytes, CUlaunchConfig, sharedMemBytes);
LC_SAME_PLACE(DriverLaunchConfig, stream, CUlaunchConfig, hStream);
LC_SAME_PLACE(DriverLaunchConfig, attributes, CUlaunchConfig, attrs);
LC_SAME_PLACE(DriverLaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
LC_SAME_PLACE(Copy3d, source_array, cudaMemcpy3DParms, srcArray);
LC_SAME_PLACE(Copy3d, source_position, cudaMemcpy3DParms, srcPos);
LC_SAME_PLACE(Copy3d, source, cudaMemcpy3DParms, srcPtr);
LC_SAME_PLACE(Copy3d, target_array, cudaMemcpy3DParms, dstArray);
LC_SAME_PLACE(Copy3d, target_position, cudaMemcpy3DParms, dstPos);
LC_SAME_PLACE(Copy3d, target, cudaMemcpy3DParms, dstPtr);
LC_SAME_PLACE(Copy3d, extent, cudaMemcpy3DParms, extent);
LC_SAME_PLACE(Copy3d, kind, cudaMemcpy3DParms, kind);
LC_SAME_PLACE(PitchedPointer, pointer, cudaPitchedPtr, ptr);
LC_SAME_PLACE(PitchedPointer, pitch, cudaPitchedPtr, pitch);
LC_SAME_PLACE(PitchedPointer, x_size, cudaPitchedPtr, xsize);
LC_SAME_PLACE(PitchedPointer, y_size, cudaPitchedPtr, ysize);
LC_SAME_PLACE(DriverCopy2d, source_x, CUDA_MEMCPY2D, srcXInBytes);
LC_SAME_PLACE(DriverCopy2d, source_y, CUDA_MEMCPY2D, srcY);
LC_SAME_PLACE(DriverCopy2d, source_type, CUDA_MEMCPY2D, srcMemoryType);
LC_SAME_PLACE(DriverCopy2d, source_host, CUDA_MEMCPY2D, srcHost);
LC_SAME_PLACE(DriverCopy2d, source_device, CUDA_MEMCPY2D, srcDevice);
LC_SAME_PLACE(DriverCopy2d, source_pitch, CUDA_MEMCPY2D, srcPitch);
LC_SAME_PLACE(DriverCopy2d, target_x, CUDA_MEMCPY2D, dstXInBytes);
LC_SAME_PLACE(DriverCopy2d, target_type, CUDA_MEMCPY2D, dstMemoryType);
LC_SAME_PLACE(DriverCopy2d, target_host, CUDA_MEMCPY2D, dstHost);
LC_SAME_PLACE(DriverCopy2d, target_device, CUDA_MEMCPY2D, dstDevice);
LC_SAME_PLACE(DriverCopy2d, target_pitch, CUDA_MEMCPY2D, dstPitch);
LC_SAME_PLACE(DriverCopy2d, width, CUDA_MEMCPY2D, WidthInBytes);
LC_SAME_PLACE(DriverCopy2d, height, CUDA_MEMCPY2D, Height);
LC_SAME_PLACE(DriverCopy3d, source_z, CUDA_MEMCPY3D, srcZ);
LC_SAME_PLACE(DriverCopy3d, source_type, CUDA_MEMCPY3D, srcMemoryType);
LC_SAME_PLACE(DriverCopy3d, source_device, CUDA_MEMCPY3D, srcDevice);
LC_SAME_PLACE(DriverCopy3d, source_pitch, CUDA_MEMCPY3D, srcPitch);
LC_SAME_PLACE(DriverCopy3d, source_height, CUDA_MEMCPY3D, srcHeight);
LC_SAME_PLACE(DriverCopy3d, target_z, CUDA_MEMCPY3D, dstZ);
LC_SAME_PLACE(DriverCopy3d, target_type, CUDA_MEMCPY3D, dstMemoryType);
LC_SAME_PLACE(DriverCopy3d, target_device, CUDA_MEMCPY3D, dstDevice);
LC_SAME_PLACE(DriverCopy3d, target_pitch, CUDA_MEMCPY3D, dstPitch);
LC_SAME_PLACE(DriverCopy3d, target_height, CUDA_MEMCPY3D, dstHeight);
LC_SAME_PLACE(DriverCopy3d, depth, CUDA_MEMCPY3D, Depth);
LC_SAME_PLACE(FunctionAttributes, shared_bytes, cudaFuncAttributes, sharedSizeBytes);
LC_SAME_PLACE(FunctionAttributes, local_bytes, cudaFuncAttributes, localSizeBytes);
LC_SAME_PLACE(FunctionAttributes, max_threads_per_block, cudaFuncAttributes, maxThreadsPerBlock);
LC_SAME_PLACE(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
LC_SAME_PLACE(FunctionAttributes, ptx_version, cudaFuncAttributes, ptxVersion);
LC_SAME_PLACE(FunctionAttributes, binary_version, cudaFuncAttributes, binaryVersion);
LC_SAME_PLACE(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes,
              maxDynamicSharedSizeBytes);
LC_SAME_PLACE(FunctionAttributes, preferred_carveout, cudaFuncAttributes, preferredShmemCarveout);
LC_SAME_PLACE(FunctionAttributes, cluster_must_be_set, cudaFuncAttributes, clusterDimMustBeSet);
LC_SAME_PLACE(FunctionAttributes, required_cluster_width, cudaFuncAttributes, requiredClusterWidth);
LC_SAME_PLACE(FunctionAttributes, cluster_scheduling_policy, cudaFuncAttributes,
              clusterSchedulingPolicyPreference);
LC_SAME_PLACE(FunctionAttributes, non_portable_cluster_allowed, cudaFuncAttributes,
              nonPortableClusterSizeAllowed);
LC_SAME_PLACE(PointerAttributes, type, cudaPointerAttributes, type);
LC_SAME_PLACE(PointerAttributes, device, cudaPointerAttributes, device);
LC_SAME_PLACE(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
LC_SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
LC_SAME_PLACE(KernelNode, function, cudaKernelNodeParams, func);
LC_SAME_PLACE(KernelNode, grid, cudaKernelNodeParams, gridDim);
LC_SAME_PLACE(KernelNode, block, cudaKernelNodeParams, blockDim);
LC_SAME_PLACE(KernelNode, dynamic_shared_bytes, cudaKernelNodeParams, sharedMemBytes);
LC_SAME_PLACE(KernelNode, arguments, cudaKernelNodeParams, kernelParams);
LC_SAME_PLACE(KernelNode, extra, cudaKernelNodeParams, extra);
LC_SAME_PLACE(FillNode, target, cudaMemsetParams, dst);
LC_SAME_PLACE(FillNode, pitch, cudaMemsetParams, pitch);
LC_SAME_PLACE(FillNode, value, cudaMemsetParams, value);
LC_SAME_PLACE(FillNode, element_bytes, cudaMemsetParams, elementSize);
LC_SAME_PLACE(FillNode, width, cudaMemsetParams, width);
LC_SAME_PLACE(FillNode, height, cudaMemsetParams, height);
LC_SAME_PLACE(DeviceProperties, name, cudaDeviceProp, name);
LC_SAME_PLACE(DeviceProperties, uuid, cudaDeviceProp, uuid);
LC_SAME_PLACE(DeviceProperties, luid, cudaDeviceProp, luid);
LC_SAME_PLACE(DeviceProperties, luid_node_mask, cudaDeviceProp, luidDeviceNodeMask);
LC_SAME_PLACE(DeviceProperties, total_global_memory, cudaDeviceProp, totalGlobalMem);
LC_SAME_PLACE(DeviceProperties, shared_per_block, cudaDeviceProp, sharedMemPerBlock);
LC_SAME_PLACE(DeviceProperties, registers_per_block, cudaDeviceProp, regsPerBlock);
LC_SAME_PLACE(DeviceProperties, warp_size, cudaDeviceProp, warpSize);
LC_SAME_PLACE(DeviceProperties, memory_pitch, cudaDeviceProp, memPitch);
LC_SAME_PLACE(DeviceProperties, max_threads_per_block, cudaDeviceProp, maxThreadsPerBlock);
LC_SAME_PLACE(DeviceProperties, max_block, cudaDeviceProp, maxThreadsDim);
LC_SAME_PLACE(DeviceProperties, max_grid, cudaDeviceProp, maxGridSize);
LC_SAME_PLACE(DeviceProperties, total_constant_memory, cudaDeviceProp, totalConstMem);
LC_SAME_PLACE(DeviceProperties, major, cudaDeviceProp, major);
LC_SAME_PLACE(DeviceProperties, minor, cudaDeviceProp, minor);
LC_SAME_PLACE(DeviceProperties, texture_alignment, cudaDeviceProp, textureAlignment);
LC_SAME_PLACE(DeviceProperties, texture_pitch_alignment, cudaDeviceProp, texturePitchAlignment);
LC_SAME_PLACE(DeviceProperties, multiprocessors, cudaDeviceProp, multiProcessorCount);
LC_SAME_PLACE(DeviceProperties, integrated, cudaDeviceProp, integrated);
LC_SAME_PLACE(DeviceProperties, can_map_host_memory, cudaDeviceProp, canMapHostMemory);
LC_SAME_PLACE(DeviceProperties, texture_1d, cudaDeviceProp, maxTexture1D);
LC_SAME_PLACE(DeviceProperties, texture_1d_mipmap, cudaDeviceProp, maxTexture1DMipmap);
LC_SAME_PLACE(DeviceProperties, texture_2d, cudaDeviceProp, maxTexture2D);
LC_SAME_PLACE(DeviceProperties, texture_2d_mipmap, cudaDeviceProp, maxTexture2DMipmap);
LC_SAME_PLACE(DeviceProperties, texture_2d_linear, cudaDeviceProp, maxTexture2DLinear);
LC_SAME_PLACE(DeviceProperties, texture_2d_gather, cudaDeviceProp, maxTexture2DGather);
LC_SAME_PLACE(DeviceProperties, texture_3d, cudaDeviceProp, maxTexture3D);
LC_SAME_PLACE(DeviceProperties, texture_3d_alternate, cudaDeviceProp, maxTexture3DAlt);
LC_SAME_PLACE(DeviceProperties, texture_cubemap, cudaDeviceProp, maxTextureCubemap);
LC_SAME_PLACE(DeviceProperties, texture_1d_layered, cudaDeviceProp, maxTexture1DLayered);
LC_SAME_PLACE(DeviceProperties, texture_2d_layered, cudaDeviceProp, maxTexture2DLayered);
LC_SAME_PLACE(DeviceProperties, texture_cubemap_layered, cudaDeviceProp, maxTextureCubemapLayered);
LC_SAME_PLACE(DeviceProperties, surface_1d, cudaDeviceProp, maxSurface1D);
LC_SAME_PLACE(DeviceProperties, surface_2d, cudaDeviceProp, maxSurface2D);
LC_SAME_PLACE(DeviceProperties, surface_3d, cudaDeviceProp, maxSurface3D);
LC_SAME_PLACE(DeviceProperties, surface_1d_layered, cudaDeviceProp, maxSurface1DLayered);
LC_SAME_PLACE(DeviceProperties, surface_2d_layered, cudaDeviceProp, maxSurface2DLayered);
LC_SAME_PLACE(DeviceProperties, surface_cubemap, cudaDeviceProp, maxSurfaceCubemap);
LC_SAME_PLACE(DeviceProperties, surface_cubemap_layered, cudaDeviceProp, maxSurfaceCubemapLayered);
LC_SAME_PLACE(DeviceProperties, surface_alignment, cudaDeviceProp, surfaceAlignment);
LC_SAME_PLACE(DeviceProperties, concurrent_kernels, cudaDeviceProp, concurrentKernels);
LC_SAME_PLACE(DeviceProperties, ecc_enabled, cudaDeviceProp, ECCEnabled);
LC_SAME_PLACE(DeviceProperties, pci_bus, cudaDeviceProp, pciBusID);
LC_SAME_PLACE(DeviceProperties, pci_device, cudaDeviceProp, pciDeviceID);
LC_SAME_PLACE(DeviceProperties, pci_domain, cudaDeviceProp, pciDomainID);
LC_SAME_PLACE(DeviceProperties, tcc_driver, cudaDeviceProp, tccDriver);
LC_SAME_PLACE(DeviceProperties, async_engines, cudaDeviceProp, asyncEngineCount);
LC_SAME_PLACE(DeviceProperties, unified_addressing, cudaDeviceProp, unifiedAddressing);
LC_SAME_PLACE(DeviceProperties, memory_bus_bits, cudaDeviceProp, memoryBusWidth);
LC_SAME_PLACE(DeviceProperties, l2_bytes, cudaDeviceProp, l2CacheSize);
LC_SAME_PLACE(DeviceProperties, persisting_l2_bytes, cudaDeviceProp, persistingL2CacheMaxSize);
LC_SAME_PLACE(DeviceProperties, max_threads_per_multiprocessor, cudaDeviceProp,
              maxThreadsPerMultiProcessor);
LC_SAME_PLACE(DeviceProperties, stream_priorities, cudaDeviceProp, streamPrioritiesSupported);
LC_SAME_PLACE(DeviceProperties, global_l1_cache, cudaDeviceProp, globalL1CacheSupported);
LC_SAME_PLACE(DeviceProperties, local_l1_cache, cudaDeviceProp, localL1CacheSupported);
LC_SAME_PLACE(DeviceProperties, shared_per_multiprocessor, cudaDeviceProp,
              sharedMemPerMultiprocessor);
LC_SAME_PLACE(DeviceProperties, registers_per_multiprocessor, cudaDeviceProp,
              regsPerMultiprocessor);
LC_SAME_PLACE(DeviceProperties, managed_memory, cudaDeviceProp, managedMemory);
LC_SAME_PLACE(DeviceProperties, multi_gpu_board, cudaDeviceProp, isMultiGpuBoard);
LC_SAME_PLACE(DeviceProperties, multi_gpu_board_group, cudaDeviceProp, multiGpuBoardGroupID);
LC_SAME_PLACE(DeviceProperties, host_native_atomics, cudaDeviceProp, hostNativeAtomicSupported);
LC_SAME_PLACE(DeviceProperties, pageable_memory_access, cudaDeviceProp, pageableMemoryAccess);
LC_SAME_PLACE(DeviceProperties, concurrent_managed_access, cudaDeviceProp, concurrentManagedAccess);
LC_SAME_PLACE(DeviceProperties, compute_preemption, cudaDeviceProp, computePreemptionSupported);
LC_SAME_PLACE(DeviceProperties, host_pointer_for_registered_memory, cudaDeviceProp,
              canUseHostPointerForRegisteredMem);
LC_SAME_PLACE(DeviceProperties, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
LC_SAME_PLACE(DeviceProperties, shared_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
LC_SAME_PLACE(DeviceProperties, pageable_uses_host_tables, cudaDeviceProp,
              pageableMemoryAccessUsesHostPageTables);
LC_SAME_PLACE(DeviceProperties, direct_managed_access, cudaDeviceProp,
              directManagedMemAccessFromHost);
LC_SAME_PLACE(DeviceProperties, max_blocks_per_multiprocessor, cudaDeviceProp,
              maxBlocksPerMultiProcessor);
LC_SAME_PLACE(DeviceProperties, access_policy_max_window, cudaDeviceProp,
              accessPolicyMaxWindowSize);
LC_SAME_PLACE(DeviceProperties, reserved_shared_per_block, cudaDeviceProp,
              reservedSharedMemPerBlock);
LC_SAME_PLACE(DeviceProperties, host_register, cudaDeviceProp, hostRegisterSupported);
LC_SAME_PLACE(DeviceProperties, sparse_arrays, cudaDeviceProp, sparseCudaArraySupported);
LC_SAME_PLACE(DeviceProperties, host_register_read_only, cudaDeviceProp,
              hostRegisterReadOnlySupported);
LC_SAME_PLACE(DeviceProperties, timeline_semaphores, cudaDeviceProp,
              timelineSemaphoreInteropSupported);
LC_SAME_PLACE(DeviceProperties, memory_pools, cudaDeviceProp, memoryPoolsSupported);
LC_SAME_PLACE(DeviceProperties, gpu_direct_rdma, cudaDeviceProp, gpuDirectRDMASupported);
LC_SAME_PLACE(DeviceProperties, gpu_direct_flush_options, cudaDeviceProp,
              gpuDirectRDMAFlushWritesOptions);
LC_SAME_PLACE(DeviceProperties, gpu_direct_ordering, cudaDeviceProp, gpuDirectRDMAWritesOrdering);
LC_SAME_PLACE(DeviceProperties, memory_pool_handle_types, cudaDeviceProp,
              memoryPoolSupportedHandleTypes);
LC_SAME_PLACE(DeviceProperties, deferred_mapping_arrays, cudaDeviceProp,
              deferredMappingCudaArraySupported);
LC_SAME_PLACE(DeviceProperties, ipc_events, cudaDeviceProp, ipcEventSupported);
LC_SAME_PLACE(DeviceProperties, cluster_launch, cudaDeviceProp, clusterLaunch);
LC_SAME_PLACE(DeviceProperties, unified_function_pointers, cudaDeviceProp, unifiedFunctionPointers);
LC_SAME_PLACE(DeviceProperties, numa_config, cudaDeviceProp, deviceNumaConfig);
LC_SAME_PLACE(DeviceProperties, numa_id, cudaDeviceProp, deviceNumaId);
LC_SAME_PLACE(DeviceProperties, mps_enabled, cudaDeviceProp, mpsEnabled);
LC_SAME_PLACE(DeviceProperties, host_numa_id, cudaDeviceProp, hostNumaId);
LC_SAME_PLACE(DeviceProperties, pci_device_id, cudaDeviceProp, gpuPciDeviceID);
LC_SAME_PLACE(DeviceProperties, pci_subsystem_id, cudaDeviceProp, gpuPciSubsystemID);
LC_SAME_PLACE(DeviceProperties, host_numa_multinode_ipc, cudaDeviceProp,
              hostNumaMultinodeIpcSupported);
LC_SAME_PLACE(DeviceProperties, reserved, cudaDeviceProp, reserved);
