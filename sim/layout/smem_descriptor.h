#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/bit_field.h"
#include "sim/layout/finding.h"
#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/swizzle.h"

namespace lc {

/// Meaning of the LBO field: a step, or (sm_103a, 48-byte K tiles) the absolute address of the
/// second part of each row (PTX ISA 9.7.16.5.1).
enum class LboMode : std::uint8_t { relative, absolute };
constexpr std::array<Spelled<LboMode>, 2> spellings(LboMode) {
  return {{{LboMode::relative, "relative"}, {LboMode::absolute, "absolute"}}};
}

/// The 64-bit shared-memory matrix descriptor of wgmma (sm_90) and tcgen05.mma / tcgen05.cp
/// (sm_100), PTX ISA 9.7.15.5.1 and 9.7.16.5.1.  Members are in bytes.
///
///   63 61 | 60 53 | 52  | 51 49 | 48 46 | 45    32 | 31 30 | 29    16 | 15 14 | 13     0
///    SWZ  |  0    | mode|  MBO  |  001  |  SBO>>4  |   0   |  LBO>>4  |   0   | start>>4   sm_100
///   63 62 | 61          52 | MBO |  0   |  SBO>>4  |   0   |  LBO>>4  |   0   | start>>4   sm_90
struct SmemDescriptor {
  std::uint64_t start_address = 0;
  std::uint64_t leading_byte_offset = 16;  ///< LBO
  std::uint64_t stride_byte_offset = 0;    ///< SBO
  std::uint32_t base_offset = 0;           ///< MBO, in steps of 128 bytes
  LboMode lbo_mode = LboMode::relative;
  Swizzle swizzle = Swizzle::none;

  constexpr bool operator==(const SmemDescriptor&) const = default;
};

/// What a row of the field table is for.
enum class FieldUse : std::uint8_t { value, fixed, reserved };

struct SmemDescriptorField {
  BitField bits;
  FieldUse use;
  std::uint8_t required;  ///< raw value of a fixed or reserved field
};

namespace smem_field {
inline constexpr BitField kStart{"start_address", 0, 14, 4};
inline constexpr BitField kLbo{"leading_byte_offset", 16, 14, 4};
inline constexpr BitField kSbo{"stride_byte_offset", 32, 14, 4};
inline constexpr BitField kBaseOffset{"base_offset", 49, 3, 0};
inline constexpr BitField kLboMode{"lbo_mode", 52, 1, 0};
inline constexpr BitField kSwizzle90{"swizzle", 62, 2, 0};
inline constexpr BitField kSwizzle100{"swizzle", 61, 3, 0};
inline constexpr BitField kVersion{"fixed_001", 46, 3, 0};
}  // namespace smem_field

/// Every bit of the word, lowest first.
constexpr std::array<SmemDescriptorField, 10> smem_descriptor_fields(Arch arch) {
  using namespace smem_field;
  constexpr SmemDescriptorField kUnused{{"", 0, 0, 0}, FieldUse::reserved, 0};
  if (arch == Arch::sm_90) {
    return {{{kStart, FieldUse::value, 0},
             {{"reserved", 14, 2, 0}, FieldUse::reserved, 0},
             {kLbo, FieldUse::value, 0},
             {{"reserved", 30, 2, 0}, FieldUse::reserved, 0},
             {kSbo, FieldUse::value, 0},
             {{"reserved", 46, 3, 0}, FieldUse::reserved, 0},
             {kBaseOffset, FieldUse::value, 0},
             {{"reserved", 52, 10, 0}, FieldUse::reserved, 0},
             {kSwizzle90, FieldUse::value, 0},
             kUnused}};
  }
  return {{{kStart, FieldUse::value, 0},
           {{"reserved", 14, 2, 0}, FieldUse::reserved, 0},
           {kLbo, FieldUse::value, 0},
           {{"reserved", 30, 2, 0}, FieldUse::reserved, 0},
           {kSbo, FieldUse::value, 0},
           {kVersion, FieldUse::fixed, 1},
           {kBaseOffset, FieldUse::value, 0},
           {kLboMode, FieldUse::value, 0},
           {{"reserved", 53, 8, 0}, FieldUse::reserved, 0},
           {kSwizzle100, FieldUse::value, 0}}};
}

/// A swizzle the architecture has no code for is packed as none; check_smem_descriptor reports it.
LC_HD constexpr std::uint64_t encode_smem_descriptor(Arch arch, const SmemDescriptor& d) {
  const SwizzleRow row = swizzle_row(d.swizzle);
  constexpr BitField kStart{"", 0, 14, 4}, kLbo{"", 16, 14, 4}, kSbo{"", 32, 14, 4},
      kBase{"", 49, 3, 0};
  std::uint64_t word = kStart.put(d.start_address) | kLbo.put(d.leading_byte_offset) |
                       kSbo.put(d.stride_byte_offset) | kBase.put(d.base_offset);
  if (arch == Arch::sm_90) {
    return word | static_cast<std::uint64_t>(row.code_sm90 < 0 ? 0 : row.code_sm90) << 62;
  }
  word |= std::uint64_t{1} << 46;
  word |= static_cast<std::uint64_t>(d.lbo_mode == LboMode::absolute) << 52;
  return word | static_cast<std::uint64_t>(row.code_sm100 < 0 ? 0 : row.code_sm100) << 61;
}

/// The fields of a word, whatever its reserved bits say.
struct DecodedSmemDescriptor {
  SmemDescriptor fields;
  std::uint32_t swizzle_code = 0;
  bool swizzle_valid = true;  ///< false: sm_100 codes 3, 5 and 7; `fields.swizzle` is then `none`
};

LC_HD constexpr DecodedSmemDescriptor decode_smem_descriptor(Arch arch, std::uint64_t word) {
  constexpr BitField kStart{"", 0, 14, 4}, kLbo{"", 16, 14, 4}, kSbo{"", 32, 14, 4},
      kBase{"", 49, 3, 0};
  DecodedSmemDescriptor r;
  r.fields.start_address = kStart.get(word);
  r.fields.leading_byte_offset = kLbo.get(word);
  r.fields.stride_byte_offset = kSbo.get(word);
  r.fields.base_offset = static_cast<std::uint32_t>(kBase.get(word));
  const bool hopper = arch == Arch::sm_90;
  if (!hopper && ((word >> 52) & 1) != 0) r.fields.lbo_mode = LboMode::absolute;
  r.swizzle_code = static_cast<std::uint32_t>(hopper ? word >> 62 : word >> 61);
  r.swizzle_valid = false;
  for (std::uint32_t i = 0; i < kOperandSwizzleCount; ++i) {
    const SwizzleRow row = swizzle_row(static_cast<Swizzle>(i));
    const int code = hopper ? row.code_sm90 : row.code_sm100;
    if (code == static_cast<int>(r.swizzle_code)) {
      r.fields.swizzle = row.mode;
      r.swizzle_valid = true;
    }
  }
  return r;
}

static_assert(encode_smem_descriptor(Arch::sm_100, {0x400, 16, 512, 0, LboMode::relative,
                                                    Swizzle::b64}) == 0x8000402000010040);
static_assert(encode_smem_descriptor(Arch::sm_90, {0x4400, 1024, 2048, 0, LboMode::relative,
                                                   Swizzle::b128}) == 0x4000008000400440);

}  // namespace lc
