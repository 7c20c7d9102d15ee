#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/gemm/problem.h"
#include "sim/numerics/minifloat.h"
#include "verify/gemm/gemm_data.h"

// Elements of GEMM matrices by their place.
namespace lc::verify {

inline numerics::Format format_of(kernel::GemmType type) {
  using enum kernel::GemmType;
  switch (type) {
    case f16:
      return numerics::Format::f16;
    case bf16:
      return numerics::Format::bf16;
    case tf32:
      return numerics::Format::tf32;
    case e5m2:
      return numerics::Format::e5m2;
    case s8:
      return numerics::Format::s8;
    case nvf4:
      return numerics::Format::e2m1;
    default:
      return numerics::Format::e4m3;
  }
}

inline numerics::Format format_of(kernel::GemmOutput type) {
  using enum kernel::GemmOutput;
  return type == f32    ? numerics::Format::f32
         : type == f16  ? numerics::Format::f16
         : type == bf16 ? numerics::Format::bf16
                        : numerics::Format::s32;
}

/// Format of the scale factors of a block-scaled type.
inline numerics::Format scale_format(kernel::GemmType type) {
  return type == kernel::GemmType::nvf4 ? numerics::Format::ue4m3 : numerics::Format::ue8m0;
}

/// The code of element `i` of a row of `bits`-bit elements.
inline std::uint32_t code_at(const std::uint8_t* row, std::uint64_t i, unsigned bits) {
  if (bits == 4) return row[i / 2] >> (i % 2 * 4) & 15;
  std::uint32_t code = 0;
  std::memcpy(&code, row + i * (bits / 8), bits / 8);
  return code;
}

inline void put_code(std::uint8_t* row, std::uint64_t i, unsigned bits, std::uint32_t code) {
  if (bits == 4) {
    std::uint8_t& byte = row[i / 2];
    const auto high = static_cast<std::uint8_t>((byte & 0x0F) | code << 4);
    const auto low = static_cast<std::uint8_t>((byte & 0xF0) | code);
    byte = i % 2 != 0 ? high : low;
  } else {
    std::memcpy(row + i * (bits / 8), &code, bits / 8);
  }
}

/// Where the scale factor of row `mn` and block `i` of K stands.
inline std::uint64_t scale_at(const kernel::GemmScales& s, std::uint64_t mn, std::uint64_t i) {
  const std::uint64_t block = mn / 128 * s.k_blocks + i / 4;
  return block * 512 + mn % 32 * 16 + mn % 128 / 32 * 4 + i % 4;
}

}  // namespace lc::verify
