#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "sim/layout/operand_rules.h"
#include "sim/layout/tensor_map_rules.h"
#include "sim/layout/tma_copy.h"
#include "verify/check/hypothesis.h"

/// Changes of a tensor map and of the copy that used it.
namespace lc::verify {
namespace {

struct Copy {
  TensorMap map;
  Coordinates first;
};

/// Proposes another copy, if the hardware would do it at all.
void propose(const Subject& s, Hypotheses& out, const char* kind, int cost, const Copy& copy,
             std::string text, std::string advice) {
  const TileDescription& d = s.description();
  if (check_tma_load(copy.map, copy.first, d.destination, d.arch).outcome != TmaOutcome::ok) return;
  if (make_tma_box(copy.map, copy.first, d.destination).footprint > kSmemWindowEnd) return;
  out.push_back({kind, std::move(text), std::move(advice),
                 image_of_box(copy.map, copy.first, d.destination, d.source_offset), d.source,
                 cost});
}

Copy copy_of(const Subject& s) {
  return {s.description().map, s.description().coordinates};
}

const char* swizzle_name(Swizzle swizzle) {
  return name_of(static_cast<TensorMapSwizzle>(swizzle));
}

void propose_swizzles(const Subject& s, Hypotheses& out) {
  for (const Swizzle swizzle : kAllSwizzles) {
    Copy copy = copy_of(s);
    const Swizzle was = copy.map.swizzle;
    if (swizzle == was) continue;
    copy.map.swizzle = swizzle;
    propose(
        s, out, "swizzle", 1, copy,
        fmt::format("was copied with swizzle {}, not {}", swizzle_name(swizzle), swizzle_name(was)),
        fmt::format("swizzle {} in the tensor map, or read the tile as {}", swizzle_name(was),
                    swizzle_name(swizzle)));
  }
}

void propose_element_sizes(const Subject& s, Hypotheses& out) {
  const std::uint32_t bits = data_type_row(s.description().map.data_type).bits;
  for (const DataType type : {DataType::u8, DataType::u16, DataType::u32, DataType::u64}) {
    Copy copy = copy_of(s);
    if (data_type_row(type).bits == bits) continue;
    copy.map.data_type = type;
    copy.map.oob_fill = OobFill::zero;
    propose(s, out, "element-size", 2, copy,
            fmt::format("was copied as {}-byte elements, not {}", data_type_row(type).bits / 8,
                        fmt::format("{} bits", bits)),
            fmt::format("data type {} in the tensor map", name_of(s.description().map.data_type)));
  }
}

void propose_modes(const Subject& s, Hypotheses& out) {
  const TensorMap& map = s.description().map;
  for (const Interleave mode : {Interleave::none, Interleave::b16, Interleave::b32}) {
    Copy copy = copy_of(s);
    if (mode == map.interleave) continue;
    copy.map.interleave = mode;
    propose(s, out, "interleave", 2, copy,
            fmt::format("was copied with interleave {}", name_of(mode)),
            fmt::format("interleave {} in the tensor map", name_of(map.interleave)));
  }
  Copy copy = copy_of(s);
  copy.map.oob_fill = map.oob_fill == OobFill::zero ? OobFill::nan : OobFill::zero;
  propose(s, out, "fill", 1, copy,
          fmt::format("is filled with {} outside of the tensor, not {}", name_of(copy.map.oob_fill),
                      name_of(map.oob_fill)),
          fmt::format("oob_fill {} in the tensor map", name_of(map.oob_fill)));
}

void propose_element_strides(const Subject& s, Hypotheses& out) {
  const TensorMap& map = s.description().map;
  for (int k = 0; k < map.rank; ++k) {
    for (std::uint64_t stride = 1; stride <= 8; ++stride) {
      Copy copy = copy_of(s);
      if (stride == map.element_stride[k]) continue;
      copy.map.element_stride[k] = stride;
      propose(s, out, "element-stride", 2, copy,
              fmt::format("was copied with element stride {} in dimension {}, not {}", stride, k,
                          map.element_stride[k]),
              fmt::format("element_strides[{}] = {} in the tensor map", k, map.element_stride[k]));
    }
  }
}

void propose_global_strides(const Subject& s, Hypotheses& out) {
  const TensorMap& map = s.description().map;
  const std::size_t first_axis = map.interleave == Interleave::none ? 1 : 0;
  std::uint64_t packed = map.global_dim[0] * data_type_row(map.data_type).bits / 8;
  for (int k = 1; k < map.rank; ++k) {
    const std::uint64_t was = map.global_stride[k - 1];
    std::set<std::uint64_t> strides{packed, was * 2, was / 2};
    for (const std::int64_t found :
         s.evidence.source_steps(static_cast<std::size_t>(k) - first_axis)) {
      strides.insert(static_cast<std::uint64_t>(found) / map.element_stride[k]);
    }
    for (const std::uint64_t stride : strides) {
      if (stride == was) continue;
      Copy copy = copy_of(s);
      copy.map.global_stride[k - 1] = stride;
      propose(s, out, "global-stride", 3, copy,
              fmt::format("was copied from rows {} bytes apart in dimension {}, not {}", stride, k,
                          was),
              fmt::format("global_strides[{}] = {} bytes", k - 1, was));
    }
    packed = was * map.global_dim[k];
  }
}

/// Coordinates that are `shift` source bytes away, largest strides first.
std::vector<Coordinates> decoded(const TileDescription& d, std::int64_t shift) {
  std::array<int, kMaxRank> order{0, 1, 2, 3, 4};
  const auto stride = [&](int k) {
    if (k != 0) return static_cast<std::int64_t>(d.map.global_stride[k - 1]);
    if (d.map.interleave != Interleave::none) {
      return d.map.interleave == Interleave::b16 ? std::int64_t{16} : std::int64_t{32};
    }
    return std::max<std::int64_t>(data_type_row(d.map.data_type).bits / 8, 1);
  };
  std::stable_sort(order.begin(), order.begin() + d.map.rank,
                   [&](int a, int b) { return stride(a) > stride(b); });
  std::vector<Coordinates> out;
  for (const bool nearest : {false, true}) {
    Coordinates at = d.coordinates;
    std::int64_t rest = shift;
    for (int i = 0; i < d.map.rank; ++i) {
      const std::int64_t step = stride(order[i]);
      if (step == 0) continue;
      std::int64_t steps = rest / step;
      if (nearest) steps = (rest + (rest < 0 ? -step / 2 : step / 2)) / step;
      at[order[i]] += steps;
      rest -= steps * step;
    }
    if (rest == 0) out.push_back(at);
  }
  return out;
}

void propose_coordinates(const Subject& s, Hypotheses& out) {
  const TileDescription& d = s.description();
  std::vector<Coordinates> seen{d.coordinates};
  const auto add = [&](const Coordinates& first, int cost, const char* why) {
    if (std::find(seen.begin(), seen.end(), first) != seen.end()) return;
    seen.push_back(first);
    for (int k = 0; k < d.map.rank; ++k) {
      if (first[k] < INT32_MIN || first[k] > INT32_MAX) return;
    }
    std::string list;
    for (int k = 0; k < d.map.rank; ++k) list += fmt::format("{}{}", k == 0 ? "" : ", ", first[k]);
    propose(s, out, "coordinates", cost, {d.map, first},
            fmt::format("was copied from coordinates ({}){}", list, why),
            "check the coordinates: order (innermost first), units (elements), block number");
  };
  for (int k = 0; k < d.map.rank; ++k) {
    const auto box = static_cast<std::int64_t>(d.map.box_dim[k]);
    for (const std::int64_t step :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16},
          std::int64_t{32}, std::int64_t{64}, box, box / 2, 2 * box}) {
      for (const std::int64_t signed_step : {step, -step}) {
        Coordinates first = d.coordinates;
        first[k] += signed_step;
        add(first, 2,
            step != box       ? ""
            : signed_step < 0 ? ", one box earlier"
                              : ", one box further");
      }
    }
    Coordinates zero = d.coordinates;
    zero[k] = 0;
    add(zero, 2, "");
    for (int j = 0; j < k; ++j) {
      Coordinates exchanged = d.coordinates;
      std::swap(exchanged[j], exchanged[k]);
      add(exchanged, 2, ", two of them exchanged");
    }
  }
  for (const std::int64_t shift : s.evidence.source_shifts()) {
    for (const Coordinates& first : decoded(d, shift)) add(first, 3, "");
  }
}

