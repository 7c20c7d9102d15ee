#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/binder.h"
#include "sim/isa/load.h"
#include "sim/machine/program.h"
#include "sim/ptx/module.h"

namespace lc::isa {

/// Binds an entry and the functions it can call.
class ProgramBinder {
 public:
  /// `loaded` null: only to see which instructions are known; variables then have address 0.
  ProgramBinder(const ptx::Module& module, const LoadedModule* loaded);

  std::shared_ptr<machine::Program> bind(std::uint32_t entry);

  const ptx::Module& module() const { return module_; }
  machine::Program& program() { return *program_; }
  /// Number of a module's function in the program; it is bound later.
  std::uint32_t function(std::uint32_t module_function);
  std::uint64_t function_address(std::uint32_t module_function);
  /// Address of a variable of the module, in the space it was declared in.
  std::uint64_t variable_address(std::uint32_t module_variable);
  /// The same for a global or constant variable of a function.
  std::uint64_t variable_address(const ptx::Variable& variable) const {
    return loaded_ == nullptr ? 0 : loaded_->address_of(variable);
  }
  /// A place in static shared memory for a variable of a function.
  std::uint32_t place_shared(const ptx::Variable& variable, const ptx::Position& at);
  /// Where a shared variable of a function was placed.
  std::uint32_t shared_of(const ptx::Variable& variable);
  Ref constant(std::uint64_t low, std::uint64_t high, LaneWidth width);
  Ref special(machine::Special what, LaneWidth width, std::uint32_t addend = 0);
  machine::InstInfo& keep(std::unique_ptr<machine::InstInfo> info);

  /// Binds every instruction of a function by itself and lists those that cannot be.
  std::vector<Unknown> unknown_in(std::uint32_t module_function);

 private:
  void bind_function(std::uint32_t module_function, machine::FunctionCode& code);
  void place_module_shared(std::uint32_t entry);

  const ptx::Module& module_;
  const LoadedModule* loaded_;
  std::shared_ptr<machine::Program> program_;
  std::vector<std::uint32_t> queue_;  ///< module functions, in the order of the program's
  std::map<std::uint32_t, std::uint32_t> shared_;  ///< module variable -> offset in the window
  std::map<const ptx::Variable*, std::uint32_t> function_shared_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> constants_[17];  ///< by width
};

/// One function: where its registers and variables are.
class FunctionBinder {
 public:
  FunctionBinder(ProgramBinder& program, const ptx::Function& function,
                 machine::FunctionCode& code);

  /// Binds all instructions; throws at the first that is not known.
  void bind();
  /// One instruction; throws ptx::ParseError.
  void bind(const ptx::Instruction& instruction, Inst& inst);

  ProgramBinder& program() { return program_; }
  const ptx::Module& module() const { return program_.module(); }
  const ptx::Function& ptx() const { return function_; }
  machine::FunctionCode& code() { return code_; }

  /// Notes too that the instruction being bound touches it.
  Ref register_at(std::uint32_t slot);
  LaneWidth width_at(std::uint32_t slot) const { return widths_[slot]; }
  std::uint32_t bits_at(std::uint32_t slot) const;
  /// A register that the text does not name: the carry flag, what `_` takes.  The same key gives
  /// the same register.
  Ref hidden(const std::string& key, LaneWidth width);

  /// What a name in an operand stands for.
  struct Named {
    NameSpace space = NameSpace::none;
    std::uint64_t address = 0;  ///< in that space; of frame variables an offset
    bool frame = false;         ///< thread-local
    std::uint64_t size = 0;
  };
  Named named(const ptx::Operand& operand);
  /// Bytes of an element of the array that a name stands for.
  std::uint64_t element_size(const ptx::Operand& operand) const;

  [[noreturn]] void fail(const ptx::Position& at, const std::string& problem,
                         const std::string& hint) const;

 private:
  void place_registers();
  void place_variables();
  std::uint32_t place_in_frame(std::uint64_t size, std::uint64_t align, const ptx::Position& at);
  const ptx::Variable& declaration(const ptx::Operand& operand) const;

  ProgramBinder& program_;
  const ptx::Function& function_;
  machine::FunctionCode& code_;
  std::vector<std::uint32_t> offsets_;  ///< by slot
  std::vector<LaneWidth> widths_;
  std::vector<Named> variables_;  ///< by index into Function::variables
  std::map<std::string, Ref> hidden_;
};

}  // namespace lc::isa
