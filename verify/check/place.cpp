#include "verify/check/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verify/check/image.h"
#include "verify/check/walk.h"

namespace lc::verify {
namespace {

/// The strip that covers an address, with the byte of the row and the source bit that stand there.
struct Hit {
  std::uint64_t row, column, source_bit;
  bool fill;
};

std::optional<Hit> hit_of(const Image& image, std::uint64_t address) {
  std::optional<Hit> hit;
  const Source none;
  walk(image, none, [&](const Strip& s) {
    for_each_piece(s, [&](std::uint64_t at, std::uint32_t i, std::uint32_t n) {
      if (address < at || address - at >= n) return;
      const std::uint64_t in_strip = i + (address - at);
      hit = Hit{s.row, s.column + in_strip, s.source_bit + in_strip * 8, s.fill};
    });
    return !hit;
  });
  return hit;
}

std::string range(std::int64_t first, std::uint64_t count) {
  if (count <= 1) return fmt::format("{}", first);
  return fmt::format("{}..{}", first, first + static_cast<std::int64_t>(count) - 1);
}

/// Elements in a chunk: first of the row, and how many.
struct Elements {
  std::uint64_t first, count;
};
Elements elements_of(const Image& image, std::uint64_t column) {
  const std::uint64_t chunk = std::min<std::uint64_t>(16, image.width);
  const std::uint64_t per_chunk = std::max<std::uint64_t>(chunk * 8 / image.stored_bits, 1);
  const std::uint64_t first = column / chunk * chunk * 8 / image.stored_bits;
  return {first, std::min(per_chunk, image.inner_count - first)};
}

std::string operand_text(const TileDescription& d, std::int64_t row, std::int64_t first,
                         std::uint64_t count) {
  const bool k_major = d.kind == TileDescription::Kind::scale_factors || d.major == Major::k;
  return fmt::format("{} {}, {} {}", k_major ? "mn" : "k", row, k_major ? "k" : "mn",
                     range(first, count));
}

std::string box_text(const TileDescription& d, const std::array<std::int64_t, kMaxRank>& at,
                     const std::string& inner) {
  std::string text = d.map.interleave == Interleave::none ? "element (" : "pixel (";
  for (int k = 0; k < d.map.rank; ++k) {
    if (k != 0) text += ", ";
    text += k == 0 && d.map.interleave == Interleave::none ? inner : fmt::format("{}", at[k]);
  }
  return text + ")";
}

std::string elements_text(const TileDescription& d, const Image& image, const Hit& hit) {
  const Elements e = elements_of(image, hit.column);
  if (d.kind != TileDescription::Kind::tensor_map) {
    return operand_text(d, static_cast<std::int64_t>(hit.row), static_cast<std::int64_t>(e.first),
                        e.count);
  }
  std::array<std::int64_t, kMaxRank> at{};
  std::uint64_t row = hit.row;
  const std::size_t first_dimension = d.map.interleave == Interleave::none ? 1 : 0;
  for (std::size_t a = 0; a < image.axis_count; ++a) {
    const RowAxis& axis = image.axis[a];
    at[first_dimension + a] =
        axis.bounds.first + static_cast<std::int64_t>(row % axis.count) * axis.bounds.advance;
    row /= axis.count;
  }
  return box_text(d, at,
                  range(image.inner_bounds.first + static_cast<std::int64_t>(e.first), e.count));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

std::string box_source_place(const TileDescription& d, std::int64_t relative) {
  if (relative < 0) return "";
  std::array<int, kMaxRank> order{0, 1, 2, 3, 4};
  const bool pixels = d.map.interleave != Interleave::none;
  const std::uint64_t unit = pixels ? (d.map.interleave == Interleave::b16 ? 128 : 256)
                                    : data_type_row(d.map.data_type).bits;
  const auto stride = [&](int k) { return k == 0 ? unit : d.map.global_stride[k - 1] * 8; };
  std::stable_sort(order.begin(), order.begin() + d.map.rank,
                   [&](int a, int b) { return stride(a) > stride(b); });
  std::uint64_t bits = static_cast<std::uint64_t>(relative) * 8;
  std::array<std::int64_t, kMaxRank> at{};
  for (int i = 0; i < d.map.rank; ++i) {
    const int k = order[i];
    if (stride(k) == 0) continue;
    at[k] = static_cast<std::int64_t>(bits / stride(k));
    if (static_cast<std::uint64_t>(at[k]) >= d.map.global_dim[k]) return "";
    bits %= stride(k);
  }
  if (bits != 0) return "";
  return box_text(d, at, range(at[0], std::max<std::uint64_t>(128 / unit, 1)));
}

std::string operand_source_place(const TileDescription& d, std::int64_t relative) {
  const bool scales = d.kind == TileDescription::Kind::scale_factors;
  const std::int64_t bits = scales ? 8 : element_format(d.element).bits;
  std::int64_t mn_bits = static_cast<std::int64_t>(scales ? d.scale.k : d.k) * bits, k_bits = bits;
  if (d.source_strides) mn_bits = d.source_strides->mn * 8, k_bits = d.source_strides->k * 8;
  if (mn_bits <= 0 || k_bits <= 0) return "";
  const bool mn_outer = mn_bits >= k_bits;
  const std::int64_t outer = floor_divide(relative * 8, mn_outer ? mn_bits : k_bits);
  const std::int64_t rest = relative * 8 - outer * (mn_outer ? mn_bits : k_bits);
  if (rest % (mn_outer ? k_bits : mn_bits) != 0) return "";
  const std::int64_t inner = rest / (mn_outer ? k_bits : mn_bits);
  const std::int64_t mn = mn_outer ? outer : inner, k = mn_outer ? inner : outer;
  const std::uint64_t count = 128 / static_cast<std::uint64_t>(bits);
  // The 16 bytes run along the axis that is contiguous in the source.
  const bool along_k = k_bits == bits;
  return along_k ? fmt::format("mn {}, k {}", mn, range(k, count))
                 : fmt::format("k {}, mn {}", k, range(mn, count));
}

}  // namespace

Place place_of(const TileDescription& tile, std::uint64_t address) {
  Place p;
  p.address = address;
  const Image image = image_of(tile);
  const std::optional<Hit> hit = hit_of(image, address);
  if (!hit) return p;
  p.in_tile = true;
  p.fill = hit->fill;
  p.chunk = hit->column / 16;
  const SwizzleRow& swizzle = image.permutation.row;
  if (swizzle.mode != Swizzle::none) {
    p.atom = address / swizzle.alignment - image.start / swizzle.alignment;
    p.line = address % swizzle.alignment / 128;
  }
  p.elements = elements_text(tile, image, *hit);
  if (!hit->fill && image.inner_source_bits == image.element_bits) p.source = hit->source_bit / 8;
  return p;
}

std::string source_place(const TileDescription& tile, std::uint64_t offset) {
  const auto relative = static_cast<std::int64_t>(offset - tile.source_offset);
  if (relative > (std::int64_t{1} << 58) || relative < -(std::int64_t{1} << 58)) return "";
  return tile.kind == TileDescription::Kind::tensor_map ? box_source_place(tile, relative)
                                                        : operand_source_place(tile, relative);
}

std::string summary(const TileDescription& d) {
  if (d.kind == TileDescription::Kind::scale_factors) {
    return fmt::format("scale factors {} x {}", d.scale.mn, d.scale.k);
  }
  if (d.kind == TileDescription::Kind::descriptor) {
    return fmt::format("{} {} x {}, {}-major {}", name_of(d.element), d.mn, d.k,
                       d.major == Major::k ? "K" : "MN", name_of(d.descriptor.swizzle));
  }
  std::string box;
  for (int k = 0; k < d.map.rank; ++k) {
    box += fmt::format("{}{}", k == 0 ? "" : ",", d.map.box_dim[k]);
  }
  const std::string interleave = d.map.interleave == Interleave::none
                                     ? ""
                                     : fmt::format(" interleave {}", name_of(d.map.interleave));
  return fmt::format("box {} {{{}}} {}{}", name_of(d.map.data_type), box,
                     name_of(static_cast<TensorMapSwizzle>(d.map.swizzle)), interleave);
}

}  // namespace lc::verify
