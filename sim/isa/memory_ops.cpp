#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "sim/isa/families.h"
#include "sim/isa/function_binder.h"
#include "sim/isa/lanewise.h"
#include "sim/isa/location.h"

// ld, ldu and st (PTX ISA 9.0, 9.7.9.8 - 9.7.9.11).  Cache operators, eviction priorities, prefetch
// sizes and cache policies change no value and are only checked.
namespace lc::isa {
namespace {

using machine::Fault;
using machine::FaultKind;
using machine::Wait;

struct Bits128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Bits128&) const = default;
};

/// A register of a load or store.
struct Element {
  Ref ref;
  LaneWidth width = LaneWidth::b32;
  std::uint32_t mask = ~0u;  ///< the bits that a register in 32-bit lanes has
  bool skipped = false;      ///< `_`
};

struct Transfer {
  Location location;
  std::uint32_t bytes = 0;  ///< of all elements: the alignment too
  std::vector<Element> elements;
  bool ordered = false;     ///< volatile, or relaxed and stronger: what other threads do is seen
  bool needs_turn = false;  ///< … of other clusters too, where it goes to global memory
};

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// A value of a type in a register of at least its width: signed ones keep their sign.
template <class W, class T>
W widened(T value) {
  if constexpr (std::is_same_v<T, Bits128>) {
    return static_cast<W>(value.low);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<W>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<W>(value);
  }
}

template <class T>
Bits128 widened_128(T value) {
  if constexpr (std::is_same_v<T, Bits128>) {
    return value;
  } else {
    const auto low = widened<std::uint64_t>(value);
    return {low, std::is_signed_v<T> && low >> 63 != 0 ? ~std::uint64_t{0} : 0};
  }
}

/// Calls `f(register word, loaded word)` for every lane of every element.
template <class T, class At, class F>
void each_word(Warp& warp, const Transfer& t, LaneMask active, const At& at, const F& f) {
  for (std::size_t i = 0; i < t.elements.size(); ++i) {
    const Element& e = t.elements[i];
    if (e.skipped) continue;
    const std::size_t skip = i * sizeof(T);
    if (e.width == LaneWidth::b32) {
      std::uint32_t* d = warp.out32(e.ref);
      over_lanes(active, [&](std::uint32_t lane) {
        f(d[lane], widened<std::uint32_t>(read<T>(at(lane) + skip)) & e.mask);
      });
    } else if (e.width == LaneWidth::b64) {
      std::uint64_t* d = warp.out64(e.ref);
      over_lanes(active, [&](std::uint32_t lane) {
        f(d[lane], widened<std::uint64_t>(read<T>(at(lane) + skip)));
      });
    } else {
      auto* d = reinterpret_cast<Bits128*>(warp.out64(e.ref));
      over_lanes(active,
                 [&](std::uint32_t lane) { f(d[lane], widened_128(read<T>(at(lane) + skip))); });
    }
  }
}

/// Loads into the registers, or waits: a load that sees what other threads do, comes back to an
/// address and finds again what its registers hold is a polling loop, and lets the others run
/// first.
template <class T, class At>
Flow load_from(Warp& warp, const Transfer& t, LaneMask active, const At& at, bool comes_back) {
  if (t.ordered && !warp.polled()) {
    bool same = comes_back;
    each_word<T>(warp, t, active, at, [&](const auto& d, const auto& v) { same &= d == v; });
    if (same) return warp.wait(active, {.kind = Wait::Kind::poll, .what = "a polled value"});
    warp.cluster().changed();
  }
  each_word<T>(warp, t, active, at, [](auto& d, const auto& v) { d = v; });
  return Flow::next;
}

template <class T, class At>
void store_to(Warp& warp, const Transfer& t, LaneMask active, const At& at) {
  const auto put = [](std::byte* to, const auto& word) { std::memcpy(to, &word, sizeof(T)); };
  for (std::size_t i = 0; i < t.elements.size(); ++i) {
    const Element& e = t.elements[i];
    if (e.skipped) continue;
    const std::size_t skip = i * sizeof(T);
    if (e.width == LaneWidth::b128) {
      const auto* s = reinterpret_cast<const Bits128*>(warp.in64(e.ref));
      over_lanes(active, [&](std::uint32_t lane) { put(at(lane) + skip, s[lane]); });
    } else if constexpr (sizeof(T) <= 8) {
      if (e.width == LaneWidth::b64) {
        const std::uint64_t* s = warp.in64(e.ref);
        over_lanes(active, [&](std::uint32_t lane) { put(at(lane) + skip, s[lane]); });
      } else if constexpr (sizeof(T) <= 4) {
        const std::uint32_t* s = warp.in32(e.ref);
        over_lanes(active, [&](std::uint32_t lane) { put(at(lane) + skip, s[lane]); });
      }
    }
  }
}

