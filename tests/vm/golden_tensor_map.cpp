#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/layout/im2col.h"
#include "sim/layout/tensor_map.h"
#include "sim/machine/tensor_map_object.h"
#include "tests/vm/golden_program.h"

namespace lc::tests {
namespace {

using Json = nlohmann::json;

template <class E>
E choice(const Json& json, const char* field) {
  const auto value = value_of<E>(json.at(field).get<std::string>());
  if (!value) throw std::runtime_error(std::string(field) + ": no such value");
  return *value;
}

template <class E>
E choice_or(const Json& json, const char* field, E otherwise) {
  return json.contains(field) ? choice<E>(json, field) : otherwise;
}

template <class List>
void fill(const Json& json, const char* field, List& out, std::size_t room) {
  const auto values = json.at(field).get<std::vector<std::int64_t>>();
  if (values.size() > room) throw std::runtime_error(std::string(field) + ": too many entries");
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<std::remove_reference_t<decltype(out[i])>>(values[i]);
  }
}

std::uint64_t address_of(const Json& value, const std::vector<BufferAddress>& buffers) {
  if (value.is_number()) return value.get<std::uint64_t>();
  const std::string text = value.get<std::string>();
  if (text.starts_with("0x")) return std::stoull(text, nullptr, 16);
  const std::size_t plus = text.find('+');
  for (const BufferAddress& buffer : buffers) {
    if (buffer.name != text.substr(0, plus)) continue;
    return buffer.address +
           (plus == std::string::npos ? 0 : std::stoull(text.substr(plus + 1), nullptr, 0));
  }
  throw std::runtime_error("global_address: there is no buffer " + text);
}

TensorMap tensor_of(const Json& json, const std::vector<BufferAddress>& buffers) {
  TensorMap map;
  map.data_type = choice<DataType>(json, "data_type");
  map.global_address = address_of(json.at("global_address"), buffers);
  map.rank = static_cast<int>(json.at("global_dim").size());
  fill(json, "global_dim", map.global_dim, kMaxRank);
  if (json.contains("global_strides")) fill(json, "global_strides", map.global_stride, kMaxRank);
  if (json.contains("element_strides")) fill(json, "element_strides", map.element_stride, kMaxRank);
  if (json.contains("box_dim")) fill(json, "box_dim", map.box_dim, kMaxRank);
  map.interleave = choice_or(json, "interleave", Interleave::none);
  map.swizzle = static_cast<Swizzle>(choice_or(json, "swizzle", static_cast<TensorMapSwizzle>(0)));
  map.l2_promotion = choice_or(json, "l2_promotion", L2Promotion::none);
  map.oob_fill = choice_or(json, "oob_fill", OobFill::zero);
  return map;
}

}  // namespace

std::array<std::uint8_t, 128> tensor_map_bytes(const std::string& text,
                                               const std::vector<BufferAddress>& buffers) {
  const Json json = Json::parse(text);
  machine::TensorMapObject object;
  if (json.contains("pixel_box_lower")) {
    object.im2col = true;
    object.column.tensor = tensor_of(json, buffers);
    fill(json, "pixel_box_lower", object.column.lower, kMaxSpatial);
    fill(json, "pixel_box_upper", object.column.upper, kMaxSpatial);
    object.column.channels_per_pixel = json.at("channels_per_pixel").get<std::uint64_t>();
    object.column.pixels_per_column = json.at("pixels_per_column").get<std::uint64_t>();
    object.column.wide = json.value("wide", false);
    object.column.wide_128 = json.value("wide_128", false);
  } else {
    object.tiled = tensor_of(json, buffers);
  }
  std::array<std::byte, 128> bytes{};
  machine::store_words(machine::encode_object(object), bytes);
  std::array<std::uint8_t, 128> result;
  std::memcpy(result.data(), bytes.data(), 128);
  return result;
}

}  // namespace lc::tests
