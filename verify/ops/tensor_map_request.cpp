#include "verify/ops/tensor_map_request.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/layout/tensor_map_rules.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

/// Longer lists are no tensor of any kind.
constexpr std::size_t kMaxEntries = 16;

/// Reads a list of `count` entries, or of any length when the rank means nothing.
template <class T, class Out>
void fill(const Request& request, const char* field, const std::vector<T>& list, std::size_t count,
          bool checked, Out& out) {
  if (checked && list.size() != count) {
    request.fail(field, fmt::format("{} entries, but this tensor has {}", list.size(), count),
                 std::strcmp(field, "global_strides") == 0
                     ? "one stride in bytes for every dimension but the innermost"
                     : "one entry per dimension, innermost first");
  }
  for (std::size_t i = 0; i < list.size() && i < std::size(out); ++i) out[i] = list[i];
}

/// Everything but the box.
TensorMap read_tensor(const Request& request, int min_rank) {
  TensorMap map;
  map.data_type = request.choice<DataType>("data_type");
  map.global_address = request.number("global_address");
  const std::vector<std::uint64_t> dims = request.numbers("global_dim", kMaxEntries);
  map.rank = static_cast<int>(dims.size());
  const bool legal = map.rank >= min_rank && map.rank <= kMaxRank;
  fill(request, "global_dim", dims, dims.size(), false, map.global_dim.at);
  if (map.rank > 1 || request.has("global_strides")) {
    fill(request, "global_strides", request.numbers("global_strides", kMaxEntries),
         map.rank > 0 ? dims.size() - 1 : 0, legal, map.global_stride.at);
  }
  fill(request, "element_strides", request.numbers("element_strides", kMaxEntries), dims.size(),
       legal, map.element_stride.at);
  map.interleave = request.choice<Interleave>("interleave");
  map.swizzle = static_cast<Swizzle>(request.choice<TensorMapSwizzle>("swizzle"));
  map.l2_promotion = request.choice<L2Promotion>("l2_promotion");
  map.oob_fill = request.choice<OobFill>("oob_fill");
  return map;
}

/// A list with an entry per spatial dimension; im2col-wide may give the width as a plain number.
void read_corner(const Request& request, const char* field, const Im2colMap& map, bool legal,
                 std::int64_t (&out)[kMaxSpatial]) {
  if (map.wide && !request.raw(field).is_array()) {
    out[0] = request.integer(field);
    return;
  }
  const std::vector<std::int64_t> list = request.integers(field, kMaxEntries);
  const std::size_t count = map.wide ? 1 : static_cast<std::size_t>(legal ? map.spatial() : 0);
  if (legal && list.size() != count) {
    request.fail(field, fmt::format("{} entries, but {} are needed", list.size(), count),
                 "one per spatial dimension: W, then H, then D");
  }
  for (std::size_t i = 0; i < list.size() && i < kMaxSpatial; ++i) out[i] = list[i];
}

template <class E>
Answer named(std::uint64_t number) {
  const E value = enumerator_of<E>(number);
  return is_known(value) ? Answer(name_of(value)) : Answer(number);
}

Answer value_of_field(const char* field, std::uint64_t value) {
  const std::string name = field;
  if (name == "data_type") return named<DataType>(value);
  if (name == "interleave") return named<Interleave>(value);
  if (name == "swizzle") return named<TensorMapSwizzle>(value);
  if (name == "l2_promotion") return named<L2Promotion>(value);
  if (name == "oob_fill") return named<OobFill>(value);
  if (name == "global_address") return hex64(value);
  return value;
}

}  // namespace

TensorMap read_tensor_map(const Request& request) {
  TensorMap map = read_tensor(request, 1);
  const bool legal = has_legal_rank(map);
  fill(request, "box_dim", request.numbers("box_dim", kMaxEntries),
       static_cast<std::size_t>(map.rank), legal, map.box_dim.at);
  return map;
}

Im2colMap read_im2col_map(const Request& request) {
  Im2colMap map;
  map.tensor = read_tensor(request, 3);
  map.wide = request.flag_or("wide", false);
  map.wide_128 = map.wide && request.flag_or("wide_128", false);
  const bool legal = has_legal_rank(map.tensor) && map.tensor.rank >= 3;
  read_corner(request, "pixel_box_lower", map, legal, map.lower);
  read_corner(request, "pixel_box_upper", map, legal, map.upper);
  map.channels_per_pixel = request.number("channels_per_pixel");
  map.pixels_per_column = request.number("pixels_per_column");
  return map;
}

Coordinates read_coordinates(const Request& request, int rank, const char* field) {
  Coordinates first{};
  fill(request, field, request.integers(field, kMaxEntries), static_cast<std::size_t>(rank), true,
       first.at);
  for (int i = 0; i < rank; ++i) {
    if (first[i] >= INT32_MIN && first[i] <= INT32_MAX) continue;
    request.fail(fmt::format("{}[{}]", field, i), fmt::format("{} does not fit", first[i]),
                 "coordinates are signed 32-bit numbers");
  }
  return first;
}

std::uint64_t read_smem_address(const Request& request) {
  return request.number("smem_address", 0, UINT32_MAX);
}

Answer to_json(const TensorMap& map) {
  const auto list = [](const auto& values, int count) {
    Answer out = Answer::array();
    for (int i = 0; i < count; ++i) out.push_back(values[i]);
    return out;
  };
  return {{"data_type", name_of(map.data_type)},
          {"global_address", hex64(map.global_address)},
          {"global_dim", list(map.global_dim, map.rank)},
          {"global_strides", list(map.global_stride, map.rank - 1)},
          {"box_dim", list(map.box_dim, map.rank)},
          {"element_strides", list(map.element_stride, map.rank)},
          {"interleave", name_of(map.interleave)},
          {"swizzle", name_of(static_cast<TensorMapSwizzle>(map.swizzle))},
          {"l2_promotion", name_of(map.l2_promotion)},
          {"oob_fill", name_of(map.oob_fill)}};
}

Answer to_json(const TensorMapChanges& changes) {
  Answer out = Answer::array();
  for (const TensorMapChange& change : changes) {
    const std::string field =
        change.index < 0 ? change.field : fmt::format("{}[{}]", change.field, change.index);
    out.push_back({{"field", field},
                   {"from", value_of_field(change.field, change.from)},
                   {"to", value_of_field(change.field, change.to)}});
  }
  return out;
}

std::string hex_of(const TensorMapWords& words) {
  std::string text;
  for (std::size_t i = 0; i < 128; ++i) text += fmt::format("{:02x}", words.byte(i));
  return text;
}

}  // namespace lc::verify
