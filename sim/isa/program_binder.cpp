#include <algorithm>
#include <cstring>

#include "sim/isa/function_binder.h"
#include "sim/isa/instruction_table.h"
#include "sim/machine/address_map.h"
#include "sim/machine/shared_memory.h"

namespace lc::isa {
namespace {

std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

void note_performance(machine::Program& program, const ptx::Function& function) {
  const auto triple = [](const ptx::Performance& p) {
    std::array<std::uint32_t, 3> v{1, 1, 1};
    std::copy_n(p.values.begin(), std::min<std::size_t>(3, p.values.size()), v.begin());
    return v;
  };
  for (const ptx::Performance& p : function.signature.performance) {
    if (p.name == "reqnctapercluster") program.required_cluster = triple(p);
    if (p.name == "reqntid") program.required_block = triple(p);
    if (p.name == "explicitcluster") program.explicit_cluster = true;
    if (p.name == "maxntid") {
      const auto v = triple(p);
      program.max_threads = v[0] * v[1] * v[2];
    }
  }
}

}  // namespace

ProgramBinder::ProgramBinder(const ptx::Module& module, const LoadedModule* loaded)
    : module_(module), loaded_(loaded), program_(std::make_shared<machine::Program>()) {
  program_->file = module.file;
  program_->source = *module.text;
  program_->by_number.assign(module.functions.size(), -1);
  for (const ptx::Mnemonic& m : module.mnemonics) program_->mnemonics.push_back(m.text());
}

std::shared_ptr<machine::Program> ProgramBinder::bind(std::uint32_t entry) {
  note_performance(*program_, module_.functions[entry]);
  place_module_shared(entry);
  function(entry);
  // Functions whose address stands in a table may be called too.
  for (const ptx::InitialAddress& address : module_.addresses) {
    if (address.is_function && module_.functions[address.index].has_body) function(address.index);
  }
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    machine::FunctionCode code;
    bind_function(queue_[i], code);
    program_->functions.push_back(std::move(code));
  }
  return program_;
}

void ProgramBinder::bind_function(std::uint32_t module_function, machine::FunctionCode& code) {
  const ptx::Function& function = module_.functions[module_function];
  code.name = function.name;
  code.is_entry = function.entry;
  FunctionBinder binder(*this, function, code);
  binder.bind();
}

std::uint32_t ProgramBinder::function(std::uint32_t module_function) {
  // A declaration stands for the definition of that name.
  const ptx::Function* definition = module_.find_function(module_.functions[module_function].name);
  const auto number = static_cast<std::uint32_t>(definition - module_.functions.data());
  std::int32_t& known = program_->by_number[number];
  if (known < 0) {
    known = static_cast<std::int32_t>(queue_.size());
    queue_.push_back(number);
  }
  program_->by_number[module_function] = known;
  return static_cast<std::uint32_t>(known);
}

std::uint64_t ProgramBinder::function_address(std::uint32_t module_function) {
  if (module_.functions[module_function].has_body) function(module_function);
  return machine::kCodeBase + 16 * std::uint64_t{module_function};
}

std::uint64_t ProgramBinder::variable_address(std::uint32_t module_variable) {
  const ptx::Variable& v = module_.variables[module_variable];
  if (v.space == ptx::Space::shared) {
    const auto found = shared_.find(module_variable);
    return found == shared_.end() ? machine::kSharedReserved : found->second;
  }
  return loaded_ == nullptr ? 0 : loaded_->address_of(module_variable);
}

std::uint32_t ProgramBinder::place_shared(const ptx::Variable& variable, const ptx::Position&) {
  const std::uint64_t size = ptx::size_of(variable).value_or(0);
  const std::uint64_t base = machine::kSharedReserved;
  const std::uint64_t at =
      aligned(base + program_->static_shared_bytes, ptx::alignment_of(variable));
  if (size > machine::kSharedLimit || at + size > machine::kSharedLimit) {
    throw ptx::ParseError(module_.file, variable.at,
                          "static shared variables end at byte " + std::to_string(at + size) +
                              ", a CTA's window at 233472",
                          "", "make them smaller");
  }
  program_->static_shared_bytes = static_cast<std::uint32_t>(at + size - base);
  return static_cast<std::uint32_t>(at);
}

