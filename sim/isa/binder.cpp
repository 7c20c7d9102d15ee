#include "sim/isa/binder.h"

#include <bit>
#include <cmath>

#include "sim/isa/function_binder.h"
#include "sim/isa/special.h"
#include "sim/machine/address_map.h"
#include "sim/numerics/minifloat.h"

namespace lc::isa {
namespace {

using ptx::Operand;

std::uint64_t low_bits(std::uint32_t bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// The bits of a number that is written in the text, as a register of `type` has them.
std::optional<std::uint64_t> converted(const ptx::Constant& c, Type type) {
  using Kind = ptx::Constant::Kind;
  const std::uint32_t bits = ptx::row_of(type).bits;
  switch (type) {
    case Type::f64:
      if (c.kind == Kind::f64) return c.bits;
      if (c.kind == Kind::f32) {
        return std::bit_cast<std::uint64_t>(
            double{std::bit_cast<float>(static_cast<std::uint32_t>(c.bits))});
      }
      return std::bit_cast<std::uint64_t>(static_cast<double>(c.as_signed()));
    case Type::f32:
      if (c.kind == Kind::f32) return c.bits;
      if (c.kind == Kind::f64) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(c.as_double()));
      }
      return c.bits & 0xFFFFFFFF;
    default:
      if (c.kind == Kind::f64 && bits == 32) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(c.as_double()));
      }
      if (c.kind == Kind::f64 && bits != 64) return std::nullopt;
      return c.bits & low_bits(bits);
  }
}

bool is_register(const Operand& o) {
  return o.kind == Operand::Kind::reg;
}

}  // namespace

LaneWidth lane_width(Type type) {
  const std::uint32_t bits = ptx::row_of(type).bits;
  if (type == Type::pred) return LaneWidth::predicate;
  if (bits <= 32) return LaneWidth::b32;
  return bits == 64 ? LaneWidth::b64 : LaneWidth::b128;
}

void Address::all(const Warp& warp, LaneMask active, std::uint64_t (&to)[kWarpLanes]) const {
  const std::uint64_t add = offset + (frame ? warp.local_base() : 0);
  if (wide) {
    const std::uint64_t* b = warp.in64(base);
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) to[lane] = b[lane] + add;
  } else {
    const std::uint32_t* b = warp.in32(base);
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      to[lane] = static_cast<std::uint32_t>(b[lane] + add);
    }
  }
  static_cast<void>(active);
}

std::span<const Operand> Binder::operands() const {
  return function_.ptx().operands_of(instruction_);
}

std::span<const Operand> Binder::children(const Operand& operand) const {
  return function_.ptx().children_of(operand);
}

const ptx::Mnemonic& Binder::mnemonic() const {
  return function_.module().mnemonic_of(instruction_);
}

void Binder::fail(const Operand& at, const std::string& problem, const std::string& hint) const {
  function_.fail(at.at.line != 0 ? at.at : instruction_.span.at, problem, hint);
}

void Binder::fail(const std::string& problem, const std::string& hint) const {
  function_.fail(instruction_.span.at, problem, hint);
}

machine::InstInfo& Binder::keep_info(std::unique_ptr<machine::InstInfo> info, const void* value) {
  inst_.info = value;
  return function_.program().keep(std::move(info));
}

Ref Binder::constant(std::uint64_t value, LaneWidth width) {
  return function_.program().constant(value, 0, width);
}

Ref Binder::always() {
  return constant(kAllLanes, LaneWidth::predicate);
}

Ref Binder::scratch() {
  return function_.hidden("_", LaneWidth::b128);
}

Sized Binder::sized_in(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      if (operand.negated || operand.minus) fail(operand, "a negated operand is not taken here");
      const LaneWidth width = function_.width_at(operand.index);
      if (width == LaneWidth::predicate) {
        fail(operand, ptx::quoted(operand.name) + " is a predicate");
      }
      return {function_.register_at(operand.index), width};
    }
    case Operand::Kind::special:
      return special_register(*this, operand);
    case Operand::Kind::constant: {
      const auto value = converted(operand.constant(), type);
      if (!value) {
        fail(operand, "a floating-point constant for an operand of type ." +
                          std::string(ptx::row_of(type).name));
      }
      return {constant(*value, lane_width(type)), lane_width(type)};
    }
    case Operand::Kind::variable: {
      const FunctionBinder::Named name = function_.named(operand);
      if (name.frame) fail(operand, "the address of a local variable is read with mov");
      if (name.space == NameSpace::shared) {
        const auto offset = static_cast<std::uint32_t>(name.address + operand.value);
        return {
            function_.program().special(machine::Special::shared_address, lane_width(type), offset),
            lane_width(type)};
      }
      return {constant(name.address + operand.value, lane_width(type)), lane_width(type)};
    }
    case Operand::Kind::function:
      return {constant(function_.program().function_address(operand.index), lane_width(type)),
              lane_width(type)};
    default:
      fail(operand, "this operand is no register and no number");
  }
}

Ref Binder::in(const Operand& operand, Type type) {
  const Sized s = sized_in(operand, type);
  if (s.width != lane_width(type)) {
    fail(operand, ptx::quoted(operand.name) + " has lanes of " +
                      std::to_string(static_cast<int>(s.width) * 8) + " bits, the instruction's ." +
                      std::string(ptx::row_of(type).name) + " those of " +
                      std::to_string(static_cast<int>(lane_width(type)) * 8));
  }
  return s.ref;
}

