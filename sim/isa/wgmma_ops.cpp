#include <algorithm>
#include <array>
#include <vector>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/machine/cta.h"
#include "sim/machine/warpgroup_unit.h"

// wgmma (PTX ISA 9.0, 9.7.15).  A in registers is taken as it is when the instruction executes;
// D is read and written when the schedule says, so registers looked at before wgmma.wait_group
// hold old values under a lazy one.
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::WarpgroupInstruction;
using numerics::Format;

struct MmaForm {
  WarpgroupInstruction instruction;
  std::vector<Ref> d, a;
  Ref a_descriptor, b_descriptor, metadata, scale_d;
};

/// Descriptors and scale-d must not differ between lanes.
std::uint64_t uniform(const std::uint64_t* lanes, LaneMask active, const char* which) {
  const std::uint64_t value = lanes[machine::first_lane(active)];
  for_each_lane(active, [&](std::uint32_t lane) {
    if (lanes[lane] == value) return;
    throw Fault(FaultKind::undefined, "wgmma.descriptor",
                std::string("lanes of a warp give different descriptors of ") + which);
  });
  return value;
}

Flow mma_async(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  if (warp.cluster().arch() != Arch::sm_90) {
    throw Fault(FaultKind::illegal_instruction, "wgmma.arch",
                "wgmma exists on sm_90 only; run with --arch sm_90");
  }
  const MmaForm& form = info<MmaForm>(inst);
  machine::WarpgroupPart part;
  part.frame = warp.frame();
  part.b_descriptor = uniform(warp.in64(form.b_descriptor), active, "B");
  if (form.a.empty()) part.a_descriptor = uniform(warp.in64(form.a_descriptor), active, "A");
  for (const Ref r : form.a) {
    part.a.insert(part.a.end(), warp.in32(r), warp.in32(r) + kWarpLanes);
  }
  const LaneMask scale = warp.predicate(form.scale_d) & active;
  if (scale != 0 && scale != active) {
    throw Fault(FaultKind::undefined, "wgmma.scale-d", "scale-d differs between lanes of a warp");
  }
  part.read_d = scale != 0;
  if (form.instruction.sparse) {
    std::copy_n(warp.in32(form.metadata), kWarpLanes, part.metadata.begin());
  }
  warp.cta().warpgroups().join(warp.number(), form.instruction, std::move(part), warp.place());
  return Flow::next;
}

Flow fence(Warp& warp, const Inst&, LaneMask active) {
  return warp.gather_all(active);
}

Flow commit_group(Warp& warp, const Inst&, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  warp.cta().warpgroups().commit(warp.number());
  return Flow::next;
}

Flow wait_group(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  machine::WarpgroupUnit& unit = warp.cta().warpgroups();
  const std::uint64_t needed = unit.needed(warp.number(), inst.target);
  const std::uint64_t& issued = unit.issued(warp.number());
  if (issued < needed) {
    machine::Wait wait;
    wait.kind = machine::Wait::Kind::counter;
    wait.counter = &issued;
    wait.value = needed;
    wait.what = "the other warps of the warpgroup to issue their wgmma";
    return warp.wait(active, wait);
  }
  unit.wait(warp.number(), needed);
  return Flow::next;
}

void bind_wait_group(Binder& b) {
  b.inst().target = static_cast<std::uint32_t>(b.immediate_in(0, 0, 7));
  b.run(wait_group);
}

struct TypeRow {
  std::string_view name;
  Element element;
};

Element element_of(std::string_view name) {
  constexpr TypeRow kRows[] = {{"f16", Element::f16},   {"bf16", Element::bf16},
                               {"tf32", Element::tf32}, {"e4m3", Element::e4m3},
                               {"e5m2", Element::e5m2}, {"s8", Element::i8},
                               {"u8", Element::u8},     {"b1", Element::u8}};
  for (const TypeRow& row : kRows) {
    if (row.name == name) return row.element;
  }
  return Element::f16;
}

bool is_scaled(std::string_view a) {
  return a != "s8" && a != "u8" && a != "b1";
}

/// m64nNkK: N is a multiple of 8, of integers from 32 on a multiple of 16.
std::uint32_t shape_n(Binder& b, bool integer) {
  const std::string_view shape = b.modifiers["shape"];
  std::uint32_t n = 0;
  for (const char c : shape.substr(4, shape.find('k') - 4)) {
    n = std::min(n * 10 + static_cast<std::uint32_t>(c - '0'), 1000u);
  }
  const bool right = n >= 8 && n <= 256 && n % 8 == 0 && (!integer || n <= 32 || n % 16 == 0);
  if (!right) {
    b.fail("wgmma has no shape ." + std::string(shape),
           integer ? "N is 8, 16, 24, 32, 48, 64 .. 256" : "N is 8, 16, 24 .. 256");
  }
  return n;
}

/// imm-scale: 1 or -1; whether it negates.
bool bind_negation(Binder& b, const ptx::Operand& operand) {
  const auto value = b.immediate(operand);
  if (value == std::uint64_t{1}) return false;
  if (value == ~std::uint64_t{0} || value == std::uint64_t{0xFFFFFFFF}) return true;
  b.fail(operand, "the number 1 or -1 is expected");
}

Major bind_major(Binder& b, const ptx::Operand& operand) {
  const auto value = b.immediate(operand);
  if (!value || *value > 1) b.fail(operand, "the number 0 (K-major) or 1 (MN-major) is expected");
  return *value == 0 ? Major::k : Major::mn;
}