/// The rows are there, but its outer dimensions are nested in another order.
void propose_box_orders(const Subject& s, Hypotheses& out) {
  std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
  const std::size_t axes = s.image.axis_count;
  const int first_dimension = s.description().map.interleave == Interleave::none ? 1 : 0;
  while (std::next_permutation(order.begin(), order.begin() + axes)) {
    Image image = s.image;
    std::uint64_t step = axes == 0 ? 0 : s.image.axis[0].step;
    std::string list;
    for (std::size_t i = 0; i < axes; ++i) {
      image.axis[order[i]].step = step;
      step *= image.axis[order[i]].count;
      list += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<int>(order[i]) + first_dimension);
    }
    out.push_back({"box-order", fmt::format("has its rows in the order of dimensions {}", list),
                   "order the tensor map's dimensions as the tile wants its rows", image,
                   s.description().source, 2});
  }
}

void propose_boxes(const Subject& s, Hypotheses& out) {
  const TensorMap& map = s.description().map;
  const auto add = [&](const TensorMap& changed) {
    if (changed.box_dim == map.box_dim) return;
    std::string list;
    for (int k = 0; k < map.rank; ++k) {
      list += fmt::format("{}{}", k == 0 ? "" : ", ", changed.box_dim[k]);
    }
    propose(s, out, "box", 3, {changed, s.description().coordinates},
            fmt::format("was copied with box {{{}}}", list), "check box_dim in the tensor map");
  };
  for (int k = 0; k < map.rank; ++k) {
    for (const std::uint64_t extent : {map.box_dim[k] / 2, map.box_dim[k] * 2}) {
      TensorMap changed = map;
      changed.box_dim[k] = extent;
      add(changed);
    }
    for (int j = 0; j < k; ++j) {
      TensorMap changed = map;
      std::swap(changed.box_dim[j], changed.box_dim[k]);
      add(changed);
    }
  }
}

constexpr Generator kGenerators[] = {
    {"swizzle", propose_swizzles},
    {"element-size", propose_element_sizes},
    {"interleave", propose_modes},
    {"element-stride", propose_element_strides},
    {"global-stride", propose_global_strides},
    {"coordinates", propose_coordinates},
    {"box-order", propose_box_orders},
    {"box", propose_boxes},
};

}  // namespace

std::span<const Generator> box_generators() {
  return kGenerators;
}

}  // namespace lc::verify
