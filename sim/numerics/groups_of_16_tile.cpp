#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/tile_methods.h"

namespace lc::numerics {
namespace {

constexpr std::size_t kGroup = 16;

/// One term of the window rule: a group's exact sum times the significands of its scale factors;
/// its exponent is that of the scale factors alone.
struct GroupTerm {
  double significand;
  int exponent;
};

/// Sums of 16 products of e2m1 numbers are multiples of 1/4 up to 576, so float adds them exactly;
/// scale factors add at most 4 + 4 bits.  A term cut at 2^(E - 35) is below 2^47: 64 bits hold it.
std::uint32_t sum_groups(const DotRule& rule, const std::vector<GroupTerm>& terms,
                         const GroupTerm& c) {
  int largest = kFloorExponent;
  for (const GroupTerm& t : terms) {
    if (t.significand != 0) largest = std::max(largest, t.exponent);
  }
  if (c.significand != 0) largest = std::max(largest, c.exponent);
  const auto cut = [&](const GroupTerm& t) {
    return static_cast<std::int64_t>(t.significand *
                                     power_of_two(t.exponent - largest + rule.window));
  };
  std::int64_t sum = c.significand == 0 ? 0 : cut(c);
  for (const GroupTerm& t : terms) {
    if (t.significand != 0) sum += cut(t);
  }
  const double value = static_cast<double>(sum) * power_of_two(largest - rule.window);
  return finish_any(rule.d, rule.fraction_bits, value);
}

GroupTerm c_term(std::uint32_t word, const TileOptions& options) {
  if (!options.read_c || is_special_word(Format::f32, word)) return {0, 0};
  const Unpacked u = unpack(Format::f32, word);
  const double significand = u.significand * 0x1p-23;
  return {u.negative ? -significand : significand, u.exponent};
}

}  // namespace

/// Kinds mxf4 and mxf4nvf4.  `scales_per_row` factors divide the K elements into equal blocks of
/// one or more groups; a tile without factors counts as scaled by 1.
void groups_of_16_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                       const TileOptions& options) {
  assert(a.k() % kGroup == 0);
  const std::size_t groups = a.k() / kGroup, stride = b.stride();
  const float sign = product_sign(options);
  std::vector<float> sums(groups * a.mn() * stride, 0.0f);
  for (std::size_t g = 0; g < groups; ++g) {
    float* part = sums.data() + g * a.mn() * stride;
    if (options.positions == nullptr) {
      plain_product(a, b, g * kGroup, (g + 1) * kGroup, sign, part);
      continue;
    }
    for (std::size_t m = 0; m < a.mn(); ++m) {
      plain_row(a, b, m, g * kGroup, (g + 1) * kGroup, positions_of_row(options, a, m),
                part + m * stride);
      for (std::size_t n = 0; n < stride; ++n) part[m * stride + n] *= sign;
    }
  }
  const auto block = [&](const Operand& o, std::size_t g) {
    return g * o.scales_per_row() / groups;
  };
  std::vector<GroupTerm> terms(groups);
  for (std::size_t m = 0; m < a.mn(); ++m) {
    for (std::size_t n = 0; n < b.mn(); ++n) {
      std::uint32_t& d = cd.words[m * cd.row_stride + n];
      for (std::size_t g = 0; g < groups; ++g) {
        terms[g] = {sums[(g * a.mn() + m) * stride + n], 0};
        for (const auto& [o, mn] : {std::pair{&a, m}, std::pair{&b, n}}) {
          if (!o->has_scales()) continue;
          terms[g].significand *= o->scale_significand(mn, block(*o, g));
          terms[g].exponent += o->scale_exponent(mn, block(*o, g));
        }
      }
      const auto special = special_result(rule, a, b, m, n, d, options);
      d = special ? *special : sum_groups(rule, terms, c_term(d, options));
    }
  }
}

}  // namespace lc::numerics
