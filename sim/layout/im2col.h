#pragma once

#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_bits.h"
#include "sim/layout/tensor_map_rules.h"

/// cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide: what they accept, and the bytes they
/// write.
///
/// The sm_90 rules reproduce 1350 of 1350 im2col and 189 of 189 im2col-wide calls captured on an
/// H200 (driver 580, CUDA 13.0), and every byte of the 750 maps accepted.  There the wide call does
/// what the plain one does with corner 0 in all dimensions but W, whatever its mode.  cuda.h says
/// that it needs compute capability 10.0; its own rules are applied on sm_100 (not measured).
namespace lc {

inline constexpr int kMaxSpatial = 3;

/// The arguments of the im2col encoders: the tensor, and in place of a box the range of pixels that
/// the filter's base may take.  `tensor.box_dim` is unused.
struct Im2colMap {
  TensorMap tensor;
  std::int64_t lower[kMaxSpatial]{};  ///< corner offsets of W, H, D: innermost first, as measured
                                      ///< (cuda.h writes {D, H, W})
  std::int64_t upper[kMaxSpatial]{};
  std::uint64_t channels_per_pixel = 1;
  std::uint64_t pixels_per_column = 1;
  bool wide = false;      ///< im2col::w: `lower[0]` and `upper[0]` only
  bool wide_128 = false;  ///< im2col::w::128: always 128 pixels

  /// W; W and H; W, H and D.
  LC_HD constexpr int spatial() const { return tensor.rank - 2; }
  /// The tensor dimension of W.  With interleave, dimension 0 counts pixels and the channel slice
  /// stands at rank - 2 (measured: the box extents are judged against these dimensions).
  LC_HD constexpr int first_spatial() const {
    return tensor.interleave == Interleave::none ? 1 : 0;
  }
};

enum class Im2colRule : std::uint8_t {
  lower_range,
  upper_range,
  box_empty,
  channels_range,
  channels_padded,
  channels_bytes,
  channels_span,
  pixels_range,
  size,
  wide_arch,
  wide_swizzle,
  wide_swizzle_sources_differ,
  wide_interleave,
};

struct Im2colRuleRow {
  Im2colRule key;
  Rule rule;
};

inline constexpr Im2colRuleRow kIm2colRules[] = {
    {Im2colRule::lower_range,
     {"im2col.lower-range", Severity::error, "pixel_box_lower",
      "{value} does not fit the {limit} bits that a corner has at this rank"}},
    {Im2colRule::upper_range,
     {"im2col.upper-range", Severity::error, "pixel_box_upper",
      "{value} does not fit the {limit} bits that a corner has at this rank"}},
    {Im2colRule::box_empty,
     {"im2col.box-empty", Severity::error, "pixel_box_upper",
      "the corners leave {value} positions; at least 1 must remain"}},
    {Im2colRule::channels_range,
     {"im2col.channels-range", Severity::error, "channels_per_pixel", "{value} is not 1 to 256"}},
    {Im2colRule::channels_padded,
     {"im2col.channels-padded", Severity::error, "channels_per_pixel",
      "{value} is not 128, the only count of the padded types"}},
    {Im2colRule::channels_bytes,
     {"im2col.channels-bytes", Severity::error, "channels_per_pixel",
      "{value} elements are not a multiple of 16 bytes, which is {limit} elements"}},
    {Im2colRule::channels_span,
     {"im2col.channels-span", Severity::error, "channels_per_pixel",
      "a pixel holds {value} bytes, more than the {limit}-byte span of the swizzle"}},
    {Im2colRule::pixels_range,
     {"im2col.pixels-range", Severity::error, "pixels_per_column", "{value} is not 1 to 1024"}},
    {Im2colRule::size,
     {"im2col.size", Severity::error, "pixels_per_column",
      "the column holds {value} bytes, more than {limit} (228 KiB; measured on H200)"}},
    {Im2colRule::wide_arch,
     {"im2col.wide-arch", Severity::warning, "wide",
      "im2col-wide needs sm_100; the H200's driver writes a plain im2col map instead"}},
    {Im2colRule::wide_swizzle,
     {"im2col.wide-swizzle", Severity::error, "swizzle",
      "im2col-wide takes 64B, 128B or 128B_ATOM_32B (cuda.h; not measured)"}},
    {Im2colRule::wide_swizzle_sources_differ,
     {"im2col.wide-swizzle-sources-differ", Severity::warning, "swizzle",
      "cuda.h allows im2col-wide 64B, 128B and 128B_ATOM_32B only, PTX ISA forbids only none and "
      "128B_ATOM_32B_FLIP_8B; not measured"}},
    {Im2colRule::wide_interleave,
     {"im2col.wide-interleave", Severity::error, "interleave",
      "im2col-wide cannot be interleaved (PTX ISA 5.5.6; not measured)"}},
};

constexpr const Rule& rule_of(Im2colRule key) {
  return kIm2colRules[static_cast<int>(key)].rule;
}

inline constexpr std::uint64_t kMaxChannels = 256;
inline constexpr std::uint64_t kMaxPixels = 1024;

/// Bits of one corner offset: the rank's share of 16, or all of them for im2col-wide on sm_100.
constexpr int corner_bits(const Im2colMap& map, Arch arch) {
  if (map.wide && arch != Arch::sm_90) return 16;
  return map.spatial() == 1 ? 16 : (map.spatial() == 2 ? 8 : 5);
}

namespace detail {

struct Im2colCheck {
  const Im2colMap& map;
  Findings& findings;

