#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/layout/finding.h"
#include "sim/layout/operand.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"

namespace lc {

/// First byte past the largest shared memory a CTA can have: 1 KiB reserved + 227 KiB.
inline constexpr std::uint64_t kSmemWindowEnd = 0x39000;

/// Rules on a descriptor together with the operand it is used for.
namespace operand_rule {
inline constexpr Rule kNoSuchOperand{
    "operand.element-not-an-operand", Severity::error, "element",
    "the tensor core has no operand of this element type in shared memory: use tf32 for 32-bit "
    "floats"};
inline constexpr Rule kNotOnHopper{
    "operand.element-not-on-sm_90", Severity::error, "element",
    "wgmma has no 6- or 4-bit operands: f16, bf16, tf32, e4m3, e5m2, i8 and u8 exist on sm_90"};
inline constexpr Rule kHopperMnMajor{
    "operand.mn-major-16-bit-only", Severity::error, "major",
    "wgmma reads MN-major operands of 16-bit types only; {value}-bit types are K-major on sm_90 "
    "(PTX ISA 9.7.15.5)"};
inline constexpr Rule kPackedMnMajor{
    "operand.packed-mn-major", Severity::error, "major",
    "packed 4-bit operands (kinds mxf4, mxf4nvf4) are K-major only"};
inline constexpr Rule kPackedSixBits{
    "operand.packed-6-bit", Severity::error, "element",
    "6-bit elements are read from 16-byte cells of 16 (\"container\": 8), never densely packed"};
inline constexpr Rule kContainerMnMajor{
    "operand.container-mn-major", Severity::warning, "major",
    "sources differ on MN-major 4- and 6-bit operands in 8-bit containers: the PTX ISA's table "
    "names 8, 16 and 32 bits only, libraries ship such kernels; laid out here as 8-bit"};
inline constexpr Rule kTf32MnMajor{
    "operand.tf32-mn-major", Severity::error, "swizzle",
    "an MN-major tf32 operand needs swizzle 128B_32B (PTX ISA 9.7.16.10.5)"};
inline constexpr Rule kOnlyTf32Has32B{"operand.128B_32B-needs-32-bit", Severity::error, "swizzle",
                                      "swizzle 128B_32B is for MN-major 32-bit operands only"};
inline constexpr Rule kKMajor32B{
    "operand.128B_32B-k-major", Severity::error, "swizzle",
    "swizzle 128B_32B is undefined for K-major operands: the PTX ISA allows it in one table and "
    "prints no atom for it in another"};
inline constexpr Rule kAbsoluteMajor{"operand.absolute-lbo-major", Severity::error, "lbo_mode",
                                     "the absolute LBO mode is for K-major operands only"};
inline constexpr Rule kLboIgnored{
    "operand.lbo-ignored", Severity::note, "leading_byte_offset",
    "LBO is ignored here: K-major with a swizzle takes 16-byte chunks from within the row (the "
    "H200 ignored every value)"};
inline constexpr Rule kLboUnused{"operand.lbo-unused", Severity::note, "leading_byte_offset",
                                 "LBO is not used: the operand is one step wide in that direction"};
inline constexpr Rule kSboUnused{"operand.sbo-unused", Severity::note, "stride_byte_offset",
                                 "SBO is not used: the operand is one step long in that direction"};
inline constexpr Rule kGroupsOverlap{
    "operand.sbo-overlap", Severity::warning, "stride_byte_offset",
    "SBO {value} is shorter than the {limit} bytes of one group of rows: neighbouring groups "
    "share bytes"};
inline constexpr Rule kLboGroupsOverlap{
    "operand.lbo-overlap", Severity::warning, "leading_byte_offset",
    "LBO {value} is shorter than the {limit} bytes of one core matrix or atom: neighbours share "
    "bytes"};
inline constexpr Rule kSboColumnsOverlap{
    "operand.sbo-overlap", Severity::warning, "stride_byte_offset",
    "SBO {value} is shorter than the {limit} bytes of one core matrix: neighbours share bytes"};
inline constexpr Rule kPastRow{
    "operand.k-past-row", Severity::warning, "k",
    "K reaches byte {value} of a {limit}-byte row: what follows is the next row of the same "
    "atom, not the next atom along K; give the next slice its own start address"};
inline constexpr Rule kPastWindow{
    "operand.past-window", Severity::error, "stride_byte_offset",
    "the operand reaches address {value}, past the largest shared memory of a CTA ({limit}): the "
    "sum is not wrapped and the H200 faults"};
}  // namespace operand_rule

/// Which element types, majors and swizzles go together (PTX ISA 9.7.15.5, 9.7.16.10.5).
constexpr Findings check_operand_mode(Arch arch, Element element, Container container, Major major,
                                      Swizzle swizzle) {
  using namespace operand_rule;
  Findings out;
  const std::uint32_t bits = element_format(element).bits;
  const std::uint32_t stored = stored_bits(element, container);
  if (element == Element::f32) out.add(kNoSuchOperand);
  if (arch == Arch::sm_90) {
    if (bits < 8) out.add(kNotOnHopper);
    if (major == Major::mn && bits != 16) out.add(kHopperMnMajor, bits);
    if (swizzle == Swizzle::b128_32b) out.add(smem_rule::kSwizzleNotOnHopper);
    return out;
  }
  if (bits == 6 && container == Container::packed) out.add(kPackedSixBits);
  if (major == Major::mn) {
    if (stored == 4) out.add(kPackedMnMajor);
    if (bits < 8 && container == Container::byte) out.add(kContainerMnMajor);
    if (stored == 32 && swizzle != Swizzle::b128_32b) out.add(kTf32MnMajor);
    if (stored < 32 && swizzle == Swizzle::b128_32b) out.add(kOnlyTf32Has32B);
  } else if (swizzle == Swizzle::b128_32b) {
    out.add(kKMajor32B);
  }
  return out;
}

/// One past the largest linear address of the operand, in whole 16-byte cells; the swizzle stays
/// inside 128-byte lines.  Steps are never negative, so the last two groups and columns decide.
/// Extents must be at least 1.
constexpr std::uint64_t operand_end(const OperandLayout& l, std::uint64_t mn, std::uint64_t k) {
  const bool k_major = l.major == Major::k;
  const std::uint64_t rows = k_major ? mn : k;
  const std::uint64_t row_bytes = ((k_major ? k : mn) * l.bits + 7) / 8;
  const std::uint64_t two_groups = 2 * std::uint64_t{l.rows},
                      two_columns = 2 * std::uint64_t{l.width};
  const std::uint64_t first_row = rows > two_groups ? rows - two_groups : 0;
  const std::uint64_t first_byte =
      row_bytes > two_columns && !l.absolute ? (row_bytes - two_columns) / 16 * 16 : 0;
  std::uint64_t end = 0;
  for (std::uint64_t r = first_row; r < rows; ++r) {
    for (std::uint64_t c = first_byte; c < row_bytes; c += 16) {
      end = std::max(end, l.linear(r, c) + 16);
    }
  }
  return end;
}

namespace detail {

/// The two steps of a descriptor with the names they go by in this mode.
constexpr void check_steps(Findings& out, const SmemDescriptor& d, const OperandLayout& l,
                           std::uint64_t rows, std::uint64_t row_bytes) {
  using namespace operand_rule;
  const bool plain = d.swizzle == Swizzle::none;
  const bool k_major = l.major == Major::k;
  const bool one_group = rows <= l.rows;
  const std::uint64_t atom = std::uint64_t{l.rows} * l.pitch;
  const bool group_is_lbo = plain && !k_major;
  if (one_group) {
    out.add(group_is_lbo ? kLboUnused : kSboUnused);
  } else if (l.group_step < atom) {
    out.add(group_is_lbo ? kLboGroupsOverlap : kGroupsOverlap,
            static_cast<std::int64_t>(l.group_step), static_cast<std::int64_t>(atom));
  }
  if (k_major && !plain) {
    if (l.absolute) return;
    out.add(kLboIgnored);
    const std::uint64_t reach = d.start_address % l.pitch + row_bytes;
    if (reach > l.pitch) out.add(kPastRow, static_cast<std::int64_t>(reach), l.pitch);
    return;
  }
  const bool column_is_lbo = plain == k_major;
  if (row_bytes <= l.width) {
    out.add(column_is_lbo ? kLboUnused : kSboUnused);
  } else if (l.column_step < atom) {
    out.add(column_is_lbo ? kLboGroupsOverlap : kSboColumnsOverlap,
            static_cast<std::int64_t>(l.column_step), static_cast<std::int64_t>(atom));
  }
}

}  // namespace detail

/// Everything that can be said of a descriptor once its operand is known: the mode, which fields
/// are ignored, steps that overlap, addresses past the window.  Extents must be at least 1 and at
/// most 65536.
constexpr Findings check_operand(Arch arch, const SmemDescriptor& d, Major major, Element element,
                                 Container container, std::uint64_t mn, std::uint64_t k) {
  using namespace operand_rule;
  Findings out = check_operand_mode(arch, element, container, major, d.swizzle);
  if (d.lbo_mode == LboMode::absolute && major != Major::k) out.add(kAbsoluteMajor);
  const OperandLayout l = operand_layout(d, major, element, container);
  const bool k_major = major == Major::k;
  detail::check_steps(out, d, l, k_major ? mn : k, ((k_major ? k : mn) * l.bits + 7) / 8);
  const std::uint64_t end = operand_end(l, mn, k);
  if (end > kSmemWindowEnd) out.add_hex(kPastWindow, end - 1, kSmemWindowEnd);
  return out;
}

}  // namespace lc
