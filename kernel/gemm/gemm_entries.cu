#include "kernel/gemm/gemm_entries.h"

#include "kernel/gemm/tcgen05_cp_async_tile.h"
#include "kernel/gemm/tcgen05_gemm_parameters.h"
#include "kernel/gemm/tcgen05_tma_parameters.h"

namespace lc::kernel {

#define LC_CP_ASYNC(name, ...) \
  extern "C" __global__ void tcgen05_cp_async_##name(Tcgen05CpAsyncParameters);
#define LC_TMA(name, ...) extern "C" __global__ void tcgen05_tma_##name(Tcgen05TmaParameters);
LC_TCGEN05_CP_ASYNC_INSTANCES(LC_CP_ASYNC)
LC_TCGEN05_TMA_INSTANCES(LC_TMA)
#undef LC_CP_ASYNC
#undef LC_TMA

namespace {

struct Entry {
  const char* name;
  const void* kernel;
};

#define LC_CP_ASYNC(name, ...) \
  {"tcgen05_cp_async_" #name, reinterpret_cast<const void*>(tcgen05_cp_async_##name)},
#define LC_TMA(name, ...) {"tcgen05_tma_" #name, reinterpret_cast<const void*>(tcgen05_tma_##name)},
const Entry kEntries[] = {LC_TCGEN05_CP_ASYNC_INSTANCES(LC_CP_ASYNC)  //
                          LC_TCGEN05_TMA_INSTANCES(LC_TMA)};
#undef LC_CP_ASYNC
#undef LC_TMA

}  // namespace

const void* gemm_entry(const std::string& name) {
  for (const Entry& e : kEntries) {
    if (name == e.name) return e.kernel;
  }
  return nullptr;
}

}  // namespace lc::kernel
