#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

// What a GEMM kernel is asked for.  Plain C++17; needs no CUDA header.
namespace lc::kernel {

/// Element types of A and B.  mxf8 is e4m3 with one ue8m0 scale per 32 elements of K, nvf4 is e2m1
/// with one ue4m3 scale per 16.
enum class GemmType : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, mxf8, nvf4 };

/// Which index is contiguous in memory: k, or m (of A) and n (of B).
enum class GemmMajor : std::uint8_t { k, mn };

/// Element type of C and D.
enum class GemmOutput : std::uint8_t { f32, f16, bf16, s32 };

/// What the epilogue does last, element by element.
enum class GemmActivation : std::uint8_t { none, relu, gelu, silu };

/// D = activation(alpha * A B + beta * C + bias), bias one f32 per column of D.  A is m x k, B is
/// k x n, C and D are row-major m x n.
struct GemmProblem {
  GemmType type = GemmType::f16;
  GemmOutput output = GemmOutput::f32;
  GemmMajor a_major = GemmMajor::k, b_major = GemmMajor::k;
  std::uint32_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  bool bias = false;
  GemmActivation activation = GemmActivation::none;
};

/// Why a kernel does not take a problem: which argument, why, what to try.
struct GemmRefusal : std::runtime_error {
  GemmRefusal(std::string where_, const std::string& what, std::string hint_ = "")
      : std::runtime_error(what), where(std::move(where_)), hint(std::move(hint_)) {}
  std::string where, hint;
};

constexpr unsigned bits_of(GemmType type) {
  switch (type) {
    case GemmType::tf32:
      return 32;
    case GemmType::f16:
    case GemmType::bf16:
      return 16;
    case GemmType::nvf4:
      return 4;
    default:
      return 8;
  }
}

constexpr unsigned bytes_of(GemmOutput type) {
  return type == GemmOutput::f32 || type == GemmOutput::s32 ? 4 : 2;
}

constexpr bool block_scaled(GemmType type) {
  return type == GemmType::mxf8 || type == GemmType::nvf4;
}

/// Elements of K that share one scale factor.
constexpr std::uint32_t scale_block(GemmType type) {
  return type == GemmType::nvf4 ? 16 : 32;
}

/// Bytes from one row of `elements` to the next.  Tensor maps take multiples of 16.
constexpr std::uint64_t row_pitch(std::uint64_t elements, unsigned bits) {
  return (elements * bits + 127) / 128 * 16;
}

/// A or B in memory: rows of `contiguous` elements, `pitch` bytes apart.
struct GemmMatrix {
  std::uint64_t rows = 0, contiguous = 0, pitch = 0;
  std::uint64_t bytes() const { return rows * pitch; }
};

constexpr GemmMatrix matrix_of(std::uint64_t mn, std::uint64_t k, GemmMajor major, unsigned bits) {
  const std::uint64_t rows = major == GemmMajor::k ? mn : k;
  const std::uint64_t contiguous = major == GemmMajor::k ? k : mn;
  return {rows, contiguous, row_pitch(contiguous, bits)};
}
constexpr GemmMatrix matrix_a(const GemmProblem& p) {
  return matrix_of(p.m, p.k, p.a_major, bits_of(p.type));
}
constexpr GemmMatrix matrix_b(const GemmProblem& p) {
  return matrix_of(p.n, p.k, p.b_major, bits_of(p.type));
}
constexpr GemmMatrix matrix_d(const GemmProblem& p) {
  return matrix_of(p.m, p.n, GemmMajor::k, 8 * bytes_of(p.output));
}

/// Scale factors of one operand: blocks of 128 rows x 4 factors, 512 bytes each, K fastest, as
/// tcgen05.cp.32x128b.warpx4 copies them: factor k of row r at (r % 32) * 16 + r / 32 * 4 + k.
struct GemmScales {
  std::uint64_t row_blocks = 0, k_blocks = 0;
  std::uint64_t bytes() const { return row_blocks * k_blocks * 512; }
};

constexpr GemmScales scales_of(std::uint64_t mn, std::uint64_t k, GemmType type) {
  const std::uint64_t per_block = 4ull * scale_block(type);
  return {(mn + 127) / 128, (k + per_block - 1) / per_block};
}

}  // namespace lc::kernel
