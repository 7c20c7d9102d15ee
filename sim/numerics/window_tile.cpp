#include <algorithm>
#include <vector>

#include "sim/numerics/accumulator.h"
#include "sim/numerics/tile_methods.h"
#include "sim/numerics/window_rows.h"

namespace lc::numerics {
namespace {

/// An operand in double, times a sign, with its scale factors (one per row or column) multiplied
/// in.
struct WideOperand {
  std::vector<double> value;
  std::vector<std::int16_t> exponent;

  WideOperand(const Operand& from, double sign) {
    const std::size_t size =
        from.side() == Side::a ? from.mn() * from.stride() : from.k() * from.stride();
    value.assign(from.values(), from.values() + size);
    exponent.assign(from.exponents(), from.exponents() + size);
    for (double& v : value) v *= sign;
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
        operand_specials_(any_special(a) || any_special(b)),
        wide_a_(a, product_sign(options)),
        wide_b_(b, 1.0) {}

  void run(Accumulators cd) const {
    for (std::size_t m = 0; m < a_.mn(); ++m) {
      for (std::size_t n = 0; n < b_.mn(); n += kBlock) {
        const std::size_t columns = std::min(kBlock, b_.mn() - n);
        block(m, n, columns, cd.words + m * cd.row_stride + n);
      }
    }
  }

 private:
  void block(std::size_t m, std::size_t n, std::size_t columns, std::uint32_t* words) const {
    const std::size_t padded = (columns + 7) / 8 * 8;
    std::uint32_t before[kBlock] = {}, after[kBlock];
    if (options_.read_c) std::copy_n(words, columns, before);
    AccumulatorBlock c;
    const bool c_special = load_accumulators(rule_.d, before, padded, c);
    const std::size_t row = m * a_.stride();
    window_row(rule_,
               {wide_a_.value.data() + row, wide_a_.exponent.data() + row, a_.k(),
                positions_of_row(options_, a_, m), wide_b_.value.data() + n,
                wide_b_.exponent.data() + n, b_.stride()},
               c, -options_.c_shift, padded, after);
    std::copy_n(after, columns, words);
    if (c_special || operand_specials_) put_specials(m, n, columns, before, words);
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
  const bool operand_specials_;
  const WideOperand wide_a_, wide_b_;
};

}  // namespace

void window_tile(const DotRule& rule, const Operand& a, const Operand& b, Accumulators cd,
                 const TileOptions& options) {
  const bool plain =
      options.path == Path::automatic && options.positions == nullptr && options.c_shift == 0;
  if (plain && exact_product(rule, a, b, product_sign(options), options.read_c, cd)) return;
  WindowTile(rule, a, b, options).run(cd);
}

}  // namespace lc::numerics