void bind_a(Binder& b, MmaForm& form) {
  const ptx::Operand& a = b.operand(1);
  if (a.kind != ptx::Operand::Kind::vector) {
    form.a_descriptor = b.in(a, Type::b64);
    return;
  }
  if (b.elements(a).size() != 4) b.fail(a, "A in registers takes four of them");
  for (const ptx::Operand& element : b.elements(a)) form.a.push_back(b.in(element, Type::b32));
}

void bind_d(Binder& b, MmaForm& form) {
  const bool half = form.instruction.mma.d == Format::f16;
  const std::uint32_t count = form.instruction.mma.n / (half ? 4 : 2);
  if (b.elements(0).size() != count) {
    b.fail(b.operand(0), "D takes " + std::to_string(count) + " registers, not " +
                             std::to_string(b.elements(0).size()));
  }
  for (const ptx::Operand& element : b.elements(0)) form.d.push_back(b.out(element, Type::b32));
}

void bind_sparse(Binder& b, OptionalOperands& more, MmaForm& form) {
  form.instruction.sparse = true;
  form.metadata = b.in(more.take("the metadata"), Type::b32);
  const ptx::Operand& selector = more.take("the sparsity selector");
  const auto value = b.immediate(selector);
  const std::uint64_t last = stored_bits(form.instruction.mma.a) == 8 ? 0 : 1;
  if (!value || *value > last) {
    b.fail(selector,
           "the sparsity selector of this shape is 0" + std::string(last == 1 ? " or 1" : ""));
  }
  form.instruction.selector = static_cast<std::uint32_t>(*value);
}

void bind_mma(Binder& b) {
  const std::string_view a = b.modifiers["a"], d = b.modifiers["d"];
  MmaForm& form = b.keep(MmaForm{});
  machine::WarpgroupMma& mma = form.instruction.mma;
  mma.a = element_of(a);
  mma.b = element_of(b.modifiers["b"]);
  mma.single_bit = a == "b1";
  mma.d = d == "f32" ? Format::f32 : d == "f16" ? Format::f16 : Format::s32;
  mma.n = shape_n(b, !is_scaled(a));
  mma.saturate = b.modifiers.has("satfinite");
  bind_d(b, form);
  bind_a(b, form);
  form.b_descriptor = b.in(2, Type::b64);
  OptionalOperands more(b, 3);
  if (b.modifiers.has("sp")) bind_sparse(b, more, form);
  form.scale_d = b.predicate(more.take("scale-d"));
  if (is_scaled(a)) {
    mma.negate_a = bind_negation(b, more.take("imm-scale-a"));
    mma.negate_b = bind_negation(b, more.take("imm-scale-b"));
  }
  if (a == "f16" || a == "bf16") {
    if (form.a.empty()) mma.a_major = bind_major(b, more.take("imm-trans-a"));
    mma.b_major = bind_major(b, more.take("imm-trans-b"));
  }
  more.finish();
  form.instruction.d = form.d;
  b.run(mma_async);
}

constexpr std::string_view kDense = "{d}, a, b, p, i?, j?, t?, u?";
constexpr std::string_view kSparse = "{d}, a, b, e, s, p, i?, j?, t?, u?";
constexpr std::string_view kSparseNote =
    "places of the metadata are CuTe's; measured with one nibble for all";

constexpr std::array kOps{
    Op{"wgmma", "fence sync aligned", "", [](Binder& b) { b.run(fence); },
       "registers used without it are not found"},
    Op{"wgmma", "commit_group sync aligned", "", [](Binder& b) { b.run(commit_group); }},
    Op{"wgmma", "wait_group sync aligned", "n", bind_wait_group},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k16 d=f16|f32 a=f16 b=f16", kDense, bind_mma},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k16 d=f32 a=bf16 b=bf16", kDense, bind_mma},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k8 d=f32 a=tf32 b=tf32", kDense, bind_mma},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k32 d=f16|f32 a=e4m3|e5m2 b=e4m3|e5m2", kDense,
       bind_mma},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k32 [satfinite] d=s32 a=s8|u8 b=s8|u8", kDense,
       bind_mma},
    Op{"wgmma", "mma_async sync aligned shape=m64n#k256 d=s32 a=b1 b=b1 and popc", kDense,
       bind_mma},
    Op{"wgmma", "mma_async sp sync aligned shape=m64n#k32 d=f16|f32 a=f16 b=f16", kSparse, bind_mma,
       kSparseNote},
    Op{"wgmma", "mma_async sp sync aligned shape=m64n#k32 d=f32 a=bf16 b=bf16", kSparse, bind_mma,
       kSparseNote},
    Op{"wgmma", "mma_async sp sync aligned shape=m64n#k16 d=f32 a=tf32 b=tf32", kSparse, bind_mma,
       kSparseNote},
    Op{"wgmma", "mma_async sp sync aligned shape=m64n#k64 d=f16|f32 a=e4m3|e5m2 b=e4m3|e5m2",
       kSparse, bind_mma, kSparseNote},
    Op{"wgmma", "mma_async sp sync aligned shape=m64n#k64 [satfinite] d=s32 a=s8|u8 b=s8|u8",
       kSparse, bind_mma, kSparseNote},
};

}  // namespace

std::span<const Op> wgmma_ops() {
  return kOps;
}

}  // namespace lc::isa