Sized Binder::sized_out(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::sink) return {scratch(), lane_width(type)};
  if (!is_register(operand)) fail(operand, "a result goes to a register");
  const LaneWidth width = function_.width_at(operand.index);
  if (width == LaneWidth::predicate) fail(operand, ptx::quoted(operand.name) + " is a predicate");
  return {function_.register_at(operand.index), width};
}

Ref Binder::out(const Operand& operand, Type type) {
  const Sized s = sized_out(operand, type);
  if (s.width != lane_width(type)) {
    fail(operand, ptx::quoted(operand.name) + " has lanes of " +
                      std::to_string(static_cast<int>(s.width) * 8) + " bits, the instruction's ." +
                      std::string(ptx::row_of(type).name) + " those of " +
                      std::to_string(static_cast<int>(lane_width(type)) * 8));
  }
  return s.ref;
}

Ref Binder::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::constant) {
    const bool value = (operand.value != 0) != operand.negated;
    return constant(value ? kAllLanes : 0, LaneWidth::predicate);
  }
  if (operand.kind == Operand::Kind::special) {
    Sized s = special_register(*this, operand);
    if (s.width != LaneWidth::predicate) fail(operand, "a predicate is expected");
    s.ref.negated = operand.negated;
    return s.ref;
  }
  if (!is_register(operand) || function_.width_at(operand.index) != LaneWidth::predicate) {
    fail(operand, "a predicate is expected");
  }
  Ref r = function_.register_at(operand.index);
  r.negated = operand.negated;
  return r;
}

Ref Binder::out_predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::sink) return scratch();
  if (operand.negated || !is_register(operand) ||
      function_.width_at(operand.index) != LaneWidth::predicate) {
    fail(operand, "a predicate register is expected for the result");
  }
  return function_.register_at(operand.index);
}

const Operand& Binder::first_of(std::size_t i) const {
  const Operand& o = operand(i);
  return o.kind == Operand::Kind::pair ? children(o)[0] : o;
}

const Operand* Binder::second_of(std::size_t i) const {
  const Operand& o = operand(i);
  return o.kind == Operand::Kind::pair ? &children(o)[1] : nullptr;
}

std::span<const Operand> Binder::elements(const Operand& operand) const {
  if (operand.kind == Operand::Kind::vector) return children(operand);
  return {&operand, 1};
}

void Binder::list(Ref ref) {
  std::vector<Ref>& refs = function_.code().refs;
  if (inst_.count == 0) inst_.first = static_cast<std::uint32_t>(refs.size());
  refs.push_back(ref);
  ++inst_.count;
}

namespace {

/// The base of `[base + offset, …]`, or the array of `name[index]`.
const Operand& base_of(const Binder& b, const Operand& operand) {
  if (operand.kind != Operand::Kind::address && operand.kind != Operand::Kind::element) {
    b.fail(operand, "an address in brackets is expected");
  }
  return b.children(operand)[0];
}

}  // namespace

Address Binder::address(const Operand& operand, NameSpace) {
  const Operand& base = base_of(*this, operand);
  Address a;
  a.offset = operand.value;
  if (operand.kind == Operand::Kind::element) {
    const Operand& index = children(operand)[1];
    if (index.kind != Operand::Kind::constant) {
      fail(operand, "an array is indexed by a number here", "compute the address in a register");
    }
    a.offset += index.value * function_.element_size(base);
  }
  switch (base.kind) {
    case Operand::Kind::reg:
    case Operand::Kind::special: {
      const Sized s = sized_in(base, Type::b64);
      if (s.width == LaneWidth::b128) fail(base, "an address has 32 or 64 bits");
      a.base = s.ref;
      a.wide = s.width == LaneWidth::b64;
      return a;
    }
    case Operand::Kind::constant:
      a.base = constant(0, LaneWidth::b64);
      a.offset += base.value;
      return a;
    case Operand::Kind::variable: {
      const FunctionBinder::Named name = function_.named(base);
      a.wide = name.space != NameSpace::shared;
      a.base = a.wide
                   ? constant(0, LaneWidth::b64)
                   : function_.program().special(machine::Special::shared_address, LaneWidth::b32);
      a.frame = name.frame;
      a.offset += name.address + base.value;
      return a;
    }
    default:
      fail(base, "an address begins with a register, a variable or a number");
  }
}

Address Binder::address(std::size_t i, NameSpace space) {
  return address(operand(i), space);
}

std::span<const Operand> Binder::after_address(std::size_t i) const {
  return children(operand(i)).subspan(1);
}

NameSpace Binder::space_of_address(std::size_t i) const {
  const Operand& base = base_of(*this, operand(i));
  if (base.kind != Operand::Kind::variable) return NameSpace::none;
  return function_.named(base).space;
}

std::optional<std::uint64_t> Binder::immediate(const Operand& operand) const {
  if (operand.kind != Operand::Kind::constant) return std::nullopt;
  return operand.value;
}

std::uint64_t Binder::immediate_in(std::size_t i, std::uint64_t low, std::uint64_t high) const {
  const auto value = immediate(operand(i));
  if (!value || *value < low || *value > high) {
    fail(operand(i),
         "a number from " + std::to_string(low) + " to " + std::to_string(high) + " is expected");
  }
  return *value;
}

}  // namespace lc::isa
