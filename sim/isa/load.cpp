#include "sim/isa/load.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/isa/function_binder.h"
#include "sim/machine/address_map.h"
#include "sim/machine/fault.h"

namespace lc::isa {
namespace {

using ptx::InitialValue;
using ptx::Variable;

std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

/// Bits of a constant as an element of the type has them.
std::uint64_t element_bits(const InitialValue& v, ptx::Type type) {
  using Kind = ptx::Constant::Kind;
  const bool is_double = type == ptx::Type::f64;
  const bool is_float = type == ptx::Type::f32;
  if (v.number == Kind::f64) {
    const double d = std::bit_cast<double>(v.value);
    if (is_float) return std::bit_cast<std::uint32_t>(static_cast<float>(d));
    return v.value;
  }
  if (v.number == Kind::f32 && is_double) {
    return std::bit_cast<std::uint64_t>(
        double{std::bit_cast<float>(static_cast<std::uint32_t>(v.value))});
  }
  return v.value;
}

/// Walks an initialiser: `{` opens the next dimension, missing elements stay 0.
class Initialiser {
 public:
  Initialiser(const Variable& variable, std::byte* data, std::uint64_t size)
      : variable_(variable), data_(data), size_(size) {
    strides_.push_back(size);
    const std::uint64_t element = ptx::element_size_of(variable);
    std::vector<std::uint64_t> inner(variable.dims.size(), element);
    for (std::size_t i = variable.dims.size(); i-- > 1;) {
      inner[i - 1] = inner[i] * std::max<std::uint64_t>(variable.dims[i], 1);
    }
    strides_.insert(strides_.end(), inner.begin(), inner.end());
    if (variable.lanes > 1) strides_.push_back(element / variable.lanes);
  }

  template <class AddressBits>
  void fill(AddressBits&& address_bits) {
    for (const InitialValue& v : variable_.initial) {
      switch (v.kind) {
        case InitialValue::Kind::open:
          starts_.push_back(at_);
          break;
        case InitialValue::Kind::close: {
          const std::uint64_t start = starts_.back();
          starts_.pop_back();
          at_ = start + stride(starts_.size());
          break;
        }
        case InitialValue::Kind::constant:
          put(element_bits(v, variable_.type), width());
          break;
        case InitialValue::Kind::address: {
          const auto [bits, bytes] = address_bits(v);
          put(bits, bytes == 0 ? width() : bytes);
          break;
        }
      }
    }
  }

 private:
  std::uint64_t stride(std::size_t depth) const {
    return strides_[std::min(depth, strides_.size() - 1)];
  }
  std::uint64_t width() const { return std::max(1u, ptx::row_of(variable_.type).bits / 8); }
  void put(std::uint64_t bits, std::uint64_t bytes) {
    if (at_ <= size_ && bytes <= size_ - at_) {
      std::memcpy(data_ + at_, &bits, std::min<std::uint64_t>(bytes, 8));
    }
    at_ += bytes;
  }

