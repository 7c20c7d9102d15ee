#include "verify/gemm/gemm_explain.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/gemm/gemm_operand_view.h"
#include "verify/gemm/gemm_values.h"

namespace lc::verify {
namespace {

using kernel::GemmProblem;

constexpr std::size_t kSample = 160;  ///< wrong elements that an explanation has to fit

struct Element {
  std::uint32_t m = 0, n = 0;
  double found = 0, expected = 0;
};

/// D as numbers, and the elements that are wrong.
class Differences {
 public:
  /// The sample is of the tile that the first wrong element is in: another may be wrong otherwise.
  Differences(const GemmProblem& p, const kernel::GemmPlan& plan, const Bytes& found,
              const Bytes& expected)
      : p_(p), pitch_(kernel::matrix_d(p).pitch), found_(found), expected_(expected) {
    std::vector<Element> wrong;
    for (std::uint32_t m = 0; m < p.m; ++m) {
      for (std::uint32_t n = 0; n < p.n; ++n) {
        if (code(found, m, n) != code(expected, m, n)) wrong.push_back({m, n, 0, 0});
      }
    }
    const auto tile = [&](const Element& e) {
      return std::pair(e.m / std::min(128u, plan.tile[0]), e.n / plan.tile[1]);
    };
    if (!wrong.empty()) {
      std::erase_if(
          wrong, [&, first = tile(wrong.front())](const Element& e) { return tile(e) != first; });
    }
    const std::size_t step = std::max<std::size_t>(1, wrong.size() / kSample);
    for (std::size_t i = 0; i < wrong.size() && sample_.size() < kSample; i += step) {
      Element e = wrong[i];
      e.found = value(found, e.m, e.n);
      e.expected = value(expected, e.m, e.n);
      sample_.push_back(e);
    }
  }

  const std::vector<Element>& sample() const { return sample_; }
  double expected(std::uint32_t m, std::uint32_t n) const { return value(expected_, m, n); }
  bool has(std::int64_t m, std::int64_t n) const {
    return m >= 0 && n >= 0 && m < std::int64_t{p_.m} && n < std::int64_t{p_.n};
  }
  /// Every byte of the element is still what it was before the kernel ran.
  bool untouched(const Element& e, std::uint8_t byte) const {
    const unsigned bytes = kernel::bytes_of(p_.output);
    const std::uint8_t* at = &found_[e.m * pitch_ + std::size_t{e.n} * bytes];
    return std::all_of(at, at + bytes, [&](std::uint8_t b) { return b == byte; });
  }

 private:
  std::uint32_t code(const Bytes& d, std::uint32_t m, std::uint32_t n) const {
    return code_at(&d[m * pitch_], n, 8 * kernel::bytes_of(p_.output));
  }
  double value(const Bytes& d, std::uint32_t m, std::uint32_t n) const {
    return numerics::to_double(format_of(p_.output), code(d, m, n));
  }