/// 32-byte accesses exist for global memory only.
void check_wide(const Transfer& t, LaneMask active, const std::uint64_t (&addresses)[kWarpLanes]) {
  if (t.bytes <= 16 || t.location.window != Window::generic) return;
  for_each_lane(active, [&](std::uint32_t lane) {
    if (machine::from_generic(addresses[lane]).space == machine::Space::global) return;
    throw Fault(
        FaultKind::invalid_address_space, "memory.wide",
        "an access of 32 bytes goes to global memory only, not to " + machine::hex(addresses[lane]),
        addresses[lane]);
  });
}

/// Calls `work(at)` with `at(lane)` the host memory of a lane.
template <class Work>
auto with_bytes(Warp& warp, const Transfer& t, LaneMask active,
                const std::uint64_t (&addresses)[kWarpLanes], Access access, const Work& work) {
  const Window window = t.location.window;
  const LaneBytes all = bytes_of_lanes(warp, window, active, addresses, t.bytes, access);
  if (all.base != nullptr) {
    return work([&](std::uint32_t lane) { return all.of(lane, addresses[lane]); });
  }
  std::byte* each[kWarpLanes] = {};
  for_each_lane(active, [&](std::uint32_t lane) {
    each[lane] = warp.at(window, addresses[lane], t.bytes, t.bytes, access, lane);
  });
  return work([&](std::uint32_t lane) { return each[lane]; });
}

template <class T>
Flow load(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& t = info<Transfer>(inst);
  std::uint64_t addresses[kWarpLanes];
  t.location.of(warp, active, addresses);
  check_wide(t, active, addresses);
  if (t.needs_turn && !warp.cluster().has_turn() &&
      touches_global(t.location.window, active, addresses)) {
    return warp.wait(active, {.kind = Wait::Kind::turn});
  }
  const bool comes_back = t.ordered && warp.comes_back_to(addresses[machine::first_lane(active)]);
  const Flow flow = with_bytes(warp, t, active, addresses, Access::read, [&](const auto& at) {
    return load_from<T>(warp, t, active, at, comes_back);
  });
  if (flow == Flow::next) {
    warp.note_access(t.location.window, Access::read, false, t.bytes, active, addresses);
  }
  return flow;
}

template <class T>
Flow store(Warp& warp, const Inst& inst, LaneMask active) {
  const auto& t = info<Transfer>(inst);
  std::uint64_t addresses[kWarpLanes];
  t.location.of(warp, active, addresses);
  check_wide(t, active, addresses);
  if (t.needs_turn && !warp.cluster().has_turn() &&
      touches_global(t.location.window, active, addresses)) {
    return warp.wait(active, {.kind = Wait::Kind::turn});
  }
  with_bytes(warp, t, active, addresses, Access::write, [&](const auto& at) {
    store_to<T>(warp, t, active, at);
    return 0;
  });
  if (t.location.window != Window::local) warp.cluster().changed();
  warp.note_access(t.location.window, Access::write, false, t.bytes, active, addresses);
  return Flow::next;
}

// Binding.

void check_ordering(Binder& b, bool is_load) {
  const Modifiers& m = b.modifiers;
  const std::string_view sem = m["sem"], scope = m["scope"], space = m["ss"];
  const bool scoped = sem == "relaxed" || sem == "acquire" || sem == "release";
  if (scoped && scope.empty()) {
    b.fail("`." + std::string(sem) + "` comes with a scope", "one of .cta, .cluster, .gpu, .sys");
  }
  if (!scoped && !scope.empty()) {
    b.fail("a scope without an ordering",
           is_load ? "add .relaxed or .acquire" : "add .relaxed or .release");
  }
  if (m.has("mmio") &&
      (sem != "relaxed" || scope != "sys" || !(space.empty() || space == "global"))) {
    b.fail("`.mmio` is `.mmio.relaxed.sys`, in global memory");
  }
  if ((scoped || sem == "volatile") && !m["cop"].empty()) {
    b.fail("cache operators are for weak accesses only", "remove ." + std::string(m["cop"]));
  }
  if (scoped && (space == "local" || space == "const" || space.substr(0, 5) == "param")) {
    b.fail("`." + std::string(sem) + "` goes to global and shared memory only");
  }
  if (m.has("nc") && (space != "global" || !(sem.empty() || sem == "weak"))) {
    b.fail("`.nc` is for weak loads of global memory", "ld.global.nc");
  }
}

/// .v8 has 32-bit elements, .v4 of 64-bit ones takes 32 bytes too, and both only global memory.
void check_vector(Binder& b, std::uint32_t bits, std::uint32_t count) {
  const std::string_view space = b.modifiers["ss"];
  if (bits == 128 && count > 1) b.fail("there are no vectors of 128-bit elements");
  if (count == 8 && bits != 32) b.fail("`.v8` has elements of 32 bits", ".v8.b32");
  if (bits * count > 128 && !(space.empty() || space == "global")) {
    b.fail("32 bytes at once come from or go to global memory only",
           bits == 32 ? "two accesses of .v4" : "two accesses of .v2");
  }
}

