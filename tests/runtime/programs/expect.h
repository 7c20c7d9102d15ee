#pragma once

#include <cstdio>

#include <cuda_runtime.h>

// Programs return 1 and say where when something is not as on a GPU.
#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                                     \
      std::printf("line %d: %s is %s\n", __LINE__, #call, cudaGetErrorName(status)); \
      return 1;                                                                      \
    }                                                                                \
  } while (0)
#define EXPECT(condition)                                     \
  do {                                                        \
    if (!(condition)) {                                       \
      std::printf("line %d: not %s\n", __LINE__, #condition); \
      return 1;                                               \
    }                                                         \
  } while (0)
