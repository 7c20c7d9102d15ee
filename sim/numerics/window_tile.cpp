#include <algorithm>
#include <optional>
#include <vector>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/tile_methods.h"
#include "sim/numerics/window_rows.h"

namespace lc::numerics {
namespace {

/// An operand in double, with its scale factors multiplied in.
struct WideOperand {
  std::vector<double> value;
  std::vector<std::int16_t> exponent;

  explicit WideOperand(const Operand& from) {
    const std::size_t size =
        from.side() == Side::a ? from.mn() * from.stride() : from.k() * from.stride();
    value.assign(from.values(), from.values() + size);
    exponent.assign(from.exponents(), from.exponents() + size);
    if (!from.has_scales()) return;
    for (std::size_t mn = 0; mn < from.mn(); ++mn) {
      const int e = from.scale_exponent(mn, 0);
      const double factor = from.scale_significand(mn, 0) * power_of_two(e);
      for (std::size_t k = 0; k < from.k(); ++k) {
        const std::size_t i =
            from.side() == Side::a ? mn * from.stride() + k : k * from.stride() + mn;
        value[i] *= factor;
        const bool zero = exponent[i] == kNoExponent || factor == 0;
        exponent[i] = zero ? kNoExponent : static_cast<std::int16_t>(exponent[i] + e);
      }
    }
  }
};

bool within_narrow(const Range& a, const Range& b) {
  if (a.all_zero() || b.all_zero()) return true;
  return a.min_exponent + b.min_exponent >= kNarrowLow &&
         a.max_exponent + b.max_exponent <= kNarrowHigh;
}

bool within_narrow(const AccumulatorBlock& c, std::size_t n) {
  bool within = true;
  for (std::size_t j = 0; j < n; ++j) {
    const std::int16_t e = c.exponent[j];
    within &= e == kNoExponent || (e >= kNarrowLow && e <= kNarrowHigh);
  }
  return within;
}

/// Whether float holds the elements times their scale factors, far from its limits.
bool scales_fold(const Operand& operand) {
  if (!operand.has_scales() || operand.range().all_zero()) return true;
  int least = 0, most = 0;
  for (std::size_t mn = 0; mn < operand.mn(); ++mn) {
    least = std::min(least, operand.scale_exponent(mn, 0));
    most = std::max(most, operand.scale_exponent(mn, 0));
  }
  return operand.range().min_exponent + least >= kNarrowLow &&
         operand.range().max_exponent + most <= kNarrowHigh;
}

bool any_special(const Operand& operand) {
  return operand.has_specials() || operand.any_scale_nan();
}

/// One floating-point tile on its way through the window rule.
class WindowTile {
 public:
  WindowTile(const DotRule& rule, const Operand& a, const Operand& b, const TileOptions& options)
      : rule_(rule),
        a_(a),
        b_(b),
        options_(options),
        narrow_(options.path != Path::wide && options.c_shift == 0 && !a.has_scales() &&
                !b.has_scales() && within_narrow(a.range(), b.range())),
        operand_specials_(any_special(a) || any_special(b)) {
    row_.resize(a.k());
    wide_row_.resize(a.k());
  }

  void run(Accumulators cd) {
    for (std::size_t m = 0; m < a_.mn(); ++m) {
      for (std::size_t n = 0; n < b_.mn(); n += kBlock) {
        const std::size_t columns = std::min(kBlock, b_.mn() - n);
        block(m, n, columns, cd.words + m * cd.row_stride + n);
      }
    }
  }

 private:
  void block(std::size_t m, std::size_t n, std::size_t columns, std::uint32_t* words) {
    const std::size_t padded = (columns + 7) / 8 * 8;
    std::uint32_t before[kBlock] = {}, after[kBlock];
    if (options_.read_c) std::copy_n(words, columns, before);
    AccumulatorBlock c;
    const bool c_special = load_accumulators(rule_.d, before, padded, c);
    if (narrow_ && within_narrow(c, padded)) {
      narrow_block(m, n, padded, c, after);
    } else {
      wide_block(m, n, padded, c, after);
    }
    std::copy_n(after, columns, words);
    if (c_special || operand_specials_) put_specials(m, n, columns, before, words);
  }

  void narrow_block(std::size_t m, std::size_t n, std::size_t padded, const AccumulatorBlock& c,
                    std::uint32_t* d) {
    const float sign = product_sign(options_);
    for (std::size_t k = 0; k < a_.k(); ++k) row_[k] = sign * a_.values()[m * a_.stride() + k];
    window_row_narrow(
        rule_,
        {row_.data(), a_.exponents() + m * a_.stride(), a_.k(), positions_of_row(options_, a_, m),
         b_.values() + n, b_.exponents() + n, b_.stride()},
        c, padded, d);
  }

  void wide_block(std::size_t m, std::size_t n, std::size_t padded, const AccumulatorBlock& c,
                  std::uint32_t* d) {
    if (!wide_a_) {
      wide_a_.emplace(a_);
      wide_b_.emplace(b_);
    }
    const double sign = product_sign(options_);
    for (std::size_t k = 0; k < a_.k(); ++k) {
      wide_row_[k] = sign * wide_a_->value[m * a_.stride() + k];
    }
    window_row_wide(rule_,
                    {wide_row_.data(), wide_a_->exponent.data() + m * a_.stride(), a_.k(),
                     positions_of_row(options_, a_, m), wide_b_->value.data() + n,
                     wide_b_->exponent.data() + n, b_.stride()},
                    c, -options_.c_shift, padded, d);
  }

  void put_specials(std::size_t m, std::size_t n, std::size_t columns, const std::uint32_t* before,
                    std::uint32_t* words) const {
    const bool row = a_.special_row(m) || a_.scale_is_nan(m);
    for (std::size_t j = 0; j < columns; ++j) {
      if (!row && !b_.special_row(n + j) && !b_.scale_is_nan(n + j) &&
          !is_special_word(rule_.d, before[j])) {
        continue;
      }
      const auto d = special_result(rule_, a_, b_, m, n + j, before[j], options_);
      if (d) words[j] = *d;
    }
  }

  const DotRule& rule_;
  const Operand& a_;
  const Operand& b_;
  const TileOptions& options_;
  const bool narrow_, operand_specials_;
  std::vector<float> row_;
  std::vector<double> wide_row_;
  std::optional<WideOperand> wide_a_, wide_b_;
};

}  // namespace

void window_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                 const TileOptions& options) {
  const bool scaled = a.has_scales() || b.has_scales();
  if (scaled && options.path != Path::wide && scales_fold(a) && scales_fold(b)) {
    const Operand folded_a = a.has_scales() ? a.folded() : a;
    return window_tile(rule, folded_a, b.has_scales() ? b.folded() : b, cd, options);
  }
  const bool plain = options.path == Path::automatic && options.positions == nullptr && !scaled &&
                     options.c_shift == 0 && !any_special(a) && !any_special(b);
  if (plain && exact_product(rule, a, b, product_sign(options), options.read_c, cd)) return;
  WindowTile(rule, a, b, options).run(cd);
}

}  // namespace lc::numerics
