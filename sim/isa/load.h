#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/global_memory.h"
#include "sim/machine/program.h"
#include "sim/ptx/module.h"

namespace lc::isa {

/// An instruction that no row of the table knows.
struct Unknown {
  std::string function, mnemonic;
  std::uint32_t line = 0;
  std::string problem;  ///< why the nearest row does not fit
  std::string hint;
};

/// Every instruction of the module that could not be bound, in the order of the text.
std::vector<Unknown> unknown_instructions(const ptx::Module& module);

/// A module in a device's memory: its variables have addresses, its entries become programs.
class LoadedModule {
 public:
  /// Allocates and initialises the global and constant variables; throws ptx::ParseError for a
  /// module that cannot be loaded (external variables, unresolved functions), Fault when memory is
  /// short.
  LoadedModule(std::shared_ptr<const ptx::Module> module, machine::GlobalMemory& memory);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const ptx::Module& module() const { return *module_; }
  /// Binds the entry and everything it can call, once; throws ptx::ParseError when there is no
  /// such entry or one of its instructions is not known.
  std::shared_ptr<const machine::Program> entry(std::string_view name);

  struct Symbol {
    std::uint64_t address = 0, size = 0;
    bool constant = false;
  };
  /// A global or constant variable.
  std::optional<Symbol> variable(std::string_view name) const;
  /// By index into Module::variables; 0 for shared ones.
  std::uint64_t address_of(std::uint32_t variable) const { return addresses_[variable]; }
  /// Of a global or constant variable that stands inside a function.
  std::uint64_t address_of(const ptx::Variable& variable) const;

 private:
  void place_variables();
  void place_variables_of(const ptx::Function& function);
  std::uint64_t allocate(const ptx::Variable& variable);
  void initialise(const ptx::Variable& variable, std::uint64_t at);

  std::shared_ptr<const ptx::Module> module_;
  machine::GlobalMemory& memory_;
  std::vector<std::uint64_t> addresses_;
  std::map<const ptx::Variable*, std::uint64_t> in_functions_;
  std::vector<std::uint64_t> owned_;
  std::map<std::string, std::shared_ptr<const machine::Program>, std::less<>> programs_;
};

}  // namespace lc::isa