  const GemmProblem& p_;
  std::uint64_t pitch_;
  const Bytes &found_, &expected_;
  std::vector<Element> sample_;
};

/// Shares of the sample that have to fit: a sum of few small integers fits by chance.
bool nearly_all(std::size_t fit, std::size_t of) {
  return of >= 4 && fit * 20 >= of * 19;
}

/// Every wrong element is the right one of a place a fixed distance away, or lies beyond D.
std::optional<std::string> moved(const Differences& d) {
  constexpr int kRows[] = {1, 2, 4, 8, 16, 32, 64, 96, 128, 256},
                kColumns[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const auto fits = [&](int rows, int columns) {
    std::size_t fit = 0, of = 0;
    for (const Element& e : d.sample()) {
      const std::int64_t m = std::int64_t{e.m} + rows, n = std::int64_t{e.n} + columns;
      if (!d.has(m, n)) continue;
      ++of;
      fit += e.found == d.expected(static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n));
    }
    return nearly_all(fit, of);
  };
  for (const int sign : {1, -1}) {
    for (const int rows : kRows) {
      if (fits(sign * rows, 0)) {
        return fmt::format(
            "wrong elements hold those {} rows {}: lanes of Tensor Memory, a row "
            "coordinate, or the tile's place",
            rows, sign > 0 ? "below" : "above");
      }
    }
    for (const int columns : kColumns) {
      if (fits(0, sign * columns)) {
        return fmt::format(
            "wrong elements hold those {} columns to the {}: columns of Tensor "
            "Memory, a column coordinate, or the tile's place",
            columns, sign > 0 ? "right" : "left");
      }
    }
  }
  return std::nullopt;
}

/// Rows or columns that are exchanged in pairs.
std::optional<std::string> exchanged(const Differences& d) {
  for (const std::uint32_t distance : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
    std::size_t rows = 0, columns = 0, of_rows = 0, of_columns = 0;
    for (const Element& e : d.sample()) {
      if (d.has(e.m ^ distance, e.n)) {
        ++of_rows;
        rows += e.found == d.expected(e.m ^ distance, e.n);
      }
      if (d.has(e.m, e.n ^ distance)) {
        ++of_columns;
        columns += e.found == d.expected(e.m, e.n ^ distance);
      }
    }
    if (nearly_all(rows, of_rows)) {
      return fmt::format(
          "blocks of {} rows are exchanged in pairs: warps or CTAs that take each "
          "other's rows",
          distance);
    }
    if (nearly_all(columns, of_columns)) {
      return fmt::format("blocks of {} columns are exchanged in pairs", distance);
    }
  }
  return std::nullopt;
}

/// Chunks of 16 bytes that stand where the 128B swizzle would have them, or would not.
bool swizzled(const GemmProblem& p, const Differences& d) {
  const std::uint32_t chunk = 16 / kernel::bytes_of(p.output);
  std::size_t fit = 0, of = 0;
  for (const Element& e : d.sample()) {
    const std::uint32_t n = e.n ^ (e.m & 7) * chunk;
    if (!d.has(e.m, n)) continue;
    ++of;
    fit += e.found == d.expected(e.m, n);
  }
  return nearly_all(fit, of);
}

/// The product of each piece of K, for the elements of the sample.
class Pieces {
 public:
  Pieces(const GemmProblem& p, const GemmData& data, const std::vector<Element>& sample,
         std::uint32_t piece)
      : piece_(piece), count_((p.k + piece - 1) / piece) {
    const OperandView a(p, true, data), b(p, false, data);
    for (const Element& e : sample) {
      std::vector<double>& row = of_.emplace_back(count_, 0.0);
      for (std::uint32_t k = 0; k < p.k; ++k) row[k / piece] += a.value(e.m, k) * b.value(e.n, k);
    }
  }

  std::uint32_t count() const { return count_; }
  const std::vector<std::vector<double>>& all() const { return of_; }
  /// Pieces `first` to `end` - 1.
  std::string text(std::uint32_t first, std::uint32_t end) const {
    return fmt::format("K {} to {}", first * piece_, end * piece_ - 1);
  }

 private:
  std::uint32_t piece_, count_;
  std::vector<std::vector<double>> of_;
};

/// Whole numbers c with found = sum of c[i] * pieces(i), which every element of the sample fits.
std::optional<std::vector<int>> counts(const std::vector<Element>& sample,
                                       const std::vector<std::vector<double>>& pieces) {
  const auto rows = static_cast<Eigen::Index>(sample.size());
  const auto columns = static_cast<Eigen::Index>(pieces.front().size());
  if (rows < columns + 8) return std::nullopt;  // any D would fit
  Eigen::MatrixXd a(rows, columns);
  Eigen::VectorXd b(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const auto i = static_cast<std::size_t>(r);
    for (Eigen::Index c = 0; c < columns; ++c) a(r, c) = pieces[i][static_cast<std::size_t>(c)];
    b(r) = sample[i].found;
  }
  const Eigen::VectorXd x = a.colPivHouseholderQr().solve(b);
  std::vector<int> out;
  Eigen::VectorXd whole(columns);
  for (Eigen::Index c = 0; c < columns; ++c) {
    if (!(std::abs(x(c)) < 1000)) return std::nullopt;
    whole(c) = std::round(x(c));
    out.push_back(static_cast<int>(whole(c)));
  }
  const Eigen::VectorXd error = a * whole - b;
  std::size_t fit = 0;
  for (Eigen::Index r = 0; r < rows; ++r) fit += error(r) == 0;
  if (!nearly_all(fit, sample.size())) return std::nullopt;
  return out;
}

/// "K 0 to 15 counts 4 times; K 16 to 63 is missing", as far as it deviates from once.
std::optional<std::string> miscounted(const std::vector<int>& count, const Pieces& pieces) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < pieces.count();) {
    std::uint32_t end = i + 1;
    while (end < pieces.count() && count[end] == count[i]) ++end;
    const std::string range = pieces.text(i, end);
    if (count[i] == 0) parts.push_back(range + " is missing");
    if (count[i] > 1) parts.push_back(fmt::format("{} counts {} times", range, count[i]));
    if (count[i] < 0) parts.push_back(range + " is subtracted");
    i = end;
  }
  if (parts.empty()) return std::nullopt;
  const bool more = parts.size() > kMost;
  parts.resize(std::min(parts.size(), kMost));
  return fmt::format(
      "{}{}: stages or slices that are read too early, twice, or not at all, or a sum "
      "that starts anew (enable-input-d)",
      fmt::join(parts, "; "), more ? " …" : "");
}

