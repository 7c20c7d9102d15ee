#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define LC_KERNEL_HD __host__ __device__
#else
#define LC_KERNEL_HD
#endif

// The words that tell a tensor core where its operands lie (wgmma, tcgen05.mma) and what to do
// with them (tcgen05.mma), packed as a kernel packs them: shift and or, straight from the bit
// tables of the PTX ISA.  Nothing is checked; a value too wide for its field loses its high bits.
// For nvcc (host and device) and for a plain C++17 compiler.
namespace lc::kernel {

enum class SmemSwizzle : std::uint8_t { none, b32, b64, b128, b128_32 };

/// An operand in shared memory.  All quantities in bytes, base_offset in steps of 128 bytes.
struct SmemMatrix {
  std::uint32_t start_address = 0;
  std::uint32_t leading_byte_offset = 16;
  std::uint32_t stride_byte_offset = 0;
  SmemSwizzle swizzle = SmemSwizzle::none;
  std::uint32_t base_offset = 0;
  bool lbo_is_address = false;  ///< sm_103a, 48-byte K: leading_byte_offset holds an address
};

/// "matrix-descriptor-encode(x)" of the ISA: 18 bits of address in steps of 16 bytes.
LC_KERNEL_HD constexpr std::uint64_t encode_16_bytes(std::uint32_t bytes) {
  return (bytes & 0x3FFFF) >> 4;
}

/// The fields that both architectures keep in the same place:
/// 13:0 start address, 29:16 LBO, 45:32 SBO, 51:49 base offset.
LC_KERNEL_HD constexpr std::uint64_t smem_descriptor_fields(const SmemMatrix& m) {
  return encode_16_bytes(m.start_address) | encode_16_bytes(m.leading_byte_offset) << 16 |
         encode_16_bytes(m.stride_byte_offset) << 32 |
         static_cast<std::uint64_t>(m.base_offset & 7) << 49;
}

/// wgmma.  63:62 swizzle: 0 none, 1 128B, 2 64B, 3 32B.  128B with 32-byte atoms does not exist
/// and packs as none.
LC_KERNEL_HD constexpr std::uint64_t smem_descriptor_sm90(const SmemMatrix& m) {
  std::uint64_t mode = 0;
  switch (m.swizzle) {
    case SmemSwizzle::b128:
      mode = 1;
      break;
    case SmemSwizzle::b64:
      mode = 2;
      break;
    case SmemSwizzle::b32:
      mode = 3;
      break;
    default:
      break;
  }
  return smem_descriptor_fields(m) | mode << 62;
}

/// tcgen05.  48:46 fixed 0b001, 52 LBO mode, 63:61 swizzle: 0 none, 1 128B with 32-byte atoms,
/// 2 128B, 4 64B, 6 32B.
LC_KERNEL_HD constexpr std::uint64_t smem_descriptor_sm100(const SmemMatrix& m) {
  std::uint64_t mode = 0;
  switch (m.swizzle) {
    case SmemSwizzle::b128_32:
      mode = 1;
      break;
    case SmemSwizzle::b128:
      mode = 2;
      break;
    case SmemSwizzle::b64:
      mode = 4;
      break;
    case SmemSwizzle::b32:
      mode = 6;
      break;
    default:
      break;
  }
  return smem_descriptor_fields(m) | std::uint64_t{1} << 46 |
         static_cast<std::uint64_t>(m.lbo_is_address ? 1 : 0) << 52 | mode << 61;
}

/// The same operand, read from `bytes` further on: the next K slice, the next rows.  Only the low
/// 32 bits change, and the start address field wraps at 256 KiB.
LC_KERNEL_HD constexpr std::uint64_t advance_descriptor(std::uint64_t descriptor,
                                                        std::uint32_t bytes) {
  const std::uint64_t start = (descriptor + (bytes >> 4)) & 0x3FFF;
  return (descriptor & ~std::uint64_t{0x3FFF}) | start;
}

/// Codes of the A and B element types.  What a code means depends on the kind of the instruction.
namespace ab_type {
inline constexpr std::uint32_t f16 = 0, bf16 = 1;                                 // kind::f16
inline constexpr std::uint32_t tf32 = 2;                                          // kind::tf32
inline constexpr std::uint32_t e4m3 = 0, e5m2 = 1, e2m3 = 3, e3m2 = 4, e2m1 = 5;  // *f8f6f4
inline constexpr std::uint32_t u8 = 0, s8 = 1;                                    // kind::i8
inline constexpr std::uint32_t packed_e2m1 = 1;                                   // kind::mxf4*
}  // namespace ab_type

/// Codes of the D element type.
namespace d_type {
inline constexpr std::uint32_t f16 = 0, f32 = 1, s32 = 2;
}

/// tcgen05.mma without block scaling: kinds f16, tf32, f8f6f4, i8.
struct DenseInstruction {
  std::uint32_t d_type = 0, a_type = 0, b_type = 0;
  std::uint32_t m = 0, n = 0;
  bool a_mn_major = false, b_mn_major = false;
  bool negate_a = false, negate_b = false;
  bool saturate = false;  ///< kind i8
  bool sparse = false;
  std::uint32_t sparsity_selector = 0;
  std::uint32_t max_shift = 0;  ///< .ws: 0 none, 1 8 columns, 2 16, 3 32
};

LC_KERNEL_HD constexpr std::uint32_t instruction_descriptor(const DenseInstruction& i) {
  return (i.sparsity_selector & 3)            // 1:0
         | std::uint32_t{i.sparse} << 2       // 2
         | std::uint32_t{i.saturate} << 3     // 3
         | (i.d_type & 3) << 4                // 5:4
         | (i.a_type & 7) << 7                // 9:7
         | (i.b_type & 7) << 10               // 12:10
         | std::uint32_t{i.negate_a} << 13    // 13
         | std::uint32_t{i.negate_b} << 14    // 14
         | std::uint32_t{i.a_mn_major} << 15  // 15
         | std::uint32_t{i.b_mn_major} << 16  // 16
         | (i.n >> 3 & 0x3F) << 17            // 22:17
         | (i.m >> 4 & 0x1F) << 24            // 28:24
         | (i.max_shift & 3) << 30;           // 31:30
}

/// tcgen05.mma with block scaling: kinds mxf8f6f4, mxf4, mxf4nvf4.
struct BlockScaledInstruction {
  std::uint32_t a_type = 0, b_type = 0;
  std::uint32_t m = 0, n = 0;
  bool a_mn_major = false, b_mn_major = false;  ///< mxf8f6f4
  bool negate_a = false, negate_b = false;
  bool sparse = false;
  bool scale_ue8m0 = true;  ///< else ue4m3, mxf4nvf4
  std::uint32_t sfa_id = 0, sfb_id = 0;
  bool k96 = false;  ///< mxf4, mxf4nvf4 on sm_103a
};

LC_KERNEL_HD constexpr std::uint32_t instruction_descriptor(const BlockScaledInstruction& i) {
  return std::uint32_t{i.sparse} << 2          // 2
         | (i.sfb_id & 3) << 4                 // 5:4
         | (i.a_type & 7) << 7                 // 9:7
         | (i.b_type & 7) << 10                // 12:10 (11:10 of mxf4)
         | std::uint32_t{i.negate_a} << 13     // 13
         | std::uint32_t{i.negate_b} << 14     // 14
         | std::uint32_t{i.a_mn_major} << 15   // 15
         | std::uint32_t{i.b_mn_major} << 16   // 16
         | (i.n >> 3 & 0x3F) << 17             // 22:17
         | std::uint32_t{i.scale_ue8m0} << 23  // 23
         | (i.m >> 7 & 3) << 27                // 28:27
         | (i.sfa_id & 3) << 29                // 30:29
         | std::uint32_t{i.k96} << 31;         // 31
}

}  // namespace lc::kernel
