#include "sim/isa/function_binder.h"

#include <algorithm>

#include "sim/isa/calls.h"
#include "sim/isa/instruction_table.h"
#include "sim/machine/address_map.h"
#include "sim/machine/local_memory.h"
#include "sim/machine/shared_memory.h"

namespace lc::isa {
namespace {

using machine::FunctionCode;
using machine::ParameterPlace;
using ptx::Operand;

constexpr std::uint32_t kMaxFrameBytes = 1u << 28;

std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

NameSpace name_space(ptx::Space space) {
  switch (space) {
    case ptx::Space::const_:
      return NameSpace::constant;
    case ptx::Space::global:
      return NameSpace::global;
    case ptx::Space::local:
      return NameSpace::local;
    case ptx::Space::param:
      return NameSpace::param;
    case ptx::Space::shared:
      return NameSpace::shared;
    default:
      return NameSpace::none;
  }
}

}  // namespace

FunctionBinder::FunctionBinder(ProgramBinder& program, const ptx::Function& function,
                               FunctionCode& code)
    : program_(program), function_(function), code_(code) {
  place_registers();
  place_variables();
}

void FunctionBinder::fail(const ptx::Position& at, const std::string& problem,
                          const std::string& hint) const {
  const std::string& text = *module().text;
  std::size_t offset = 0;
  for (std::uint32_t line = 1; line < at.line && offset < text.size(); ++line) {
    const std::size_t end = text.find('\n', offset);
    offset = end == std::string::npos ? text.size() : end + 1;
  }
  std::size_t end = text.find('\n', offset);
  if (end == std::string::npos) end = text.size();
  throw ptx::ParseError(module().file, at, problem, text.substr(offset, end - offset), hint);
}

void FunctionBinder::place_registers() {
  offsets_.resize(function_.slot_count);
  widths_.resize(function_.slot_count, LaneWidth::b32);
  std::uint64_t end = 0;
  for (const ptx::Registers& r : function_.registers) {
    const LaneWidth width = lane_width(r.type);
    const std::uint32_t slots = r.count * r.lanes;
    if (width != LaneWidth::predicate) end = aligned(end, 64);
    for (std::uint32_t i = 0; i < slots; ++i) {
      offsets_[r.slot + i] = static_cast<std::uint32_t>(end);
      widths_[r.slot + i] = width;
      end += machine::bytes_of(width);
      if (end > kMaxFrameBytes) fail(r.at, "too many registers", "declare fewer");
    }
  }
  code_.frame_bytes = static_cast<std::uint32_t>(aligned(end, 64));
}

std::uint32_t FunctionBinder::place_in_frame(std::uint64_t size, std::uint64_t align,
                                             const ptx::Position& at) {
  const std::uint64_t offset = aligned(code_.local_bytes, std::max<std::uint64_t>(align, 1));
  if (size > machine::LocalMemory::kLimit || offset + size > machine::LocalMemory::kLimit) {
    fail(at, "the function's local variables take more than 512 KiB of a thread",
         "a thread has 512 KiB");
  }
  code_.local_bytes = static_cast<std::uint32_t>(offset + size);
  return static_cast<std::uint32_t>(offset);
}

void FunctionBinder::place_variables() {
  std::size_t reg_formals = 0;
  const auto place_parameters = [&](const std::vector<ptx::Variable>& list,
                                    std::vector<ParameterPlace>& places) {
    std::uint64_t end = 0;
    for (const ptx::Variable& v : list) {
      ParameterPlace place;
      const auto size = ptx::size_of(v);
      place.size = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(size.value_or(0), machine::LocalMemory::kLimit));
      place.align = static_cast<std::uint32_t>(ptx::alignment_of(v));
      if (function_.entry) {
        end = aligned(end, place.align);
        place.offset = static_cast<std::uint32_t>(end);
        end += place.size;
        if (end > machine::kParameterLimit) fail(v.at, "more than 32764 bytes of parameters", "");
      } else if (v.space == ptx::Space::reg) {
        // Registers of the signature are the function's first.
        const std::uint32_t slot = function_.registers[reg_formals++].slot;
        place.is_register = true;
        place.reg = register_at(slot);
        place.width = width_at(slot);
      } else {
        place.offset = place_in_frame(place.size, place.align, v.at);
      }
      places.push_back(place);
    }
    return end;
  };
  place_parameters(function_.signature.results, code_.results);
  const std::uint64_t end = place_parameters(function_.signature.parameters, code_.parameters);
  if (function_.entry) program_.program().parameter_bytes = static_cast<std::uint32_t>(end);
  for (const ptx::Variable& v : function_.variables) {
    Named named;
    named.space = name_space(v.space);
    named.size = ptx::size_of(v).value_or(0);
    const bool of_thread = v.space == ptx::Space::local || v.space == ptx::Space::param;
    if (named.size > machine::LocalMemory::kLimit && of_thread) {
      fail(v.at, "this variable is too large", "");
    }
    const std::uint64_t copies = std::max(v.range, 1u);
    switch (v.space) {
      case ptx::Space::local:
      case ptx::Space::param:
        named.frame = true;
        named.address = place_in_frame(named.size * copies, ptx::alignment_of(v), v.at);
        break;
      case ptx::Space::shared:
        named.address = program_.shared_of(v);
        break;
      case ptx::Space::global:
      case ptx::Space::const_:
        named.address = program_.variable_address(v);
        break;
      default:
        break;
    }
    variables_.push_back(named);
  }
}

