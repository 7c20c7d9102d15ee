#include "sim/runtime/tensor_map.h"

#include <algorithm>

#include "sim/layout/tensor_map_nearest.h"
#include "sim/machine/fault.h"
#include "sim/runtime/error.h"

namespace lc::runtime {
namespace {

/// A number that no enumerator has stays one.
template <class E>
E enumerator(unsigned value) {
  return static_cast<E>(std::min(value, 255U));
}

void require_pointers(const void* map, const TensorMapArguments& a) {
  if (map == nullptr) throw CudaError(kInvalidValue, "tensorMap is null");
  if (reinterpret_cast<std::uintptr_t>(map) % 64 != 0) {
    throw CudaError(kInvalidValue,
                    "tensorMap is not aligned to 64 bytes\n  try: alignas(64) CUtensorMap");
  }
  // globalStrides too where the rank is 1 (measured on an H200).
  const std::pair<const void*, const char*> required[] = {{a.global_dim, "globalDim"},
                                                          {a.global_strides, "globalStrides"},
                                                          {a.element_strides, "elementStrides"}};
  for (const auto& [pointer, name] : required) {
    if (pointer == nullptr) throw CudaError(kInvalidValue, std::string(name) + " is null");
  }
}

TensorMap tensor_of(const TensorMapArguments& a) {
  TensorMap map;
  map.data_type = enumerator<DataType>(a.data_type);
  map.rank = static_cast<int>(std::min(a.rank, 255U));
  map.global_address = reinterpret_cast<std::uintptr_t>(a.global_address);
  for (int i = 0; i < std::min(map.rank, kMaxRank); ++i) {
    map.global_dim[i] = a.global_dim[i];
    map.element_stride[i] = a.element_strides[i];
    if (i + 1 < map.rank) map.global_stride[i] = a.global_strides[i];
  }
  map.interleave = enumerator<Interleave>(a.interleave);
  map.swizzle = enumerator<Swizzle>(a.swizzle);
  map.l2_promotion = enumerator<L2Promotion>(a.l2_promotion);
  map.oob_fill = enumerator<OobFill>(a.oob_fill);
  return map;
}

std::string field_of(const Finding& finding) {
  const std::string field = finding.rule.field;
  return finding.index < 0 ? field : field + "[" + std::to_string(finding.index) + "]";
}

std::string errors_of(const Findings& findings) {
  std::string out = "the hardware takes no such tensor map";
  for (const Finding& finding : findings) {
    if (finding.rule.severity != Severity::error) continue;
    out += "\n  " + field_of(finding) + ": " + machine::sentence_of(finding) + " (" +
           finding.rule.id + ")";
  }
  return out;
}

std::string changes_of(const TensorMap& from, Arch arch) {
  std::string out;
  for (const TensorMapChange& change :
       tensor_map_changes(from, nearest_legal_tensor_map(from, arch))) {
    out += out.empty() ? "\n  try: " : ", ";
    out += change.field;
    if (change.index >= 0) out += "[" + std::to_string(change.index) + "]";
    out += " " + std::to_string(change.from) + " -> " + std::to_string(change.to);
  }
  return out;
}

void store(void* map, const machine::TensorMapObject& object) {
  machine::store_words(machine::encode_object(object),
                       std::span<std::byte, 128>(static_cast<std::byte*>(map), 128));
}

}  // namespace

void encode_tiled(void* map, const TensorMapArguments& arguments, const std::uint32_t* box_dim,
                  Arch arch) {
  require_pointers(map, arguments);
  if (box_dim == nullptr) throw CudaError(kInvalidValue, "boxDim is null");
  TensorMap tensor = tensor_of(arguments);
  for (int i = 0; i < std::min(tensor.rank, kMaxRank); ++i) tensor.box_dim[i] = box_dim[i];
  const Findings findings = check_tensor_map(tensor, arch);
  if (findings.has_error()) {
    throw CudaError(kInvalidValue, errors_of(findings) + changes_of(tensor, arch));
  }
  machine::TensorMapObject object;
  object.tiled = tensor;
  store(map, object);
}

void encode_im2col(void* map, const TensorMapArguments& arguments, const Im2colArguments& column,
                   Arch arch) {
  require_pointers(map, arguments);
  if (column.lower == nullptr || column.upper == nullptr) {
    throw CudaError(kInvalidValue, "a corner of the pixel box is null");
  }
  machine::TensorMapObject object;
  object.im2col = true;
  Im2colMap& im2col = object.column;
  im2col.tensor = tensor_of(arguments);
  const int corners = column.wide ? 1 : std::clamp(im2col.spatial(), 0, kMaxSpatial);
  for (int i = 0; i < corners; ++i) {
    im2col.lower[i] = column.lower[i];
    im2col.upper[i] = column.upper[i];
  }
  im2col.channels_per_pixel = column.channels;
  im2col.pixels_per_column = column.pixels;
  im2col.wide = column.wide;
  im2col.wide_128 = column.wide_128;
  const Findings findings = check_im2col_map(im2col, arch);
  if (findings.has_error()) throw CudaError(kInvalidValue, errors_of(findings));
  store(map, object);
}

void replace_address(void* map, void* global_address, Arch arch) {
  if (map == nullptr) throw CudaError(kInvalidValue, "tensorMap is null");
  const std::span<std::byte, 128> bytes(static_cast<std::byte*>(map), 128);
  machine::TensorMapObject object = machine::decode_object(machine::words_of(bytes));
  TensorMap& tensor = object.im2col ? object.column.tensor : object.tiled;
  tensor.global_address = reinterpret_cast<std::uintptr_t>(global_address);
  const Findings findings =
      object.im2col ? check_im2col_map(object.column, arch) : check_tensor_map(tensor, arch);
  if (findings.has_error()) throw CudaError(kInvalidValue, errors_of(findings));
  store(map, object);
}

}  // namespace lc::runtime
