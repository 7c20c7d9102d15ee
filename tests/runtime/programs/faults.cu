// One mistake of a kernel, chosen by the argument; prints what the runtime then says.
#include <cassert>
#include <cstdlib>

#include "expect.h"

__global__ void broken(int* p, int how) {
  if (how == 0) p[1024] = 1;
  if (how == 1) *reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 1) = 1;
  if (how == 2) assert(threadIdx.x != 3);
  if (how == 3) __trap();
  if (how == 4 && threadIdx.x == 0) {
    __shared__ unsigned long long barrier;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at));
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(at)
          : "memory");
    }
  }
}

int main(int argc, char** argv) {
  int* device;
  CHECK(cudaMalloc(&device, 4096));
  broken<<<1, 32>>>(device, argc > 1 ? std::atoi(argv[1]) : 0);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s: %s\n", cudaGetErrorName(status), cudaGetErrorString(status));
  EXPECT(cudaMalloc(&device, 4) == status);  // it stays
  EXPECT(cudaGetLastError() == status);
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&device, 4));
  broken<<<1, 32>>>(device, 99);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
