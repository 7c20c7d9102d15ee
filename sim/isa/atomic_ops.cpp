#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"
#include "sim/isa/location.h"
#include "sim/isa/reduction_names.h"
#include "sim/machine/generic_address.h"

// atom and red (PTX ISA 9.0, 9.7.13.5 and 9.7.13.6).  Lanes of a warp take their turns from lane 0
// up; on hardware any order is possible.
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::ReductionType;
using machine::Wait;

enum class Kind : std::uint8_t { combine, exchange, compare_and_swap };

/// One element of the operands; 128-bit ones have two words a lane.
struct Element {
  Ref result, source, swap;
};

struct Atomic {
  Location location;
  Kind kind = Kind::combine;
  TmaOperation operation = TmaOperation::add;
  ReductionType type = ReductionType::u32;
  bool flushes = false;  ///< f32: subnormals become 0 in global memory
  std::uint32_t element_bytes = 4;
  std::uint32_t parts = 1;  ///< of an element that are combined each by itself: 2 of f16x2
  bool has_result = false;
  LaneWidth width = LaneWidth::b32;
  std::vector<Element> elements;
};

struct Words {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Words&) const = default;
};

Words register_words(const Warp& warp, Ref r, LaneWidth width, std::uint32_t lane) {
  if (width == LaneWidth::b32) return {warp.in32(r)[lane], 0};
  if (width == LaneWidth::b64) return {warp.in64(r)[lane], 0};
  return {warp.in64(r)[2 * lane], warp.in64(r)[2 * lane + 1]};
}

void set_register(const Warp& warp, Ref r, LaneWidth width, std::uint32_t lane, const Words& w) {
  if (width == LaneWidth::b32) {
    warp.out32(r)[lane] = static_cast<std::uint32_t>(w.low);
  } else if (width == LaneWidth::b64) {
    warp.out64(r)[lane] = w.low;
  } else {
    warp.out64(r)[2 * lane] = w.low;
    warp.out64(r)[2 * lane + 1] = w.high;
  }
}

std::uint64_t combined(const Atomic& a, bool in_global, std::uint64_t old, std::uint64_t source) {
  const ReductionType type = a.flushes && in_global ? ReductionType::f32_ftz : a.type;
  if (a.parts == 1) {
    const std::uint64_t sum = machine::reduced(a.operation, type, old, source);
    // In shared memory NaNs come out quiet (H200: measured).
    const bool nan = type == ReductionType::f64 && (sum << 1) > 0xFFE0000000000000;
    return nan && !in_global ? sum | std::uint64_t{1} << 51 : sum;
  }
  const std::uint64_t low = machine::reduced(a.operation, type, old & 0xFFFF, source & 0xFFFF);
  const std::uint64_t high =
      machine::reduced(a.operation, type, old >> 16 & 0xFFFF, source >> 16 & 0xFFFF);
  return low | high << 16;
}

Words after(const Atomic& a, bool in_global, const Words& old, const Words& source,
            const Words& swap) {
  switch (a.kind) {
    case Kind::exchange:
      return source;
    case Kind::compare_and_swap:
      return old == source ? swap : old;
    case Kind::combine:
      break;
  }
  return {combined(a, in_global, old.low, source.low), 0};
}

bool is_global(Window window, std::uint64_t address) {
  if (window == Window::generic) {
    return machine::from_generic(address).space == machine::Space::global;
  }
  return window == Window::global;
}

/// What an atomic did: one that changed nothing and found again what its registers hold may be a
/// loop that waits for somebody.
struct Outcome {
  bool wrote = false, news = false;
};

void one_lane(Warp& warp, const Atomic& a, std::uint64_t address, std::byte* at, std::uint32_t lane,
              Outcome& outcome) {
  const bool in_global = is_global(a.location.window, address);
  for (const Element& e : a.elements) {
    Words old;
    std::memcpy(&old, at, a.element_bytes);
    Words source = register_words(warp, e.source, a.width, lane);
    Words swap;
    if (a.kind == Kind::compare_and_swap) swap = register_words(warp, e.swap, a.width, lane);
    if (a.element_bytes == 2) source.low &= 0xFFFF;
    const Words now = after(a, in_global, old, source, swap);
    std::memcpy(at, &now, a.element_bytes);
    outcome.wrote |= std::memcmp(&now, &old, a.element_bytes) != 0;
    if (a.has_result) {
      outcome.news |= register_words(warp, e.result, a.width, lane) != old;
      set_register(warp, e.result, a.width, lane, old);
    }
    at += a.element_bytes;
  }
}

Flow atomic(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& a = info<Atomic>(inst);
  std::uint64_t addresses[kWarpLanes];
  a.location.of(warp, active, addresses);
  if (!warp.cluster().has_turn() && touches_global(a.location.window, active, addresses)) {
    return warp.wait(active, {.kind = Wait::Kind::turn});
  }
  const auto bytes = a.element_bytes * static_cast<std::uint32_t>(a.elements.size());
  const Window window = a.location.window;
  const LaneBytes all = bytes_of_lanes(warp, window, active, addresses, bytes, Access::write);
  Outcome outcome;
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::uint64_t address = addresses[lane];
    std::byte* at = all.base != nullptr
                        ? all.of(lane, address)
                        : warp.at(window, address, bytes, bytes, Access::write, lane);
    one_lane(warp, a, address, at, lane, outcome);
  });
  const bool comes_back = warp.comes_back_to(addresses[machine::first_lane(active)]);
  const bool nothing_new = a.has_result && !outcome.wrote && !outcome.news && comes_back;
  // Nothing was written: doing it again after the others ran is as good.
  if (nothing_new && !warp.polled()) {
    return warp.wait(active, {.kind = Wait::Kind::poll, .what = "a polled value"});
  }
  if (!nothing_new) warp.cluster().changed();
  warp.note_access(a.location.window, Access::write, true, bytes, active, addresses);
  return Flow::next;
}