Element element(Binder& b, const ptx::Operand& operand, Type type, bool is_load) {
  Element e;
  if (operand.kind == ptx::Operand::Kind::sink) {
    e.skipped = true;
    return e;
  }
  const Sized s = is_load ? b.sized_out(operand, type) : b.sized_in(operand, type);
  e.ref = s.ref;
  e.width = s.width;
  if (operand.kind != ptx::Operand::Kind::reg) return e;
  const std::uint32_t bits = b.function().bits_at(operand.index);
  if (bits < ptx::row_of(type).bits) {
    b.fail(operand, ptx::quoted(operand.name) + " has " + std::to_string(bits) +
                        " bits, fewer than the type's " + std::to_string(ptx::row_of(type).bits));
  }
  if (bits < 32) e.mask = (1u << bits) - 1;
  return e;
}

Transfer& bind_transfer(Binder& b, std::size_t address, std::size_t data, bool is_load) {
  const Type type = b.modifiers.type();
  const std::uint32_t bits = ptx::row_of(type).bits;
  const std::uint32_t count = b.modifiers["vec"].empty() ? 1 : b.modifiers.number("vec");
  check_ordering(b, is_load);
  check_vector(b, bits, count);
  Transfer t;
  t.location = locate(b, address, b.modifiers["ss"]);
  t.bytes = bits / 8 * count;
  const auto elements = b.elements(data);
  if (elements.size() != count) {
    b.fail(b.operand(data), std::to_string(elements.size()) + " registers where the type has " +
                                std::to_string(count) + " elements");
  }
  for (const ptx::Operand& o : elements) t.elements.push_back(element(b, o, type, is_load));
  const std::string_view sem = b.modifiers["sem"];
  t.ordered = !(sem.empty() || sem == "weak");
  t.needs_turn = t.ordered && b.modifiers["scope"] != "cta";
  return b.keep(std::move(t));
}

void bind_load(Binder& b) {
  bind_transfer(b, 1, 0, true);
  bind_cache_policy(b, 2);
  switch (b.modifiers.type()) {
    case Type::s8:
      return b.run(load<std::int8_t>);
    case Type::b8:
    case Type::u8:
      return b.run(load<std::uint8_t>);
    case Type::s16:
      return b.run(load<std::int16_t>);
    case Type::b16:
    case Type::u16:
      return b.run(load<std::uint16_t>);
    case Type::s32:
      return b.run(load<std::int32_t>);
    case Type::b64:
    case Type::u64:
    case Type::f64:
      return b.run(load<std::uint64_t>);
    case Type::s64:
      return b.run(load<std::int64_t>);
    case Type::b128:
      return b.run(load<Bits128>);
    default:
      return b.run(load<std::uint32_t>);
  }
}

void bind_store(Binder& b) {
  bind_transfer(b, 0, 1, false);
  bind_cache_policy(b, 2);
  switch (ptx::row_of(b.modifiers.type()).bits) {
    case 8:
      return b.run(store<std::uint8_t>);
    case 16:
      return b.run(store<std::uint16_t>);
    case 32:
      return b.run(store<std::uint32_t>);
    case 64:
      return b.run(store<std::uint64_t>);
    default:
      return b.run(store<Bits128>);
  }
}

#define LC_MEMORY_TYPES "type=b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define LC_SCOPES "[scope=cta|cluster|gpu|sys] "
#define LC_EVICTION                                                                        \
  "[L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate] " \
  "[L2::evict_normal|L2::evict_first|L2::evict_last] [L2::cache_hint] "

constexpr std::array kOps{
    Op{"ld",
       "[sem=weak|volatile|relaxed|acquire] [mmio] " LC_SCOPES
       "[ss=const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster] "
       "[cop=ca|cg|cs|lu|cv] [nc] " LC_EVICTION
       "[L2::64B|L2::128B|L2::256B] [vec=v2|v4|v8] " LC_MEMORY_TYPES,
       "d, [a], policy?", bind_load},
    Op{"ldu", "[ss=global] [vec=v2|v4] " LC_MEMORY_TYPES, "d, [a]", bind_load},
    Op{"st",
       "[sem=weak|volatile|relaxed|release] [mmio] " LC_SCOPES
       "[ss=global|local|param|param::func|shared|shared::cta|shared::cluster] "
       "[cop=wb|cg|cs|wt] " LC_EVICTION "[vec=v2|v4|v8] " LC_MEMORY_TYPES,
       "[a], b, policy?", bind_store},
};

}  // namespace

std::span<const Op> memory_ops() {
  return kOps;
}

}  // namespace lc::isa