  constexpr void add(Im2colRule key, std::int64_t value = 0, std::uint64_t limit = 0,
                     int index = -1) const {
    findings.add(rule_of(key), value, static_cast<std::int64_t>(limit), index);
  }

  constexpr void corners(Arch arch) const {
    const int bits = corner_bits(map, arch);
    const std::int64_t end = std::int64_t{1} << (bits - 1);
    for (int i = 0; i < (map.wide ? 1 : map.spatial()); ++i) {
      const std::int64_t low = map.lower[i], high = map.upper[i];
      const bool low_fits = low >= -end && low < end, high_fits = high >= -end && high < end;
      const int index = map.wide ? -1 : i;
      const std::uint64_t limit = static_cast<std::uint64_t>(bits);
      if (!low_fits) add(Im2colRule::lower_range, low, limit, index);
      if (!high_fits) add(Im2colRule::upper_range, high, limit, index);
      const std::uint64_t dim = map.tensor.global_dim[map.first_spatial() + i];
      if (!low_fits || !high_fits || dim > kMaxGlobalDim) continue;
      const std::int64_t extent = static_cast<std::int64_t>(dim) + high - low;
      if (extent <= 0) add(Im2colRule::box_empty, extent, 1, index);
    }
  }

  constexpr void column(Arch arch) const {
    const DataType type = map.tensor.data_type;
    const std::uint64_t channels = map.channels_per_pixel, pixels = map.pixels_per_column;
    // im2col::w::128 ignores the field; the H200's driver ignores the mode.
    const bool always_128 = map.wide_128 && arch != Arch::sm_90;
    const bool pixels_fit = always_128 || (pixels >= 1 && pixels <= kMaxPixels);
    if (!pixels_fit) add(Im2colRule::pixels_range, static_cast<std::int64_t>(pixels));
    if (channels < 1 || channels > kMaxChannels) {
      add(Im2colRule::channels_range, static_cast<std::int64_t>(channels));
      return;
    }
    if (is_padded(type) && channels != kPaddedBox) {
      add(Im2colRule::channels_padded, static_cast<std::int64_t>(channels));
      return;
    }
    const std::uint64_t bits = shared_bits(type, channels);
    const std::uint64_t span = swizzle_row(map.tensor.swizzle).span;
    if (bits % 128 != 0) {
      add(Im2colRule::channels_bytes, static_cast<std::int64_t>(channels),
          128 / shared_bits(type, 1));
    }
    if (map.tensor.interleave == Interleave::none && map.tensor.swizzle != Swizzle::none &&
        bits / 8 > span) {
      add(Im2colRule::channels_span, static_cast<std::int64_t>(bits / 8), span);
    }
    const std::uint64_t bytes = bits * (always_128 ? 128 : pixels) / 8;
    if (pixels_fit && bytes > kMaxBoxBytes) {
      add(Im2colRule::size, static_cast<std::int64_t>(bytes), kMaxBoxBytes);
    }
  }