// Binding.

/// Vectors lie in global memory; .v8 has 16-bit elements.
void check_vector(Binder& b, std::uint32_t count, std::uint32_t element_bytes) {
  const std::string_view space = b.modifiers["ss"];
  if (count == 1) return;
  if (!(space.empty() || space == "global")) b.fail("vector atomics go to global memory only");
  if (count == 8 && element_bytes != 2) b.fail("`.v8` has elements of 16 bits", ".v4");
}

Element element(Binder& b, const Atomic& a, std::size_t first, std::size_t i, Type type) {
  Element e;
  if (a.has_result) e.result = b.out(b.elements(0)[i], type);
  e.source = b.in(b.elements(first + 1)[i], type);
  if (a.kind == Kind::compare_and_swap) e.swap = b.in(b.elements(first + 2)[i], type);
  return e;
}

void bind_atomic(Binder& b) {
  const Modifiers& m = b.modifiers;
  const Type type = m.type();
  const std::uint32_t count = m["vec"].empty() ? 1 : m.number("vec");
  Atomic a;
  a.has_result = b.mnemonic().opcode == "atom";
  const std::size_t address = a.has_result ? 1 : 0;
  a.kind = m["op"] == "exch"  ? Kind::exchange
           : m["op"] == "cas" ? Kind::compare_and_swap
                              : Kind::combine;
  if (a.kind == Kind::combine) a.operation = operation_named(m["op"]);
  a.type = reduction_of(type);
  a.flushes = type == Type::f32;
  a.element_bytes = ptx::row_of(type).bits / 8;
  a.parts = type == Type::f16x2 || type == Type::bf16x2 ? 2 : 1;
  a.width = lane_width(type);
  check_vector(b, count, a.element_bytes);
  a.location = locate(b, address, m["ss"]);
  for (std::size_t i = a.has_result ? 0 : 1; i < b.count(); ++i) {
    if (i == address || i > address + (a.kind == Kind::compare_and_swap ? 2u : 1u)) continue;
    if (b.elements(i).size() == count) continue;
    if (count > 1 && b.operand(i).kind == ptx::Operand::Kind::sink) continue;
    b.fail(b.operand(i), std::to_string(count) + " registers are expected here");
  }
  for (std::size_t i = 0; i < count; ++i) a.elements.push_back(element(b, a, address, i, type));
  bind_cache_policy(b, address + (a.kind == Kind::compare_and_swap ? 3 : 2));
  b.keep(std::move(a));
  b.run(atomic);
}

#define LC_SCOPES "[scope=cta|cluster|gpu|sys] "
#define LC_ANY "[ss=global|shared|shared::cta|shared::cluster] "
#define LC_ATOM "[relaxed|acquire|release|acq_rel] " LC_SCOPES
#define LC_RED "[relaxed|release] " LC_SCOPES
#define LC_HINT "[L2::cache_hint] "

// The rows that atom and red share.
#define LC_COMBINE(NAME, SEM, FORM)                                                                \
  Op{NAME, SEM LC_ANY "op=add " LC_HINT "type=u32|s32|u64|s64|f32|f64", FORM, bind_atomic},        \
      Op{NAME, SEM LC_ANY "op=min|max " LC_HINT "type=u32|s32|u64|s64", FORM, bind_atomic},        \
      Op{NAME, SEM LC_ANY "op=inc|dec " LC_HINT "type=u32", FORM, bind_atomic},                    \
      Op{NAME, SEM LC_ANY "op=and|or|xor " LC_HINT "type=b32|b64", FORM, bind_atomic},             \
      Op{NAME, SEM LC_ANY "op=add noftz " LC_HINT "type=f16|f16x2|bf16|bf16x2", FORM,              \
         bind_atomic},                                                                             \
      Op{NAME, SEM "[ss=global] op=add " LC_HINT "vec=v2|v4 type=f32", FORM, bind_atomic}, Op {    \
    NAME,                                                                                          \
        SEM "[ss=global] op=add|min|max noftz " LC_HINT "vec=v2|v4|v8 type=f16|f16x2|bf16|bf16x2", \
        FORM, bind_atomic                                                                          \
  }

constexpr std::array kOps{
    LC_COMBINE("atom", LC_ATOM, "d, [a], b, policy?"),
    Op{"atom", LC_ATOM LC_ANY "op=exch " LC_HINT "type=b32|b64|b128", "d, [a], b, policy?",
       bind_atomic},
    Op{"atom", LC_ATOM LC_ANY "op=cas type=b16|b32|b64|b128", "d, [a], b, c", bind_atomic},
    LC_COMBINE("red", LC_RED, "[a], b, policy?"),
};

}  // namespace

std::span<const Op> atomic_ops() {
  return kOps;
}

}  // namespace lc::isa
