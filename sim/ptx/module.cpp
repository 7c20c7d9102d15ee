#include "sim/ptx/module.h"

#include <algorithm>

namespace lc::ptx {

bool Mnemonic::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Mnemonic::text() const {
  std::string joined(opcode);
  for (const std::string_view modifier : modifiers) {
    joined += '.';
    joined += modifier;
  }
  return joined;
}

bool Mnemonic::same_set(const Mnemonic& other) const {
  return opcode == other.opcode && modifiers.size() == other.modifiers.size() &&
         std::is_permutation(modifiers.begin(), modifiers.end(), other.modifiers.begin());
}

const Registers& Function::registers_at(std::uint32_t slot) const {
  const auto after =
      std::upper_bound(registers.begin(), registers.end(), slot,
                       [](std::uint32_t wanted, const Registers& r) { return wanted < r.slot; });
  return *(after - 1);
}

const Function* Module::find_function(std::string_view name) const {
  const Function* declared = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (function.has_body) return &function;
    if (!declared) declared = &function;
  }
  return declared;
}

const Variable* Module::find_variable(std::string_view name) const {
  const Variable* declared = nullptr;
  for (const Variable& variable : variables) {
    if (variable.name != name) continue;
    if (variable.linkage != Linkage::extern_) return &variable;
    if (!declared) declared = &variable;
  }
  return declared;
}

bool operator==(const Module& a, const Module& b) {
  return a.version_major == b.version_major && a.version_minor == b.version_minor &&
         a.targets == b.targets && a.address_size == b.address_size && a.items == b.items &&
         a.variables == b.variables && a.functions == b.functions && a.mnemonics == b.mnemonics &&
         a.addresses == b.addresses && a.files == b.files && a.sections == b.sections &&
         a.aliases == b.aliases && a.pragmas == b.pragmas;
}

std::uint64_t element_size_of(const Variable& variable) {
  return row_of(variable.type).bits / 8 * std::uint64_t{variable.lanes};
}

std::uint64_t alignment_of(const Variable& variable) {
  return variable.align != 0 ? variable.align
                             : std::max<std::uint64_t>(1, element_size_of(variable));
}

std::optional<std::uint64_t> size_of(const Variable& variable) {
  if (variable.unsized) return std::nullopt;
  std::uint64_t size = element_size_of(variable);
  for (const std::uint64_t dim : variable.dims) size *= dim;  // the parser refuses what overflows
  return size;
}

}  // namespace lc::ptx