  constexpr void wide(Arch arch) const {
    if (!map.wide) return;
    if (arch == Arch::sm_90) {
      add(Im2colRule::wide_arch);
      return;
    }
    switch (map.tensor.swizzle) {
      case Swizzle::none:
      case Swizzle::b128_32b_flip8:
        add(Im2colRule::wide_swizzle);
        break;
      case Swizzle::b32:
      case Swizzle::b128_64b:
        add(Im2colRule::wide_swizzle_sources_differ);
        break;
      default:
        break;
    }
    if (map.tensor.interleave != Interleave::none) add(Im2colRule::wide_interleave);
  }
};

}  // namespace detail

/// Every rule that the im2col encoders would find broken, and advice.
constexpr Findings check_im2col_map(const Im2colMap& map, Arch arch) {
  Findings findings;
  const detail::TensorMapCheck frame{map.tensor, findings};
  if (!detail::check_frame(frame, arch, 3)) return findings;
  detail::check_tensor(frame);
  frame.element_strides();
  const detail::Im2colCheck check{map, findings};
  check.wide(arch);
  check.corners(arch);
  check.column(arch);
  return findings;
}

constexpr bool is_accepted(const Im2colMap& map, Arch arch) {
  return !check_im2col_map(map, arch).has_error();
}

namespace tensor_map_field {
inline constexpr TensorMapField kChannels{{"channels_per_pixel", 56, 8, 0}, 6, 0, 1};
inline constexpr TensorMapField kLowerCorners{{"pixel_box_lower", 0, 16, 0}, 7, 0, 1};
inline constexpr TensorMapField kUpperCorners{{"pixel_box_upper", 16, 16, 0}, 7, 0, 1};
inline constexpr TensorMapField kPixels{{"pixels_per_column", 32, 10, 0}, 7, 0, 1};
}  // namespace tensor_map_field

/// The bytes that an H200's driver writes for an im2col map it accepts: the tensor as in a tiled
/// map, bit 64, and in place of the box the corners (16, 2 x 8 or 3 x 5 bits each), channels and
/// pixels.
constexpr TensorMapWords encode_im2col_map(const Im2colMap& map) {
  namespace field = tensor_map_field;
  TensorMapWords words = encode_tensor(map.tensor);
  const int bits = corner_bits(map, Arch::sm_90);
  const auto packed = [&](const std::int64_t* corner) {
    std::uint64_t value = 0;
    for (int i = 0; i < (map.wide ? 1 : map.spatial()); ++i) {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      value |= (static_cast<std::uint64_t>(corner[i]) & mask) << (i * bits);
    }
    return value;
  };
  field::kIm2col.put(words, 1);
  field::kChannels.put(words, map.channels_per_pixel - 1);
  field::kLowerCorners.put(words, packed(map.lower));
  field::kUpperCorners.put(words, packed(map.upper));
  field::kPixels.put(words, map.pixels_per_column - 1);
  field::kBoxBytes.put(
      words, shared_bits(map.tensor.data_type, map.channels_per_pixel) / 8 * map.pixels_per_column);
  return words;
}

struct DecodedIm2colMap {
  Im2colMap map;
  Findings findings;
};

/// The fields of an im2col map; what differs from the encoder's bytes is reported.
constexpr DecodedIm2colMap decode_im2col_map(const TensorMapWords& words) {
  namespace field = tensor_map_field;
  DecodedIm2colMap decoded{};
  Im2colMap& map = decoded.map;
  map.tensor = detail::decode_fields(words);
  for (std::uint64_t& box : map.tensor.box_dim.at) box = 1;
  detail::check_decoded_kinds(map.tensor, words, decoded.findings);
  if (map.tensor.rank < 3) decoded.findings.add(rule_of(TensorMapRule::rank), map.tensor.rank, 3);
  if (decoded.findings.has_error()) return decoded;
  const int bits = corner_bits(map, Arch::sm_90);
  const auto corner = [&](std::uint64_t packed, int i) {
    const std::uint64_t raw = packed >> (i * bits) & ((std::uint64_t{1} << bits) - 1);
    const std::int64_t sign = std::int64_t{1} << (bits - 1);
    return (static_cast<std::int64_t>(raw) ^ sign) - sign;
  };
  for (int i = 0; i < map.spatial(); ++i) {
    map.lower[i] = corner(field::kLowerCorners.raw(words), i);
    map.upper[i] = corner(field::kUpperCorners.raw(words), i);
  }
  map.channels_per_pixel = field::kChannels.raw(words) + 1;
  map.pixels_per_column = field::kPixels.raw(words) + 1;
  detail::compare_words(words, encode_im2col_map(map), decoded.findings);
  return decoded;
}

}  // namespace lc
