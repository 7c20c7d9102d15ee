#include "kernel/gemm/gemm_entries.h"

#include "kernel/gemm/tcgen05_cp_async_tile.h"
#include "kernel/gemm/tcgen05_gemm_parameters.h"

namespace lc::kernel {

#define LC_DECLARE(name, ...) \
  extern "C" __global__ void tcgen05_cp_async_##name(Tcgen05CpAsyncParameters);
LC_TCGEN05_CP_ASYNC_INSTANCES(LC_DECLARE)
#undef LC_DECLARE

namespace {

struct Entry {
  const char* name;
  const void* kernel;
};

#define LC_ENTRY(name, ...) \
  {"tcgen05_cp_async_" #name, reinterpret_cast<const void*>(tcgen05_cp_async_##name)},
const Entry kEntries[] = {LC_TCGEN05_CP_ASYNC_INSTANCES(LC_ENTRY)};
#undef LC_ENTRY

}  // namespace

const void* gemm_entry(const std::string& name) {
  for (const Entry& e : kEntries) {
    if (name == e.name) return e.kernel;
  }
  return nullptr;
}

}  // namespace lc::kernel
