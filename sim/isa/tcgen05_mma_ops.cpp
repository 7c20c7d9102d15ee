#include <string>

#include "sim/isa/families.h"
#include "sim/isa/tcgen05.h"
#include "sim/machine/tensor_work.h"

// tcgen05.mma in its four forms: dense or sparse A, each with or without .ws (PTX ISA 9.0,
// 9.7.16.10.9).  Operands in the order of the text:
//
//   [d], a | [a], b, {[meta],} idesc {, disable-output-lane}, p {, scale-input-d}
//   [d], a | [a], b, {[meta],} idesc, [scale a], [scale b], p
//   [d], a | [a], b, {[meta],} idesc, p {, zero-column mask}             .ws
namespace lc::isa {
namespace {

using machine::MmaRequest;

struct MmaInfo {
  MmaRequest request;  ///< what modifiers and immediates say
  Address d, a, metadata, scale_a, scale_b;
  bool a_in_tensor = false, scaled = false, zero_columns = false;
};

/// Inst::op; the disable-output-lane registers are the long list.
enum Slot : std::size_t { kA, kB, kInstruction, kEnable, kZeroColumns };

MmaRequest request_of(const Warp& warp, const Inst& inst, std::uint32_t lane) {
  const auto& x = info<MmaInfo>(inst);
  MmaRequest q = x.request;
  q.d_address = tensor_address_of(x.d, warp, lane);
  if (x.a_in_tensor) {
    q.a_address = tensor_address_of(x.a, warp, lane);
  } else {
    q.a_descriptor = warp.in64(inst.op[kA])[lane];
  }
  q.b_descriptor = warp.in64(inst.op[kB])[lane];
  q.instruction = warp.in32(inst.op[kInstruction])[lane];
  q.read_d = (warp.predicate(inst.op[kEnable]) >> lane & 1) != 0;
  if (q.sparse) q.metadata_address = tensor_address_of(x.metadata, warp, lane);
  if (x.scaled) {
    q.sfa_address = tensor_address_of(x.scale_a, warp, lane);
    q.sfb_address = tensor_address_of(x.scale_b, warp, lane);
  }
  if (x.zero_columns) q.zero_columns = warp.in64(inst.op[kZeroColumns])[lane];
  // Words 0 .. 3 are the lanes of the even CTA, 4 .. 7 of the odd one (inferred for the pair).
  for (std::uint32_t i = 0; i < inst.count; ++i) {
    q.disabled_lanes[i / 4][i % 4] = warp.in32(warp.listed(inst, i))[lane];
  }
  return q;
}

Flow run_mma(Warp& warp, const Inst& inst, LaneMask active) {
  for_each_lane(active, [&](std::uint32_t lane) {
    machine::issue_mma(warp, lane, request_of(warp, inst, lane));
  });
  return Flow::next;
}

/// Operands up to the instruction descriptor; the index of what follows it.
std::size_t bind_operands(Binder& b, MmaInfo& x) {
  x.request.cta_group = cta_group(b);
  x.request.kind = *value_of<MmaKind>(b.modifiers["kind"].substr(6));  // behind "kind::"
  x.request.sparse = b.modifiers.has("sp");
  x.request.weight_stationary = b.modifiers.has("ws");
  x.d = tensor_address(b, 0);
  x.a_in_tensor = b.operand(1).kind == ptx::Operand::Kind::address;
  if (x.a_in_tensor) {
    x.a = tensor_address(b, 1);
  } else {
    b.inst().op[kA] = b.in(1, Type::b64);
  }
  b.inst().op[kB] = b.in(2, Type::b64);
  std::size_t next = 3;
  if (x.request.sparse) x.metadata = tensor_address(b, next++);
  b.inst().op[kInstruction] = b.in(next++, Type::b32);
  return next;
}

void finish(Binder& b, const MmaInfo& x) {
  b.keep(x);
  b.run(run_mma);
}

/// The mask is told from the predicate that follows it by its braces.
std::size_t bind_disabled_lanes(Binder& b, std::size_t i, const MmaInfo& x) {
  if (b.operand(i).kind != ptx::Operand::Kind::vector) return i;
  const auto words = b.elements(i);
  if (words.size() != 4 * x.request.cta_group) {
    b.fail(b.operand(i), "disable-output-lane has " + std::to_string(4 * x.request.cta_group) +
                             " registers with cta_group::" + std::to_string(x.request.cta_group));
  }
  for (const ptx::Operand& word : words) b.list(b.in(word, Type::b32));
  if (!b.has(i + 1)) b.fail(b.operand(i), "the predicate enable-input-d is missing");
  return i + 1;
}

void bind_plain(Binder& b) {
  MmaInfo x;
  std::size_t i = bind_disabled_lanes(b, bind_operands(b, x), x);
  b.inst().op[kEnable] = b.predicate(i++);
  if (b.has(i)) {
    if (x.request.kind != MmaKind::f16 && x.request.kind != MmaKind::tf32) {
      b.fail(b.operand(i), "only kinds f16 and tf32 have scale-input-d");
    }
    x.request.d_shift = static_cast<int>(b.immediate_in(i++, 0, 15));
  }
  if (b.has(i)) b.fail(b.operand(i), "an operand too many");
  x.request.shift_a = b.modifiers.has("ashift");
  if (x.request.shift_a && !x.a_in_tensor) {
    b.fail(b.operand(1), ".ashift takes A from Tensor Memory", "[a]");
  }
  const std::string_view use = b.modifiers["collector"];
  if (x.request.shift_a && (use == "collector::a::fill" || use == "collector::a::use")) {
    b.fail(".ashift does not go with ." + std::string(use));
  }
  finish(b, x);
}

/// Elements of K under one scale factor (PTX ISA 9.0, tables 56 and 57).
std::uint32_t scale_block_of(const Binder& b, MmaKind kind) {
  const std::string_view size = b.modifiers["size"];
  const bool is_32 =
      size == "block32" || size == (kind == MmaKind::mxf8f6f4 ? "scale_vec::1X" : "scale_vec::2X");
  if (is_32 || (size.empty() && kind != MmaKind::mxf4nvf4)) return 32;
  if (kind == MmaKind::mxf4nvf4 && (size == "scale_vec::4X" || size == "block16")) return 16;
  constexpr const char* kSizes[] = {"block32 or scale_vec::1X", "block32 or scale_vec::2X",
                                    "block32, block16, scale_vec::2X or scale_vec::4X"};
  b.fail(size.empty() ? "kind mxf4nvf4 says how long its blocks are"
                      : "the kind has no ." + std::string(size),
         kSizes[static_cast<int>(kind) - static_cast<int>(MmaKind::mxf8f6f4)]);
}

void bind_scaled(Binder& b) {
  MmaInfo x;
  const std::size_t i = bind_operands(b, x);
  x.scaled = true;
  x.request.scale_block = scale_block_of(b, x.request.kind);
  x.scale_a = tensor_address(b, i);
  x.scale_b = tensor_address(b, i + 1);
  b.inst().op[kEnable] = b.predicate(i + 2);
  finish(b, x);
}

void bind_weight_stationary(Binder& b) {
  MmaInfo x;
  const std::size_t i = bind_operands(b, x);
  if (x.request.cta_group == 2) b.fail(".ws instructions exist with .cta_group::1 only");
  b.inst().op[kEnable] = b.predicate(i);
  if (b.has(i + 1)) {
    x.zero_columns = true;
    b.inst().op[kZeroColumns] = b.in(i + 1, Type::b64);
  }
  finish(b, x);
}

#define LC_PLAIN                                                                            \
  "cta=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 [ashift] " \
  "[collector=collector::a::fill|collector::a::use|collector::a::lastuse|"                  \
  "collector::a::discard]"
#define LC_SCALED                                                                            \
  "cta=cta_group::1|cta_group::2 kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale " \
  "[size=scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32] "                        \
  "[collector=collector::a::fill|collector::a::use|collector::a::lastuse|"                   \
  "collector::a::discard]"
#define LC_STATIONARY                                                              \
  "cta=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8 " \
  "[collector=collector::b#::fill|collector::b#::use|collector::b#::lastuse|"      \
  "collector::b#::discard]"

constexpr const char* kCollectors =
    "the collector buffers save reads on hardware and change nothing here";

constexpr std::array kOps{
    Op{"tcgen05", "mma " LC_PLAIN, "[d], a, b, idesc, {mask}?, p, s?", bind_plain, kCollectors},
    Op{"tcgen05", "mma " LC_PLAIN, "[d], [a], b, idesc, {mask}?, p, s?", bind_plain, kCollectors},
    Op{"tcgen05", "mma sp " LC_PLAIN, "[d], a, b, [meta], idesc, {mask}?, p, s?", bind_plain,
       kCollectors},
    Op{"tcgen05", "mma sp " LC_PLAIN, "[d], [a], b, [meta], idesc, {mask}?, p, s?", bind_plain,
       kCollectors},
    Op{"tcgen05", "mma " LC_SCALED, "[d], a, b, idesc, [sfa], [sfb], p", bind_scaled, kCollectors},
    Op{"tcgen05", "mma " LC_SCALED, "[d], [a], b, idesc, [sfa], [sfb], p", bind_scaled,
       kCollectors},
    Op{"tcgen05", "mma sp " LC_SCALED, "[d], a, b, [meta], idesc, [sfa], [sfb], p", bind_scaled,
       kCollectors},
    Op{"tcgen05", "mma sp " LC_SCALED, "[d], [a], b, [meta], idesc, [sfa], [sfb], p", bind_scaled,
       kCollectors},
    Op{"tcgen05", "mma ws " LC_STATIONARY, "[d], a, b, idesc, p, zeros?", bind_weight_stationary,
       kCollectors},
    Op{"tcgen05", "mma ws " LC_STATIONARY, "[d], [a], b, idesc, p, zeros?", bind_weight_stationary,
       kCollectors},
    Op{"tcgen05", "mma ws sp " LC_STATIONARY, "[d], a, b, [meta], idesc, p, zeros?",
       bind_weight_stationary, kCollectors},
    Op{"tcgen05", "mma ws sp " LC_STATIONARY, "[d], [a], b, [meta], idesc, p, zeros?",
       bind_weight_stationary, kCollectors},
};

#undef LC_PLAIN
#undef LC_SCALED
#undef LC_STATIONARY

}  // namespace

std::span<const Op> tcgen05_mma_ops() {
  return kOps;
}

}  // namespace lc::isa
