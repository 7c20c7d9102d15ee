#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace lc::tests {

/// A magnitude of 1536 bits.  Only what reference_dot needs: shifts, sums, comparison, bits.
class BigNatural {
 public:
  static constexpr int kWords = 24, kBits = 64 * kWords;

  BigNatural() = default;
  /// value * 2^shift.
  BigNatural(std::uint64_t value, int shift) {
    const int word = shift / 64, rest = shift % 64;
    words_.at(word) = value << rest;
    if (rest != 0) words_.at(word + 1) = value >> (64 - rest);
  }

  bool bit(int i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  bool zero() const { return top() < 0; }
  /// Index of the highest set bit, -1 for zero.
  int top() const {
    int i = kWords - 1;
    while (i >= 0 && words_[i] == 0) --i;
    return i < 0 ? -1 : 64 * i + 63 - std::countl_zero(words_[i]);
  }
  void clear_below(int i) {
    for (int w = 0; w < i / 64; ++w) words_[w] = 0;
    words_.at(i / 64) &= ~std::uint64_t{0} << (i % 64);
  }
  bool any_below(int i) const {
    BigNatural kept = *this;
    kept.clear_below(i);
    return kept.words_ != words_;
  }

  friend bool operator<(const BigNatural& x, const BigNatural& y) {
    for (int i = kWords - 1; i >= 0; --i) {
      if (x.words_[i] != y.words_[i]) return x.words_[i] < y.words_[i];
    }
    return false;
  }
  friend BigNatural operator+(const BigNatural& x, const BigNatural& y) {
    BigNatural sum;
    unsigned __int128 carry = 0;
    for (int i = 0; i < kWords; ++i) {
      carry += static_cast<unsigned __int128>(x.words_[i]) + y.words_[i];
      sum.words_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return sum;
  }
  /// x - y for y <= x.
  friend BigNatural operator-(const BigNatural& x, const BigNatural& y) {
    BigNatural difference;
    std::uint64_t borrow = 0;
    for (int i = 0; i < kWords; ++i) {
      const unsigned __int128 take = static_cast<unsigned __int128>(y.words_[i]) + borrow;
      borrow = take > x.words_[i] ? 1 : 0;
      difference.words_[i] = static_cast<std::uint64_t>(x.words_[i] - take);
    }
    return difference;
  }

 private:
  std::array<std::uint64_t, kWords> words_{};
};

/// Sign and magnitude.
struct BigInteger {
  bool negative = false;
  BigNatural magnitude;

  friend BigInteger operator+(const BigInteger& x, const BigInteger& y) {
    if (x.negative == y.negative) return {x.negative, x.magnitude + y.magnitude};
    if (x.magnitude < y.magnitude) return {y.negative, y.magnitude - x.magnitude};
    return {x.negative, x.magnitude - y.magnitude};
  }
};

}  // namespace lc::tests
