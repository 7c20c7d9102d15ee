#include "sim/runtime/library.h"

#include <fstream>

#include "sim/ptx/parser.h"
#include "sim/runtime/error.h"

namespace lc::runtime {
namespace {

void keep(const std::string& directory, const std::string& file, const std::string& text) {
  if (directory.empty()) return;
  std::ofstream(directory + "/" + file, std::ios::binary) << text;
}

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

}  // namespace

std::shared_ptr<const machine::Program> Kernel::program() {
  return library->module().entry(name);
}

void Library::load(const DeviceModel& device, machine::GlobalMemory& memory,
                   const std::string& ptx_directory) {
  if (is_loaded()) return;
  ImagePtx found = ptx_of_image(image_, device.target);
  const std::string file = name_ + "." + found.target + ".ptx";
  keep(ptx_directory, file, found.text);
  auto parsed = std::make_shared<const ptx::Module>(ptx::parse(std::move(found.text), file));
  module_ = std::make_unique<isa::LoadedModule>(std::move(parsed), memory);
}

void Library::unload() {
  module_.reset();
}

Kernel& Library::declare(const std::string& name) {
  auto& kernel = kernels_[name];
  if (!kernel) {
    kernel = std::make_unique<Kernel>();
    kernel->library = this;
    kernel->name = name;
  }
  return *kernel;
}

Kernel* Library::kernel(const std::string& name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second.get();
  const ptx::Function* function = module_->module().find_function(name);
  if (function == nullptr || !function->entry || !function->has_body) return nullptr;
  return &declare(name);
}

std::vector<Kernel*> Library::kernels() {
  std::vector<Kernel*> all;
  for (const ptx::Function& function : module_->module().functions) {
    if (function.entry && function.has_body) all.push_back(&declare(std::string(function.name)));
  }
  return all;
}

bool Library::holds(const Kernel* kernel) const {
  for (const auto& [name, held] : kernels_) {
    if (held.get() == kernel) return true;
  }
  return false;
}

std::string source_place(const ptx::Module& module, const std::string& function, int line) {
  const ptx::Function* f = module.find_function(function);
  if (f == nullptr || line <= 0) return {};
  const ptx::Location* last = nullptr;
  for (const ptx::Statement& statement : f->statements) {
    if (statement.kind == ptx::Statement::Kind::location) {
      last = &f->locations[statement.index];
    } else if (statement.kind == ptx::Statement::Kind::instruction) {
      const auto at = f->instructions[statement.index].span.at.line;
      if (at >= static_cast<std::uint32_t>(line)) break;
    }
  }
  if (last == nullptr) return {};
  for (const ptx::SourceFile& file : module.files) {
    if (file.index == last->file) return unquoted(file.name) + ":" + std::to_string(last->line);
  }
  return {};
}

}  // namespace lc::runtime