Ref FunctionBinder::register_at(std::uint32_t slot) {
  code_.touched.push_back(offsets_[slot]);
  return Ref::in(Ref::Block::frame, offsets_[slot]);
}

std::uint32_t FunctionBinder::bits_at(std::uint32_t slot) const {
  return ptx::row_of(function_.registers_at(slot).type).bits;
}

Ref FunctionBinder::hidden(const std::string& key, LaneWidth width) {
  const auto found = hidden_.find(key);
  if (found != hidden_.end()) return found->second;
  const Ref r = Ref::in(Ref::Block::frame, code_.frame_bytes);
  code_.frame_bytes += static_cast<std::uint32_t>(aligned(machine::bytes_of(width), 64));
  hidden_.emplace(key, r);
  return r;
}

const ptx::Variable& FunctionBinder::declaration(const Operand& operand) const {
  switch (operand.place) {
    case ptx::Place::module:
      return module().variables[operand.index];
    case ptx::Place::function:
      return function_.variables[operand.index];
    case ptx::Place::parameter:
      return function_.signature.parameters[operand.index];
    default:
      return function_.signature.results[operand.index];
  }
}

std::uint64_t FunctionBinder::element_size(const Operand& operand) const {
  if (operand.kind != Operand::Kind::variable) return 1;
  return ptx::element_size_of(declaration(operand));
}

FunctionBinder::Named FunctionBinder::named(const Operand& operand) {
  const ptx::Variable& v = declaration(operand);
  Named named;
  switch (operand.place) {
    case ptx::Place::module:
      named.space = name_space(v.space);
      named.size = ptx::size_of(v).value_or(0);
      named.address = program_.variable_address(operand.index);
      break;
    case ptx::Place::function:
      named = variables_[operand.index];
      named.address += operand.first * named.size;
      break;
    default: {
      const auto& places =
          operand.place == ptx::Place::parameter ? code_.parameters : code_.results;
      named.space = NameSpace::param;
      named.size = places[operand.index].size;
      named.frame = !function_.entry;
      named.address =
          places[operand.index].offset + (function_.entry ? machine::kParameterBase : 0);
      break;
    }
  }
  return named;
}

void FunctionBinder::bind(const ptx::Instruction& instruction, Inst& inst) {
  const ptx::Mnemonic& mnemonic = module().mnemonic_of(instruction);
  inst.mnemonic = instruction.mnemonic;
  inst.line = instruction.span.at.line;
  bind_instruction(*this, instruction, mnemonic, inst);
}

void FunctionBinder::bind() {
  code_.code.resize(function_.instructions.size() + 1);
  code_.texts.resize(code_.code.size());
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function_.instructions[i];
    code_.texts[i] = {instruction.span.offset, instruction.span.length};
    code_.touched_from.push_back(static_cast<std::uint32_t>(code_.touched.size()));
    bind(instruction, code_.code[i]);
  }
  code_.touched_from.resize(code_.code.size() + 1,
                            static_cast<std::uint32_t>(code_.touched.size()));
  Inst& last = code_.code.back();
  last.guard = program_.constant(kAllLanes, 0, LaneWidth::predicate);
  last.line = function_.instructions.empty() ? function_.at.line
                                             : function_.instructions.back().span.at.line;
  last.run = return_lanes;
  if (hidden_.empty()) hidden("_", LaneWidth::b128);
}

}  // namespace lc::isa
