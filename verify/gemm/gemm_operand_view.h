#pragma once

#include <cstdint>

#include "verify/gemm/gemm_values.h"

namespace lc::verify {

/// A or B: element (mn, k), whichever way it lies in memory.
class OperandView {
 public:
  OperandView(const kernel::GemmProblem& p, bool is_a, const GemmData& data)
      : type_(p.type),
        matrix_(is_a ? kernel::matrix_a(p) : kernel::matrix_b(p)),
        scales_(kernel::scales_of(is_a ? p.m : p.n, p.k, p.type)),
        k_major_((is_a ? p.a_major : p.b_major) == kernel::GemmMajor::k),
        bytes_(is_a ? data.a : data.b),
        scale_bytes_(is_a ? data.scale_a : data.scale_b) {}

  std::uint32_t code(std::uint64_t mn, std::uint64_t k) const {
    const std::uint64_t row = k_major_ ? mn : k, i = k_major_ ? k : mn;
    return code_at(&bytes_[row * matrix_.pitch], i, kernel::bits_of(type_));
  }
  std::uint8_t scale(std::uint64_t mn, std::uint64_t block) const {
    return scale_bytes_[scale_at(scales_, mn, block)];
  }
  double value(std::uint64_t mn, std::uint64_t k) const {
    const double x = numerics::to_double(format_of(type_), code(mn, k));
    if (!kernel::block_scaled(type_)) return x;
    return x * numerics::to_double(scale_format(type_), scale(mn, k / kernel::scale_block(type_)));
  }

 private:
  kernel::GemmType type_;
  kernel::GemmMatrix matrix_;
  kernel::GemmScales scales_;
  bool k_major_;
  const Bytes& bytes_;
  const Bytes& scale_bytes_;
};

}  // namespace lc::verify
