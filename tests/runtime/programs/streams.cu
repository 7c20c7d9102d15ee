// Streams, events, graphs, pinned, managed and pitched memory, copies that are refused.
#include <cstring>

#include "expect.h"

__global__ void add(int* p, int v) {
  atomicAdd(p + threadIdx.x, v);
}

int captured() {
  int *device, host[32];
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemset(device, 0, sizeof host));
  cudaStream_t first, second;
  cudaEvent_t fork, start, end;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, first>>>(device, 1);
  CHECK(cudaEventRecord(fork, first));
  CHECK(cudaStreamWaitEvent(second, fork, 0));
  add<<<1, 32, 0, second>>>(device, 10);
  CHECK(cudaEventRecord(fork, second));
  CHECK(cudaStreamWaitEvent(first, fork, 0));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamEndCapture(first, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 2);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 0);  // captured work has not run
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaEventRecord(start, first));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, first));
  CHECK(cudaEventRecord(end, first));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 33);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(first));
  return 0;
}

int memory() {
  int *device, *pinned, *managed, value = 0;
  CHECK(cudaMalloc(&device, 4096));
  CHECK(cudaMallocHost(&pinned, 4096));
  CHECK(cudaMallocManaged(&managed, 4096));
  *pinned = 5;
  *managed = 1;
  add<<<1, 1>>>(pinned, 7);
  add<<<1, 1>>>(managed, 2);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*pinned == 12 && *managed == 3);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, managed + 1));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaPointerGetAttributes(&attributes, device));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device);
  CHECK(cudaPointerGetAttributes(&attributes, &value));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);

  char *rows, host[4][100], row[100];
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, sizeof row, 4));
  for (int y = 0; y < 4; ++y) std::memset(host[y], 'a' + y, sizeof row);
  CHECK(cudaMemcpy2D(rows, pitch, host, sizeof row, sizeof row, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(row, rows + 2 * pitch, sizeof row, cudaMemcpyDeviceToHost));
  EXPECT(row[0] == 'c' && row[99] == 'c');

  EXPECT(cudaMemcpy(host, device, 4097, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, &value, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaFree(device));
  EXPECT(cudaFree(device) == cudaErrorInvalidValue);
  EXPECT(cudaFreeHost(managed + 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  return 0;
}

int main() {
  if (captured() != 0 || memory() != 0) return 1;
  std::printf("all as expected\n");
  return 0;
}
