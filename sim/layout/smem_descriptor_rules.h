#pragma once

#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/smem_descriptor.h"

namespace lc {

/// Rules of the descriptor by itself, before one knows which operand it describes.
namespace smem_rule {
inline constexpr Rule kStartUnaligned{
    "smem_descriptor.start-unaligned", Severity::error, "start_address",
    "start address {value} is not a multiple of 16: the field counts 16-byte units and drops the "
    "low 4 bits"};
inline constexpr Rule kStartTooLarge{
    "smem_descriptor.start-too-large", Severity::error, "start_address",
    "start address {value} does not fit: the 14-bit field wraps at {limit}"};
inline constexpr Rule kLboUnaligned{
    "smem_descriptor.lbo-unaligned", Severity::error, "leading_byte_offset",
    "LBO {value} is not a multiple of 16: give bytes, not field units (field 1 = 16 bytes)"};
inline constexpr Rule kLboTooLarge{
    "smem_descriptor.lbo-too-large", Severity::error, "leading_byte_offset",
    "LBO {value} does not fit: the 14-bit field holds less than {limit} bytes"};
inline constexpr Rule kSboUnaligned{
    "smem_descriptor.sbo-unaligned", Severity::error, "stride_byte_offset",
    "SBO {value} is not a multiple of 16: give bytes, not field units (field 1 = 16 bytes)"};
inline constexpr Rule kSboTooLarge{
    "smem_descriptor.sbo-too-large", Severity::error, "stride_byte_offset",
    "SBO {value} does not fit: the 14-bit field holds less than {limit} bytes"};
inline constexpr Rule kBaseOffsetTooLarge{"smem_descriptor.base-offset-too-large", Severity::error,
                                          "base_offset",
                                          "base offset {value} does not fit its 3 bits (0..7)"};
inline constexpr Rule kBaseOffsetIgnored{"smem_descriptor.base-offset-ignored", Severity::note,
                                         "base_offset",
                                         "base offset {value} has no effect without a swizzle"};
inline constexpr Rule kBaseOffsetSubtracts{
    "smem_descriptor.base-offset-subtracts", Severity::note, "base_offset",
    "base offset {value} is subtracted from address bits 9:7 before the XOR (measured on H200, "
    "inferred for sm_100): right for a tile written relative to its own start, wrong for TMA data, "
    "which needs 0"};
inline constexpr Rule kPhase{
    "smem_descriptor.start-off-pattern", Severity::note, "start_address",
    "the start lies {value} 128-byte lines into the swizzle pattern (period {limit} bytes): the "
    "key follows the absolute address, as TMA writes it; a tile written relative to its own start "
    "needs a base offset"};
inline constexpr Rule kSwizzleNotOnHopper{
    "smem_descriptor.swizzle-not-on-sm_90", Severity::error, "swizzle",
    "swizzle 128B_32B does not exist on sm_90: its descriptor has codes for none, 32B, 64B and "
    "128B only"};
inline constexpr Rule kSwizzleInvalid{
    "smem_descriptor.swizzle-invalid", Severity::error, "swizzle",
    "swizzle code {value} means nothing: sm_100 has 0 none, 1 128B_32B, 2 128B, 4 64B, 6 32B"};
inline constexpr Rule kAbsoluteNotOnHopper{"smem_descriptor.absolute-lbo-not-on-sm_90",
                                           Severity::error, "lbo_mode",
                                           "the absolute LBO mode does not exist on sm_90"};
inline constexpr Rule kAbsoluteNeeds128B{
    "smem_descriptor.absolute-lbo-swizzle", Severity::error, "lbo_mode",
    "the absolute LBO mode needs swizzle 128B with 16-byte atoms (PTX ISA 9.7.16.5.1)"};
inline constexpr Rule kAbsoluteBaseOffset{"smem_descriptor.absolute-lbo-base-offset",
                                          Severity::error, "base_offset",
                                          "the absolute LBO mode needs base offset 0, not {value}"};
inline constexpr Rule kAbsoluteOnly103{
    "smem_descriptor.absolute-lbo-sm_103a", Severity::note, "lbo_mode",
    "the absolute LBO mode exists on sm_103a only, for 48-byte K tiles (kinds mxf4 and mxf4nvf4, "
    "K = 96)"};
inline constexpr Rule kReservedHopper{
    "smem_descriptor.reserved-bits", Severity::warning, "descriptor",
    "reserved bits {value} are set: write 0 there (the H200 ignored each of them when measured)"};
inline constexpr Rule kLooksLikeBlackwell{
    "smem_descriptor.looks-like-sm_100", Severity::note, "descriptor",
    "bits 48:46 hold 001, as sm_100 descriptors do: is this one for tcgen05?"};
inline constexpr Rule kReserved{
    "smem_descriptor.reserved-bits", Severity::error, "descriptor",
    "bits {value} must be 0 (PTX ISA 9.7.16.5.1; their effect was not measured)"};
inline constexpr Rule kFixed{"smem_descriptor.fixed-bits", Severity::error, "descriptor",
                             "bits 48:46 hold {value}, but sm_100 requires 0b001 there: is this a "
                             "wgmma (sm_90) descriptor?"};
}  // namespace smem_rule

/// The largest value a 14-bit field of 16-byte units can hold, plus one.
inline constexpr std::uint64_t kSmemFieldLimit = std::uint64_t{1} << 18;

namespace detail {

constexpr void check_offset(Findings& out, std::uint64_t value, const Rule& unaligned,
                            const Rule& too_large) {
  if (value % 16 != 0) out.add(unaligned, static_cast<std::int64_t>(value));
  if (value >= kSmemFieldLimit) {
    out.add(too_large, static_cast<std::int64_t>(value), kSmemFieldLimit);
  }
}

constexpr void check_base_offset(Findings& out, const SmemDescriptor& d) {
  using namespace smem_rule;
  if (d.base_offset > 7) out.add(kBaseOffsetTooLarge, d.base_offset);
  if (d.base_offset == 0) return;
  out.add(d.swizzle == Swizzle::none ? kBaseOffsetIgnored : kBaseOffsetSubtracts, d.base_offset);
}

constexpr void check_lbo_mode(Findings& out, Arch arch, const SmemDescriptor& d) {
  using namespace smem_rule;
  if (d.lbo_mode != LboMode::absolute) return;
  if (arch == Arch::sm_90) {
    out.add(kAbsoluteNotOnHopper);
    return;
  }
  out.add(kAbsoluteOnly103);
  if (d.swizzle != Swizzle::b128) out.add(kAbsoluteNeeds128B);
  if (d.base_offset != 0) out.add(kAbsoluteBaseOffset, d.base_offset);
}

}  // namespace detail

/// Rules on the values of the fields.
constexpr Findings check_smem_descriptor(Arch arch, const SmemDescriptor& d) {
  using namespace smem_rule;
  Findings out;
  if (d.start_address % 16 != 0) out.add_hex(kStartUnaligned, d.start_address);
  if (d.start_address >= kSmemFieldLimit) {
    out.add_hex(kStartTooLarge, d.start_address, kSmemFieldLimit);
  }
  detail::check_offset(out, d.leading_byte_offset, kLboUnaligned, kLboTooLarge);
  detail::check_offset(out, d.stride_byte_offset, kSboUnaligned, kSboTooLarge);
  detail::check_base_offset(out, d);
  if (arch == Arch::sm_90 && swizzle_row(d.swizzle).code_sm90 < 0) out.add(kSwizzleNotOnHopper);
  detail::check_lbo_mode(out, arch, d);
  const SwizzleRow row = swizzle_row(d.swizzle);
  const std::uint32_t phase = swizzle_key(row, d.start_address);
  if (phase != 0 && d.base_offset == 0) out.add(kPhase, phase, row.period);
  return out;
}

/// Rules on a whole word: its fields, and the bits that carry none.
constexpr Findings check_smem_descriptor_word(Arch arch, std::uint64_t word) {
  using namespace smem_rule;
  const DecodedSmemDescriptor decoded = decode_smem_descriptor(arch, word);
  Findings out = check_smem_descriptor(arch, decoded.fields);
  if (!decoded.swizzle_valid) out.add(kSwizzleInvalid, decoded.swizzle_code);
  std::uint64_t reserved = 0;
  for (const SmemDescriptorField& field : smem_descriptor_fields(arch)) {
    if (field.use == FieldUse::reserved) reserved |= word & field.bits.covered();
    if (field.use == FieldUse::fixed && field.bits.raw(word) != field.required) {
      out.add(kFixed, static_cast<std::int64_t>(field.bits.raw(word)));
    }
  }
  if (reserved == 0) return out;
  out.add_hex(arch == Arch::sm_90 ? kReservedHopper : kReserved, reserved);
  if (arch == Arch::sm_90 && smem_field::kVersion.raw(word) == 1) out.add(kLooksLikeBlackwell);
  return out;
}

}  // namespace lc