  const Variable& variable_;
  std::byte* data_;
  std::uint64_t size_;
  std::vector<std::uint64_t> strides_;
  std::vector<std::uint64_t> starts_;
  std::uint64_t at_ = 0;
};

bool is_defined_elsewhere(const ptx::Module& module, const Variable& variable) {
  const Variable* found = module.find_variable(variable.name);
  return found != nullptr && found != &variable && found->linkage != ptx::Linkage::extern_;
}

}  // namespace

std::vector<Unknown> unknown_instructions(const ptx::Module& module) {
  std::vector<Unknown> all;
  ProgramBinder binder(module, nullptr);
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (!module.functions[i].has_body) continue;
    const std::vector<Unknown> some = binder.unknown_in(i);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

LoadedModule::LoadedModule(std::shared_ptr<const ptx::Module> module, machine::GlobalMemory& memory)
    : module_(std::move(module)), memory_(memory) {
  try {
    place_variables();
    for (std::uint32_t i = 0; i < module_->variables.size(); ++i) {
      initialise(module_->variables[i], addresses_[i]);
    }
    for (const ptx::Function& function : module_->functions) place_variables_of(function);
  } catch (...) {
    for (const std::uint64_t address : owned_) memory_.free(address);
    throw;
  }
}

LoadedModule::~LoadedModule() {
  for (const std::uint64_t address : owned_) memory_.free(address);
}

/// Memory for all copies of a variable, owned by the module; 0 for one without bytes.
std::uint64_t LoadedModule::allocate(const Variable& v) {
  const std::uint64_t size = ptx::size_of(v).value_or(0) * std::max(v.range, 1u);
  if (size == 0) return 0;
  std::optional<std::uint64_t> at;
  if (v.space == ptx::Space::global) {
    at = memory_.allocate(size);
  } else {
    // Behind the constants of modules loaded before.
    std::uint64_t address = machine::kConstantBase;
    while (const auto taken = memory_.find(address)) {
      address = aligned(taken->address + taken->size, 4096);
    }
    if (address + size < machine::kConstantEnd && memory_.allocate_at(address, size)) {
      at = address;
    }
  }
  if (!at) {
    throw machine::Fault(machine::FaultKind::out_of_memory, "memory.limit",
                         "no memory for the variable " + ptx::quoted(v.name) + " of " +
                             std::to_string(size) + " bytes");
  }
  owned_.push_back(*at);
  return *at;
}

void LoadedModule::place_variables_of(const ptx::Function& function) {
  for (const Variable& v : function.variables) {
    if (v.space != ptx::Space::global && v.space != ptx::Space::const_) continue;
    const std::uint64_t at = allocate(v);
    in_functions_.emplace(&v, at);
    initialise(v, at);
  }
}

std::uint64_t LoadedModule::address_of(const Variable& variable) const {
  const auto found = in_functions_.find(&variable);
  return found == in_functions_.end() ? 0 : found->second;
}

void LoadedModule::place_variables() {
  addresses_.assign(module_->variables.size(), 0);
  for (std::uint32_t i = 0; i < module_->variables.size(); ++i) {
    const Variable& v = module_->variables[i];
    if (v.space != ptx::Space::global && v.space != ptx::Space::const_) continue;
    if (v.linkage == ptx::Linkage::extern_) {
      if (is_defined_elsewhere(*module_, v)) continue;
      throw ptx::ParseError(module_->file, v.at,
                            "the variable " + ptx::quoted(v.name) + " is defined in another module",
                            "", "link the modules into one before loading");
    }
    addresses_[i] = allocate(v);
  }
  for (std::uint32_t i = 0; i < module_->variables.size(); ++i) {
    const Variable& v = module_->variables[i];
    if (addresses_[i] != 0 || !is_defined_elsewhere(*module_, v)) continue;
    const Variable* definition = module_->find_variable(v.name);
    addresses_[i] = addresses_[static_cast<std::size_t>(definition - module_->variables.data())];
  }
}

void LoadedModule::initialise(const Variable& v, std::uint64_t at) {
  if (at == 0 || v.linkage == ptx::Linkage::extern_) return;
  const std::uint64_t size = ptx::size_of(v).value_or(0) * std::max(v.range, 1u);
  std::byte* data = memory_.bytes(at, size, 1, machine::Access::write);
  std::memset(data, 0, size);
  if (v.initialised) {
    Initialiser(v, data, size).fill([&](const InitialValue& value) {
      const ptx::InitialAddress& a = module_->addresses[value.index];
      std::uint64_t bits =
          a.offset +
          (a.is_function ? machine::kCodeBase + 16 * std::uint64_t{a.index} : addresses_[a.index]);
      if (a.mask == 0) return std::pair<std::uint64_t, std::uint64_t>{bits, 0};
      bits = (bits & a.mask) >> std::countr_zero(a.mask);
      return std::pair<std::uint64_t, std::uint64_t>{bits, 1};
    });
  }
}

std::shared_ptr<const machine::Program> LoadedModule::entry(std::string_view name) {
  const auto known = programs_.find(name);
  if (known != programs_.end()) return known->second;
  for (std::uint32_t i = 0; i < module_->functions.size(); ++i) {
    const ptx::Function& f = module_->functions[i];
    if (f.name != name || !f.entry || !f.has_body) continue;
    std::shared_ptr<machine::Program> program = ProgramBinder(*module_, this).bind(i);
    program->owner = module_;
    programs_.emplace(name, program);
    return program;
  }
  std::vector<std::string_view> names;
  for (const ptx::Function& f : module_->functions) {
    if (f.entry && f.has_body) names.push_back(f.name);
  }
  std::string hint;
  for (const std::string_view n : names) {
    if (hint.size() > 200) break;
    hint += (hint.empty() ? "" : ", ") + std::string(n);
  }
  throw ptx::ParseError(module_->file, {}, "there is no entry " + ptx::quoted(name), "",
                        hint.empty() ? "" : "one of " + hint);
}

std::optional<LoadedModule::Symbol> LoadedModule::variable(std::string_view name) const {
  for (std::uint32_t i = 0; i < module_->variables.size(); ++i) {
    const Variable& v = module_->variables[i];
    if (v.name != name || addresses_[i] == 0) continue;
    return Symbol{addresses_[i], ptx::size_of(v).value_or(0), v.space == ptx::Space::const_};
  }
  return std::nullopt;
}

}  // namespace lc::isa
