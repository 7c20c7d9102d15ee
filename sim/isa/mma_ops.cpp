#include <algorithm>
#include <array>
#include <vector>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/machine/warp_mma.h"

// mma and mma.sp of sm_80 and sm_90 (PTX ISA 9.0, 9.7.14.5 and .6).
namespace lc::isa {
namespace {

using machine::WarpMma;
using numerics::Format;

struct MmaForm {
  WarpMma mma;
  std::vector<Ref> d, a, b, c;
  Ref metadata;
};

/// Registers of a list, [register * 32 + lane].
template <class Word>
std::vector<Word> gathered(const Warp& warp, const std::vector<Ref>& registers) {
  std::vector<Word> words;
  words.reserve(registers.size() * kWarpLanes);
  for (const Ref r : registers) {
    const Word* lanes;
    if constexpr (sizeof(Word) == 8) {
      lanes = warp.in64(r);
    } else {
      lanes = warp.in32(r);
    }
    words.insert(words.end(), lanes, lanes + kWarpLanes);
  }
  return words;
}

Flow mma_sync(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  const MmaForm& form = info<MmaForm>(inst);
  const auto a = gathered<std::uint32_t>(warp, form.a), b = gathered<std::uint32_t>(warp, form.b);
  auto d = gathered<std::uint32_t>(warp, form.c);
  std::span<const std::uint32_t> metadata;
  if (form.mma.sparse) metadata = {warp.in32(form.metadata), kWarpLanes};
  machine::execute_warp_mma(form.mma, a, b, metadata, d);
  for (std::size_t i = 0; i < form.d.size(); ++i) {
    std::copy_n(&d[i * kWarpLanes], kWarpLanes, warp.out32(form.d[i]));
  }
  return Flow::next;
}

Flow mma_f64(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  const MmaForm& form = info<MmaForm>(inst);
  const auto a = gathered<std::uint64_t>(warp, form.a), b = gathered<std::uint64_t>(warp, form.b);
  auto d = gathered<std::uint64_t>(warp, form.c);
  machine::execute_warp_mma_f64(form.mma.m, form.mma.k, a, b, d);
  for (std::size_t i = 0; i < form.d.size(); ++i) {
    std::copy_n(&d[i * kWarpLanes], kWarpLanes, warp.out64(form.d[i]));
  }
  return Flow::next;
}

Format format_named(std::string_view name) {
  for (std::size_t i = 0; i < numerics::kFormatCount; ++i) {
    const numerics::FormatRow row = numerics::format_row(static_cast<Format>(i));
    if (row.name == name) return row.format;
  }
  return Format::f16;
}

/// m16n8k32: M and K.
void bind_shape(Binder& b, WarpMma& mma) {
  const std::string_view shape = b.modifiers["shape"];
  mma.m = shape.starts_with("m16") ? 16 : 8;
  mma.k = b.modifiers.number("shape");
}

std::vector<Ref> bind_list(Binder& b, std::size_t i, Type type, std::size_t count, bool result) {
  const std::span<const ptx::Operand> elements = b.elements(i);
  if (elements.size() != count) {
    b.fail(b.operand(i), std::to_string(count) + " registers are expected here, not " +
                             std::to_string(elements.size()));
  }
  std::vector<Ref> registers;
  for (const ptx::Operand& element : elements) {
    registers.push_back(result ? b.out(element, type) : b.in(element, type));
  }
  return registers;
}

void bind_selector(Binder& b, MmaForm& form) {
  form.metadata = b.in(4, Type::b32);
  const bool wide = numerics::format_row(form.mma.a).bits >= 16;
  const std::uint32_t row_bits = form.mma.k * numerics::format_row(form.mma.a).bits / 16;
  // Bits of metadata in a row: 16 (one lane of four), 32 (two) or 64 (all).
  const std::uint64_t last = wide ? (row_bits <= 16 ? 3 : 1) : (row_bits <= 16 ? 1 : 0);
  form.mma.selector = static_cast<std::uint32_t>(b.immediate_in(5, 0, last));
}

void bind_mma(Binder& b) {
  MmaForm& form = b.keep(MmaForm{});
  WarpMma& mma = form.mma;
  bind_shape(b, mma);
  mma.a = format_named(b.modifiers["a"]);
  mma.b = format_named(b.modifiers["b"]);
  const std::string_view d = b.modifiers["d"];
  if (d != b.modifiers["c"]) b.fail("C and D of this mma have the same type");
  mma.rule = numerics::find_dot_rule(numerics::Family::mma_sync, numerics::kind_of_operand(mma.a),
                                     mma.a, mma.b, format_named(d));
  if (mma.rule == nullptr) b.fail("no mma has these types together");
  mma.sparse = b.modifiers.has("sp") || b.modifiers.has("sp::ordered_metadata");
  mma.options.saturate = b.modifiers.has("satfinite");
  mma.options.bit_operation =
      b.modifiers.has("xor") ? numerics::BitOperation::xor_popc : numerics::BitOperation::and_popc;
  form.d = bind_list(b, 0, Type::b32, mma.d_registers(), true);
  form.a = bind_list(b, 1, Type::b32, mma.a_registers(), false);
  form.b = bind_list(b, 2, Type::b32, mma.b_registers(), false);
  form.c = bind_list(b, 3, Type::b32, mma.d_registers(), false);
  if (mma.sparse) bind_selector(b, form);
  b.run(mma_sync);
}

void bind_f64(Binder& b) {
  const std::string_view rounding = b.modifiers["rounding"];
  if (!rounding.empty() && rounding != "rn") {
    b.fail("mma of f64 is modelled with the rounding .rn only, not ." + std::string(rounding));
  }
  MmaForm& form = b.keep(MmaForm{});
  bind_shape(b, form.mma);
  const std::uint32_t m = form.mma.m, k = form.mma.k;
  form.d = bind_list(b, 0, Type::f64, m / 4, true);
  form.a = bind_list(b, 1, Type::f64, m * k / kWarpLanes, false);
  form.b = bind_list(b, 2, Type::f64, k / 4, false);
  form.c = bind_list(b, 3, Type::f64, m / 4, false);
  b.run(mma_f64);
}

void bind_sm_70(Binder& b) {
  b.fail("mma.m8n8k4 of f16 belongs to sm_70 and is not modelled", "m16n8k8 or m16n8k16");
}

void bind_sm_120(Binder& b) {
  b.fail("mma with .kind is an instruction of sm_120, which is not modelled",
         "tcgen05.mma on sm_100");
}

constexpr std::string_view kDense = "{d}, {a}, {b}, {c}";
constexpr std::string_view kSparse = "{d}, {a}, {b}, {c}, e, f";
constexpr std::string_view kSparseNote = "places of the metadata are inferred from those of wgmma";
constexpr std::string_view kScaled = "{d}, {a}, {b}, {c}, e?, f?, g?, h?, i?, j?";

constexpr std::array kOps{
    Op{"mma", "sync aligned shape=m16n8k8|m16n8k16 row col d=f16|f32 a=f16 b=f16 c=f16|f32", kDense,
       bind_mma},
    Op{"mma", "sync aligned shape=m16n8k8|m16n8k16 row col d=f32 a=bf16 b=bf16 c=f32", kDense,
       bind_mma},
    Op{"mma", "sync aligned shape=m16n8k4|m16n8k8 row col d=f32 a=tf32 b=tf32 c=f32", kDense,
       bind_mma},
    Op{"mma",
       "sync aligned shape=m16n8k16|m16n8k32 row col d=f16|f32 a=e4m3|e5m2 b=e4m3|e5m2 c=f16|f32",
       kDense, bind_mma, "as ptxas expands it for sm_90; sm_100 was not measured"},
    Op{"mma",
       "sync aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col d=f64 a=f64 b=f64 c=f64 "
       "[rounding=rn|rz|rm|rp]",
       kDense, bind_f64, "the order of additions is inferred"},
    Op{"mma",
       "sync aligned shape=m8n8k16|m16n8k16|m16n8k32 row col [satfinite] d=s32 a=s8|u8 b=s8|u8 "
       "c=s32",
       kDense, bind_mma},
    Op{"mma",
       "sync aligned shape=m8n8k32|m16n8k32|m16n8k64 row col [satfinite] d=s32 a=s4|u4 b=s4|u4 "
       "c=s32",
       kDense, bind_mma},
    Op{"mma",
       "sync aligned shape=m8n8k128|m16n8k128|m16n8k256 row col d=s32 a=b1 b=b1 c=s32 and|xor "
       "popc",
       kDense, bind_mma},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k16|m16n8k32 row col d=f16|f32 a=f16 "
       "b=f16 c=f16|f32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k16|m16n8k32 row col d=f32 a=bf16 b=bf16 "
       "c=f32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k8|m16n8k16 row col d=f32 a=tf32 b=tf32 "
       "c=f32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k64 row col d=f32 a=e4m3|e5m2 "
       "b=e4m3|e5m2 c=f32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k32|m16n8k64 row col [satfinite] d=s32 "
       "a=s8|u8 b=s8|u8 c=s32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma",
       "sp|sp::ordered_metadata sync aligned shape=m16n8k64|m16n8k128 row col [satfinite] d=s32 "
       "a=s4|u4 b=s4|u4 c=s32",
       kSparse, bind_mma, kSparseNote},
    Op{"mma", "sync aligned m8n8k4 row|col row|col d=f16|f32 a=f16 b=f16 c=f16|f32", kDense,
       bind_sm_70, "refused: an instruction of sm_70"},
    Op{"mma",
       "[sp::ordered_metadata] sync aligned shape=m16n8k32|m16n8k64|m16n8k128 row col "
       "kind::f8f6f4|kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 [block_scale] "
       "[scale_vec::1X|scale_vec::2X|scale_vec::4X] d=f16|f32 a=e4m3|e5m2|e3m2|e2m3|e2m1 "
       "b=e4m3|e5m2|e3m2|e2m3|e2m1 c=f16|f32 [ue8m0|ue4m3]",
       kScaled, bind_sm_120, "refused: an instruction of sm_120"},
};

}  // namespace

std::span<const Op> mma_ops() {
  return kOps;
}

}  // namespace lc::isa