/// Slice i of A multiplied with slice j of B in each K tile: the products, slices inner.
std::vector<std::vector<double>> crossed(const GemmProblem& p, const GemmData& data,
                                         const std::vector<Element>& sample, std::uint32_t tile,
                                         std::uint32_t step) {
  const OperandView a(p, true, data), b(p, false, data);
  const std::uint32_t slices = tile / step;
  std::vector<std::vector<double>> out;
  for (const Element& e : sample) {
    std::vector<double>& row = out.emplace_back(std::size_t{slices} * slices, 0.0);
    for (std::uint32_t base = 0; base < p.k; base += tile) {
      for (std::uint32_t i = 0; i < slices; ++i) {
        for (std::uint32_t j = 0; j < slices; ++j) {
          for (std::uint32_t k = 0; k < step; ++k) {
            const std::uint32_t ka = base + i * step + k, kb = base + j * step + k;
            if (ka < p.k && kb < p.k) row[i * slices + j] += a.value(e.m, ka) * b.value(e.n, kb);
          }
        }
      }
    }
  }
  return out;
}

std::optional<std::string> crossed_slices(const std::vector<int>& count, std::uint32_t slices,
                                          std::uint32_t step) {
  for (std::uint32_t i = 0; i < slices; ++i) {
    for (std::uint32_t j = 0; j < slices; ++j) {
      if (i == j || count[i * slices + j] == 0) continue;
      return fmt::format(
          "in each stage K {} to {} of A is multiplied with K {} to {} of B: the start "
          "addresses of their K slices disagree",
          i * step, (i + 1) * step - 1, j * step, (j + 1) * step - 1);
    }
  }
  return std::nullopt;
}

bool plain(const GemmProblem& p) {
  return p.alpha == 1 && p.beta == 0 && !p.bias && p.output == kernel::GemmOutput::f32 &&
         p.activation == kernel::GemmActivation::none;
}

/// What the sum over K was made of.
std::optional<std::string> explain_sum(const GemmProblem& p, const kernel::GemmPlan& plan,
                                       const GemmData& data, const std::vector<Element>& sample) {
  const std::uint32_t step = 256 / kernel::bits_of(p.type), tile = plan.tile[2];
  for (const std::uint32_t piece : {tile, step}) {
    const Pieces pieces(p, data, sample, piece);
    const auto count = counts(sample, pieces.all());
    if (count) return miscounted(*count, pieces);
  }
  const std::uint32_t slices = tile / step;
  const auto count = counts(sample, crossed(p, data, sample, tile, step));
  return count ? crossed_slices(*count, slices, step) : std::nullopt;
}

}  // namespace

std::vector<std::string> explain_d(const GemmProblem& p, const kernel::GemmPlan& plan,
                                   const GemmData& data, const Bytes& found, const Bytes& expected,
                                   std::uint8_t untouched) {
  const Differences d(p, plan, found, expected);
  const std::vector<Element>& sample = d.sample();
  std::vector<std::string> out;
  const auto share = [&](auto&& holds) {
    return nearly_all(static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), holds)),
                      sample.size());
  };
  if (share([&](const Element& e) { return d.untouched(e, untouched); })) {
    out.push_back(
        "the wrong elements were never written: a store that is missing, goes elsewhere, "
        "or was not waited for");
    return out;
  }
  if (share([](const Element& e) { return e.found == 0; })) {
    out.push_back(
        "the wrong elements are 0: an operand that was not there yet, or a part of "
        "Tensor Memory that no product wrote");
  }
  if (share([](const Element& e) { return e.found == -e.expected; })) {
    out.push_back(
        "the wrong elements have the opposite sign: a negated operand (instruction "
        "descriptor) or factor");
  }
  if (swizzled(p, d)) {
    out.push_back(
        "16-byte chunk c of row r stands where chunk c ^ (r & 7) belongs: the buffer that "
        "is stored is not swizzled as its tensor map says");
    return out;
  }
  if (const auto place = moved(d)) {
    out.push_back(*place);
  } else if (const auto pairs = exchanged(d)) {
    out.push_back(*pairs);
  }
  if (!plain(p)) return out;
  if (const auto sum = explain_sum(p, plan, data, sample)) out.insert(out.begin(), *sum);
  return out;
}

}  // namespace lc::verify
