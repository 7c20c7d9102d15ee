#include "verify/run/guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/layout/tensor_map_rules.h"
#include "sim/machine/tensor_map_object.h"
#include "sim/ptx/error.h"
#include "verify/error.h"
#include "verify/findings.h"
#include "verify/run/npy.h"

namespace lc::verify {
namespace {

using machine::Access;

std::vector<std::byte> as_bytes(std::uint64_t value, std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::memcpy(bytes.data(), &value, std::min<std::size_t>(count, 8));
  return bytes;
}

std::string the_entry(const ptx::Module& module, const LaunchFile& file) {
  if (!file.entry.empty()) return file.entry;
  std::vector<std::string> names;
  for (const ptx::Function& f : module.functions) {
    if (f.entry && f.has_body) names.emplace_back(f.name);
  }
  if (names.size() == 1) return names.front();
  if (names.empty()) {
    throw Error(module.file, "there is no kernel in the file", "a .visible .entry with a body");
  }
  std::string list;
  for (const std::string& name : names) {
    if (list.size() < 200) list += (list.empty() ? "" : ", ") + name;
  }
  throw Error(file.path + ": entry",
              fmt::format("the file has {} kernels, and the launch names none", names.size()),
              fmt::format("\"entry\": one of {}", list));
}

/// The first error among the findings about a tensor map, as the driver would refuse it.
void refuse_errors(const std::string& where, const Findings& findings) {
  for (const Finding& f : findings) {
    if (f.rule.severity != Severity::error) continue;
    throw Error(
        where + "tensor_map." + field_of(f),
        fmt::format("cuTensorMapEncode would refuse this map: {} [{}]", message_of(f), f.rule.id),
        "layout-check tma shows the nearest legal call");
  }
}

}  // namespace

Guest::Guest(const KernelFile& kernel, const LaunchFile& file, std::uint64_t memory_bytes)
    : file_(file), arch_(kernel.device->arch), memory_(memory_bytes) {
  module_ = std::make_unique<isa::LoadedModule>(kernel.module, memory_);
  launch_.program = module_->entry(the_entry(*kernel.module, file));
  launch_.grid = file.grid;
  launch_.block = file.block;
  launch_.cluster = file.cluster;
  launch_.explicit_cluster = file.explicit_cluster || launch_.program->explicit_cluster;
  const auto& required = launch_.program->required_cluster;
  if (!file.explicit_cluster && required[0] != 0) launch_.cluster = required;
  if (file.cooperative) launch_.workspace = memory_.allocate(8).value_or(0);
  launch_.dynamic_shared_bytes = file.shared;
  place_buffers();
  place_arguments();
}

void Guest::place_buffers() {
  for (const BufferSpec& b : file_.buffers) {
    const auto at = memory_.allocate(b.bytes());
    if (!at) {
      throw Error(b.where + "shape",
                  fmt::format("no memory for {} bytes: {} of {} are in use", b.bytes(),
                              memory_.used(), memory_.limit()),
                  "--memory BYTES");
    }
    addresses_[b.name] = *at;
    std::byte* bytes = memory_.bytes(*at, b.bytes(), 1, Access::write);
    fill_buffer(file_, b, {bytes, b.bytes()});
  }
}

std::vector<std::byte> Guest::map_bytes(const ArgumentSpec& argument, const ArgumentSpec::Map& map,
                                        std::uint32_t size) {
  machine::TensorMapObject object{map.im2col, map.tiled, map.column};
  const std::uint64_t address = addresses_.at(map.buffer) + map.byte_offset;
  object.tiled.global_address = object.column.tensor.global_address = address;
  refuse_errors(argument.where, map.im2col ? check_im2col_map(object.column, arch_)
                                           : check_tensor_map(object.tiled, arch_));
  std::vector<std::byte> bytes(128);
  machine::store_words(machine::encode_object(object),
                       std::span<std::byte, 128>(bytes.data(), 128));
  if (size == 128) return bytes;
  // A kernel that takes a pointer to the map.
  const auto at = memory_.allocate(128);
  if (!at) throw Error(argument.where + "tensor_map", "no memory for the map", "--memory BYTES");
  std::memcpy(memory_.bytes(*at, 128, 1, Access::write), bytes.data(), 128);
  return as_bytes(*at, 8);
}

std::vector<std::byte> Guest::argument_bytes(const ArgumentSpec& argument, std::uint32_t size) {
  if (const auto* scalar = std::get_if<ArgumentSpec::Scalar>(&argument.value)) {
    return as_bytes(scalar->bits, bytes_of(scalar->type));
  }
  if (const auto* pointer = std::get_if<ArgumentSpec::Pointer>(&argument.value)) {
    return as_bytes(addresses_.at(pointer->buffer) + pointer->byte_offset, 8);
  }
  if (const auto* map = std::get_if<ArgumentSpec::Map>(&argument.value)) {
    return map_bytes(argument, *map, size);
  }
  return std::get<ArgumentSpec::Bytes>(argument.value);
}

void Guest::place_arguments() {
  const auto& places = launch_.program->entry().parameters;
  const std::string& entry = launch_.program->entry().name;
  if (places.size() != file_.arguments.size()) {
    std::string sizes;
    for (const auto& p : places) {
      if (sizes.size() < 200) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", p.size);
    }
    throw Error(file_.path + ": arguments",
                fmt::format("{} given; the kernel `{}` takes {}", file_.arguments.size(), entry,
                            places.size()),
                places.empty() ? "[]" : fmt::format("their bytes are {}", sizes));
  }
  launch_.parameters.resize(launch_.program->parameter_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ArgumentSpec& argument = file_.arguments[i];
    const std::vector<std::byte> bytes = argument_bytes(argument, places[i].size);
    if (bytes.size() != places[i].size) {
      std::string where = argument.where;
      where.pop_back();
      throw Error(where,
                  fmt::format("the value has {} bytes; the kernel `{}` takes {} here", bytes.size(),
                              entry, places[i].size),
                  "a value of the parameter's type");
    }
    std::copy(bytes.begin(), bytes.end(),
              launch_.parameters.begin() + static_cast<std::ptrdiff_t>(places[i].offset));
  }
}

std::span<const std::byte> Guest::bytes_of_buffer(const BufferSpec& b) const {
  return {memory_.bytes(addresses_.at(b.name), b.bytes(), 1, Access::read), b.bytes()};
}

std::vector<std::string> Guest::save() const {
  std::vector<std::string> paths;
  for (const BufferSpec& b : file_.buffers) {
    if (b.save.empty()) continue;
    paths.push_back(file_.beside(b.save));
    write_npy(paths.back(), npy_descr(b.type), b.shape, bytes_of_buffer(b));
  }
  return paths;
}

}  // namespace lc::verify
