#pragma once

#include <array>
#include <cstdint>

namespace lc::tests {

/// A magnitude of 1536 bits.  Only what reference_dot needs: shifts, sums, comparison, bits.
class BigNatural {
 public:
  static constexpr int kWords = 24, kBits = 64 * kWords;

  BigNatural() = default;
  /// value * 2^shift.
  BigNatural(std::uint64_t value, int shift) {
    for (int bit = 0; bit < 64; ++bit) {
      if ((value >> bit & 1) != 0) set(bit + shift);
    }
  }

  bool bit(int i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(int i) { words_.at(i / 64) |= std::uint64_t{1} << (i % 64); }

  bool zero() const { return top() < 0; }
  /// Index of the highest set bit, -1 for zero.
  int top() const {
    for (int i = kBits - 1; i >= 0; --i) {
      if (bit(i)) return i;
    }
    return -1;
  }
  void clear_below(int i) {
    for (int j = 0; j < i && j < kBits; ++j) words_[j / 64] &= ~(std::uint64_t{1} << (j % 64));
  }
  bool any_below(int i) const {
    for (int j = 0; j < i && j < kBits; ++j) {
      if (bit(j)) return true;
    }
    return false;
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
