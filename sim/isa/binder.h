#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/isa/modifiers.h"
#include "sim/machine/program.h"
#include "sim/machine/warp.h"
#include "sim/ptx/module.h"

namespace lc::isa {

using machine::Flow;
using machine::for_each_lane;
using machine::Inst;
using machine::kAllLanes;
using machine::kWarpLanes;
using machine::LaneMask;
using machine::LaneWidth;
using machine::Ref;
using machine::Warp;
using ptx::Type;

class FunctionBinder;

/// A register or constant whose width is not the instruction's.
struct Sized {
  Ref ref;
  LaneWidth width = LaneWidth::b32;
};

/// [base + offset] of a load, store or copy.  A name in place of a register is a constant base;
/// `frame` bases count from the thread-local bytes of the current call.
struct Address {
  Ref base;
  bool wide = true;  ///< base has 64-bit lanes
  bool frame = false;
  std::uint64_t offset = 0;  ///< two's complement

  std::uint64_t of(const Warp& warp, std::uint32_t lane) const {
    const std::uint64_t b = wide ? warp.in64(base)[lane] : warp.in32(base)[lane];
    return b + offset + (frame ? warp.local_base() : 0);
  }
  /// Addresses of all active lanes.  32-bit bases of shared memory wrap to 32 bits.
  void all(const Warp& warp, LaneMask active, std::uint64_t (&to)[kWarpLanes]) const;
};

/// State space of a name or of a modifier.
enum class NameSpace : std::uint8_t { none, global, constant, shared, local, param };

/// What a row's `bind` works with: one instruction, its modifiers, and the places of its operands.
/// All members throw ptx::ParseError with the operand's place when the text is wrong.
class Binder {
 public:
  Binder(FunctionBinder& function, const ptx::Instruction& instruction, const Modifiers& matched,
         Inst& inst)
      : modifiers(matched), function_(function), instruction_(instruction), inst_(inst) {}

  const Modifiers& modifiers;

  // Operands as written.
  std::size_t count() const { return operands().size(); }
  std::span<const ptx::Operand> operands() const;
  const ptx::Operand& operand(std::size_t i) const { return operands()[i]; }
  std::span<const ptx::Operand> children(const ptx::Operand& operand) const;
  bool has(std::size_t i) const { return i < count(); }

  // Places.  A source may be a register, a special register, a constant or the address of a
  // variable; constants are converted to `type`.  A destination may be `_`.  Registers must have
  // the width of `type` (16- and 8-bit types have 32-bit lanes, zero-extended).
  Ref in(const ptx::Operand& operand, Type type);
  Ref in(std::size_t i, Type type) { return in(operand(i), type); }
  Ref out(const ptx::Operand& operand, Type type);
  Ref out(std::size_t i, Type type) { return out(operand(i), type); }
  Ref predicate(const ptx::Operand& operand);  ///< negation included
  Ref predicate(std::size_t i) { return predicate(operand(i)); }
  Ref out_predicate(const ptx::Operand& operand);
  Ref out_predicate(std::size_t i) { return out_predicate(operand(i)); }
  /// A predicate that is always true; a place whose value nobody reads.
  Ref always();
  Ref scratch();
  Ref constant(std::uint64_t value, LaneWidth width);
  /// For cvt, ld, st and the like, whose registers may be wider than the type.
  Sized sized_in(const ptx::Operand& operand, Type type);
  Sized sized_out(const ptx::Operand& operand, Type type);
  /// First and second of `d|p`; the second may be missing.
  const ptx::Operand& first_of(std::size_t i) const;
  const ptx::Operand* second_of(std::size_t i) const;
  /// Elements of `{a, b}`; a single operand is a vector of one.
  std::span<const ptx::Operand> elements(const ptx::Operand& operand) const;
  std::span<const ptx::Operand> elements(std::size_t i) const { return elements(operand(i)); }
  /// Appends to the long list of the instruction; the first call starts it.
  void list(Ref ref);

  /// The address in `[…]`; `space` is what the instruction says about it.
  Address address(std::size_t i, NameSpace space = NameSpace::none);
  Address address(const ptx::Operand& operand, NameSpace space = NameSpace::none);
  /// What follows the commas inside the brackets: `[map, {c0, c1}]`.
  std::span<const ptx::Operand> after_address(std::size_t i) const;
  /// Which space the name in an address lies in; none for a register.
  NameSpace space_of_address(std::size_t i) const;

  /// The value of a constant operand; nothing for a register.
  std::optional<std::uint64_t> immediate(const ptx::Operand& operand) const;
  std::optional<std::uint64_t> immediate(std::size_t i) const { return immediate(operand(i)); }
  /// Throws unless the operand is a constant in [low, high].
  std::uint64_t immediate_in(std::size_t i, std::uint64_t low, std::uint64_t high) const;

  // The result.
  Inst& inst() { return inst_; }
  void run(machine::Handler handler) { inst_.run = handler; }
  /// Keeps a value for the handler, which reads it by `info<T>(inst)`.
  template <class T>
  T& keep(T value);

  [[noreturn]] void fail(const ptx::Operand& at, const std::string& problem,
                         const std::string& hint = {}) const;
  [[noreturn]] void fail(const std::string& problem, const std::string& hint = {}) const;

  FunctionBinder& function() { return function_; }
  const ptx::Instruction& instruction() const { return instruction_; }
  const ptx::Mnemonic& mnemonic() const;

 private:
  machine::InstInfo& keep_info(std::unique_ptr<machine::InstInfo> info, const void* value);

  FunctionBinder& function_;
  const ptx::Instruction& instruction_;
  Inst& inst_;
};

template <class T>
struct Kept : machine::InstInfo {
  explicit Kept(T v) : value(std::move(v)) {}
  T value;
};

template <class T>
T& Binder::keep(T value) {
  auto kept = std::make_unique<Kept<T>>(std::move(value));
  T& stored = kept->value;
  keep_info(std::move(kept), &stored);
  return stored;
}

template <class T>
const T& info(const Inst& inst) {
  return *static_cast<const T*>(inst.info);
}

/// Width of the lanes that a register of the type has.
LaneWidth lane_width(Type type);

}  // namespace lc::isa