/// Shared variables of the module that the entry, or a function it can call, names: in the order of
/// the text, then dynamic shared memory behind all of them.
void ProgramBinder::place_module_shared(std::uint32_t entry) {
  std::vector<bool> named(module_.variables.size(), false);
  std::vector<bool> seen(module_.functions.size(), false);
  std::vector<std::uint32_t> todo{entry};
  for (const ptx::InitialAddress& a : module_.addresses) {
    if (a.is_function) todo.push_back(a.index);
  }
  while (!todo.empty()) {
    const ptx::Function* f = module_.find_function(module_.functions[todo.back()].name);
    todo.pop_back();
    const auto number = static_cast<std::size_t>(f - module_.functions.data());
    if (seen[number]) continue;
    seen[number] = true;
    for (const ptx::Operand& o : f->operands) {
      if (o.kind == ptx::Operand::Kind::function) todo.push_back(o.index);
      if (o.kind == ptx::Operand::Kind::variable && o.place == ptx::Place::module) {
        named[o.index] = true;
      }
    }
  }
  std::vector<std::uint32_t> dynamic;
  for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
    const ptx::Variable& v = module_.variables[i];
    if (v.space != ptx::Space::shared || !named[i]) continue;
    if (v.unsized || (v.linkage == ptx::Linkage::extern_ && ptx::size_of(v).value_or(0) == 0)) {
      dynamic.push_back(i);
    } else {
      shared_[i] = place_shared(v, v.at);
    }
  }
  // Variables of functions are placed when those are bound, which must not move dynamic memory.
  for (std::size_t number = 0; number < seen.size(); ++number) {
    if (!seen[number]) continue;
    for (const ptx::Variable& v : module_.functions[number].variables) {
      if (v.space == ptx::Space::shared) function_shared_[&v] = place_shared(v, v.at);
    }
  }
  std::uint64_t align = 16;
  for (const std::uint32_t i : dynamic) {
    align = std::max(align, ptx::alignment_of(module_.variables[i]));
  }
  const std::uint64_t begin =
      aligned(machine::kSharedReserved + program_->static_shared_bytes, align);
  program_->dynamic_shared_begin = static_cast<std::uint32_t>(begin);
  for (const std::uint32_t i : dynamic) shared_[i] = program_->dynamic_shared_begin;
}

std::uint32_t ProgramBinder::shared_of(const ptx::Variable& variable) {
  const auto found = function_shared_.find(&variable);
  return found == function_shared_.end() ? machine::kSharedReserved : found->second;
}

Ref ProgramBinder::constant(std::uint64_t low, std::uint64_t high, LaneWidth width) {
  auto& known = constants_[static_cast<std::size_t>(width)];
  const auto found = known.find({low, high});
  if (found != known.end()) return Ref::in(Ref::Block::constants, found->second);
  std::vector<std::uint64_t>& block = program_->constants;
  const auto offset = static_cast<std::uint32_t>(block.size() * 8);
  block.resize(block.size() + aligned(machine::bytes_of(width), 64) / 8);
  std::uint64_t* at = block.data() + offset / 8;
  const std::uint64_t pair = low << 32 | (low & 0xFFFFFFFF);
  switch (width) {
    case LaneWidth::predicate:
      at[0] = low & 0xFFFFFFFF;
      break;
    case LaneWidth::b32:
      std::fill_n(at, machine::kWarpLanes / 2, pair);
      break;
    case LaneWidth::b64:
      std::fill_n(at, machine::kWarpLanes, low);
      break;
    case LaneWidth::b128:
      for (std::uint32_t lane = 0; lane < machine::kWarpLanes; ++lane) {
        at[2 * lane] = low;
        at[2 * lane + 1] = high;
      }
      break;
  }
  known.emplace(std::pair{low, high}, offset);
  return Ref::in(Ref::Block::constants, offset);
}

Ref ProgramBinder::special(machine::Special what, LaneWidth width, std::uint32_t addend) {
  for (const machine::SpecialUse& use : program_->specials) {
    if (use.what == what && use.width == width && use.addend == addend) {
      return Ref::in(Ref::Block::specials, use.offset);
    }
  }
  const std::uint32_t offset = program_->specials_bytes;
  program_->specials.push_back({what, width, offset, addend});
  program_->specials_bytes += static_cast<std::uint32_t>(aligned(machine::bytes_of(width), 64));
  return Ref::in(Ref::Block::specials, offset);
}

machine::InstInfo& ProgramBinder::keep(std::unique_ptr<machine::InstInfo> info) {
  program_->infos.push_back(std::move(info));
  return *program_->infos.back();
}

std::vector<Unknown> ProgramBinder::unknown_in(std::uint32_t module_function) {
  std::vector<Unknown> unknown;
  const ptx::Function& function = module_.functions[module_function];
  machine::FunctionCode code;
  FunctionBinder binder(*this, function, code);
  for (const ptx::Instruction& instruction : function.instructions) {
    Inst inst;
    try {
      binder.bind(instruction, inst);
    } catch (const ptx::ParseError& error) {
      unknown.push_back({std::string(function.name), module_.mnemonic_of(instruction).text(),
                         error.at.line, error.message, error.hint});
    }
  }
  return unknown;
}

}  // namespace lc::isa
