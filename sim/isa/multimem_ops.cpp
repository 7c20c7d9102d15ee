#include <array>

#include "sim/isa/binder.h"
#include "sim/isa/families.h"

// multimem.* (PTX ISA 9.0, 9.7.9.14, 9.7.9.25 - 9.7.9.27): one address that stands for memory of
// several GPUs.  The rows are here so that a program that has them is told why it cannot run.
namespace lc::isa {
namespace {

void bind_several_gpus(Binder& b) {
  b.fail("multimem addresses stand for memory of several GPUs; the virtual GPU is one alone",
         "the kernel's path for one GPU");
}

#define LC_TYPES \
  "b32|b64|u32|s32|u64|s64|f32|f64|f16|f16x2|bf16|bf16x2|e4m3|e4m3x2|e4m3x4|e5m2|e5m2x2|e5m2x4 "
#define LC_WHERE "[weak|relaxed|acquire|release] [cta|cluster|gpu|sys] [global] [v2|v4|v8] "
constexpr std::string_view kNote = "needs several GPUs: refused when the program is loaded";

constexpr std::array kOps{
    Op{"multimem", "ld_reduce " LC_WHERE "add|min|max|and|or|xor [acc::f32|acc::f16] " LC_TYPES,
       "d, [a]", bind_several_gpus, kNote},
    Op{"multimem", "st " LC_WHERE LC_TYPES, "[a], b", bind_several_gpus, kNote},
    Op{"multimem", "red " LC_WHERE "add|min|max|and|or|xor " LC_TYPES, "[a], b", bind_several_gpus,
       kNote},
    Op{"multimem", "cp async bulk bulk_group global shared::cta [L2::cache_hint] [cp_mask]",
       "[a], [b], size, byteMask?", bind_several_gpus, kNote},
    Op{"multimem",
       "cp reduce async bulk bulk_group global shared::cta add|min|max|and|or|xor|inc|dec "
       "[noftz] " LC_TYPES,
       "[a], [b], size", bind_several_gpus, kNote},
};

}  // namespace

std::span<const Op> multimem_ops() {
  return kOps;
}

}  // namespace lc::isa
