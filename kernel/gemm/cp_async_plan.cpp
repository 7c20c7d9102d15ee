#include "kernel/gemm/cp_async_plan.h"

#include <string_view>

#include "kernel/gemm/cp_async_tile.h"
#include "kernel/gemm/plan_parts.h"

namespace lc::kernel {

namespace {

/// An instance of the kernel.
struct Instance {
  const char* name;
  std::uint32_t element_bytes, bm, bn, bk, shared, panels;
};

template <class T>
constexpr Instance instance(const char* name) {
  return {name, T::element_bytes, T::BM, T::BN, T::BK, T::shared_bytes, T::panels};
}

#define LC_INSTANCE(name, element_bytes, bm, bk, swizzle, shift) \
  instance<CpAsyncTile<element_bytes, bm, bk, SmemSwizzle::swizzle, shift>>(#name),
constexpr Instance kInstances[] = {LC_TCGEN05_CP_ASYNC_INSTANCES(LC_INSTANCE)};
#undef LC_INSTANCE

constexpr std::string_view kShifted = "base128";
constexpr std::uint32_t kColumns = 128;

struct Choice {
  const Instance* instance = nullptr;
  std::uint32_t base_offset = 0;
};

std::string with_base_offset(std::uint32_t base_offset) {
  return std::string(kShifted) + "_o" + std::to_string(base_offset);
}

/// The kernel of one architecture.
struct Family {
  std::string name;
  bool tcgen05;
  std::string takes, hint;  ///< types, and who takes the others
};

const Family& tcgen05_family() {
  static const Family kFamily{"tcgen05_cp_async", true, "f16, bf16, e4m3 and e5m2", "tcgen05_tma"};
  return kFamily;
}
const Family& wgmma_family() {
  static const Family kFamily{"wgmma_cp_async", false, "f16 and bf16", "wgmma_tma"};
  return kFamily;
}

Choice choose(const Family& family, const GemmProblem& p, std::string variant) {
  const std::uint32_t element_bytes = bits_of(p.type) / 8;
  if (variant.empty()) variant = element_bytes == 1 ? "fp8" : "64B";
  Choice out;
  for (std::uint32_t o = 0; o < 8; ++o) {
    if (variant == with_base_offset(o)) variant = kShifted, out.base_offset = o;
  }
  for (const Instance& i : kInstances) {
    if (variant == i.name) out.instance = &i;
  }
  if (out.instance == nullptr) {
    throw GemmRefusal("variant", family.name + " has no `" + variant + "`", "64B");
  }
  if (out.instance->element_bytes != element_bytes) {
    throw GemmRefusal("variant",
                      "`" + variant + "` has elements of " +
                          std::to_string(8 * out.instance->element_bytes) + " bits",
                      element_bytes == 1 ? "fp8" : "64B");
  }
  return out;
}

void refuse_foreign(const Family& family, const GemmProblem& p) {
  const bool bits_16 = p.type == GemmType::f16 || p.type == GemmType::bf16;
  const bool fp8 = p.type == GemmType::e4m3 || p.type == GemmType::e5m2;
  if (!bits_16 && !(fp8 && family.tcgen05)) {
    throw GemmRefusal("type", family.name + " takes " + family.takes,
                      block_scaled(p.type) ? "tcgen05_gemm" : family.hint);
  }
  if (p.a_major != GemmMajor::k || p.b_major != GemmMajor::mn) {
    throw GemmRefusal("major", family.name + " stores A K-major and B N-major",
                      "A k and B mn, or " + family.hint);
  }
}

/// A tile that is told by its descriptor: what there is in memory, and how far.
TileDescription tile(const GemmPlan& plan, OperandTile operand, const char* source,
                     std::vector<std::uint64_t> strides, std::uint64_t mn, std::uint64_t k) {
  operand.bounds = {mn, k};
  TileSource from;
  from.tensor = source;
  from.strides = std::move(strides);
  return TileDescription::read_as(std::move(operand)).from(from).in(plan.entry);
}

std::vector<std::string> variants_of(const Family& family) {
  std::vector<std::string> out;
  for (const Instance& i : kInstances) {
    if (i.name != kShifted && (family.tcgen05 || i.element_bytes == 2)) out.push_back(i.name);
  }
  for (std::uint32_t o = 0; o < 8; ++o) out.push_back(with_base_offset(o));
  return out;
}

GemmPlan plan_cp_async(const Family& family, const GemmProblem& p, const GemmOperands& at,
                       const GemmSettings& s) {
  refuse_illegal(p, at);
  refuse_foreign(family, p);
  const Choice choice = choose(family, p, s.variant);
  const Instance& i = *choice.instance;
  const GemmMatrix a = matrix_a(p), b = matrix_b(p);

  CpAsyncParameters q{};
  q.a = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(at.a));
  q.b = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(at.b));
  q.a_pitch = a.pitch;
  q.b_pitch = b.pitch;
  q.m = p.m;
  q.n = p.n;
  q.k = p.k;
  q.instruction = instruction_descriptor(dense_instruction(p, i.bm, i.bn));
  q.bf16 = p.type == GemmType::bf16 ? 1 : 0;
  q.base_offset = choice.base_offset;
  q.epilogue = epilogue_of(p, at);
  q.dump = s.dump;

  GemmPlan plan;
  plan.entry = family.name + "_" + i.name;
  plan.grid = grid_of_tiles(p, i.bm, i.bn);
  plan.block = {kCpAsyncThreads, 1, 1};
  plan.dynamic_smem = i.shared;
  plan.tile = {i.bm, i.bn, i.bk};
  plan.stages = kCpAsyncStages;
  plan.tmem_columns = family.tcgen05 ? kColumns : 0;
  const char* element = element_name(p.type);
  const std::uint64_t bytes = i.element_bytes;
  plan.tiles.emplace_back("A", tile(plan, {element, "k", i.bm, i.bk / i.panels}, "A_global",
                                    {a.pitch, bytes}, p.m, p.k));
  plan.tiles.emplace_back(
      "B", tile(plan, {element, "mn", i.bn, i.bk}, "B_global", {bytes, b.pitch}, p.n, p.k));
  plan.set_parameters(q);
  return plan;
}

}  // namespace

std::vector<std::string> tcgen05_cp_async_variants() {
  return variants_of(tcgen05_family());
}
std::vector<std::string> wgmma_cp_async_variants() {
  return variants_of(wgmma_family());
}

GemmPlan plan_tcgen05_cp_async(const GemmProblem& p, const GemmOperands& at, const GemmSettings& s,
                               const EncodeTensorMap&) {
  return plan_cp_async(tcgen05_family(), p, at, s);
}

GemmPlan plan_wgmma_cp_async(const GemmProblem& p, const GemmOperands& at, const GemmSettings& s,
                             const EncodeTensorMap&) {
  return plan_cp_async(wgmma_family(), p, at, s);
}

}  // namespace lc::kernel
