// Variables of the device, arguments of all sizes, printf.
#include "expect.h"

__constant__ int factor[4];
__device__ int counter = 5;
__managed__ int managed = 11;

__global__ void scale(int* p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) p[i] *= factor[i % 4];
  if (i == 0) {
    counter += 1;
    managed += 100;
    printf("%d elements, %s %c %5.2f\n", n, "from the device", '!', 0.25 * n);
  }
}

struct Argument {
  int a[5];
  double d;
  char c;
};

__global__ void take(Argument argument, int* p, char c) {
  p[0] = argument.a[4] + static_cast<int>(argument.d) + argument.c + c;
}

int main() {
  constexpr int n = 256;
  int host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = i;
  const int factors[] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(factor, factors, sizeof factors));
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  std::printf("before\n");
  scale<<<2, 128>>>(device, n);
  CHECK(cudaGetLastError());
  std::printf("after\n");
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDefault));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i * factors[i % 4]);

  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 6);
  EXPECT(managed == 111);
  void* address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, counter));
  CHECK(cudaGetSymbolSize(&bytes, counter));
  CHECK(cudaMemcpy(&value, address, bytes, cudaMemcpyDeviceToHost));
  EXPECT(bytes == sizeof value && value == 6);

  take<<<1, 1>>>({{1, 2, 3, 4, 5}, 2.5, 7}, device, 100);
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 114);
  std::printf("all as expected\n");
  return 0;
}
