#include "kernel/gemm/gemm_entries.h"

#include "kernel/gemm/cp_async_tile.h"
#include "kernel/gemm/tcgen05_gemm_parameters.h"
#include "kernel/gemm/tma_tile.h"

namespace lc::kernel {

// X(name, parameters) of every kernel.
#define LC_CP_ASYNC(name, ...) X(tcgen05_cp_async_##name, CpAsyncParameters)
#define LC_WGMMA_CP_ASYNC(name, ...) X(wgmma_cp_async_##name, CpAsyncParameters)
#define LC_WGMMA_TMA(name, ...) X(wgmma_tma_##name, TmaParameters)
#define LC_TMA(name, ...) X(tcgen05_tma_##name, TmaParameters)
#define LC_GEMM(name) X(tcgen05_gemm_##name, Tcgen05GemmParameters)
#define LC_ALL_ENTRIES                       \
  LC_TCGEN05_CP_ASYNC_INSTANCES(LC_CP_ASYNC) \
  LC_TCGEN05_TMA_INSTANCES(LC_TMA)           \
  LC_CP_ASYNC_INSTANCES(LC_WGMMA_CP_ASYNC)   \
  LC_WGMMA_TMA_INSTANCES(LC_WGMMA_TMA)       \
  LC_GEMM(f16_256x256)                       \
  LC_GEMM(f16_256x256_multicast)             \
  LC_GEMM(f16_128x128)                       \
  LC_GEMM(tf32_256x256)                      \
  LC_GEMM(tf32_256x256_multicast)            \
  LC_GEMM(tf32_128x128)                      \
  LC_GEMM(f8_256x256)                        \
  LC_GEMM(f8_256x256_multicast)              \
  LC_GEMM(f8_128x128)                        \
  LC_GEMM(mxf8_256x128)                      \
  LC_GEMM(mxf8_128x128)                      \
  LC_GEMM(nvf4_256x128)                      \
  LC_GEMM(nvf4_128x128)

#define X(name, Parameters) extern "C" __global__ void name(Parameters);
LC_ALL_ENTRIES
#undef X

namespace {

struct Entry {
  const char* name;
  const void* kernel;
};

#define X(name, Parameters) {#name, reinterpret_cast<const void*>(name)},
const Entry kEntries[] = {LC_ALL_ENTRIES};
#undef X

}  // namespace

const void* gemm_entry(const std::string& name) {
  for (const Entry& e : kEntries) {
    if (name == e.name) return e.kernel;
  }
  return nullptr;
}

}  // namespace lc::kernel
