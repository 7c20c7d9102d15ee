#pragma once

#include <array>
#include <cstdint>

#include "sim/layout/host_device.h"
#include "sim/layout/spelling.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_rules.h"
#include "sim/layout/tma_box.h"

/// How cp.async.bulk.tensor and cp.reduce.async.bulk.tensor end, and what they change on the way.
namespace lc {

/// The outcomes after `ok` kill the copy: the encoder refused the map, or the launch ends in
/// that fault.  Where two rules are broken the hardware may raise either fault.
enum class TmaOutcome : std::uint8_t { ok, refused, illegal_instruction, misaligned_address };

constexpr std::array<Spelled<TmaOutcome>, 4> spellings(TmaOutcome) {
  return {{{TmaOutcome::ok, "ok"},
           {TmaOutcome::refused, "refused"},
           {TmaOutcome::illegal_instruction, "illegal_instruction"},
           {TmaOutcome::misaligned_address, "misaligned_address"}}};
}

/// What a copy from shared to global memory does with the bytes that are there.
enum class TmaOperation : std::uint8_t { store, add, min, max, inc, dec, bit_and, bit_or, bit_xor };

constexpr std::array<Spelled<TmaOperation>, 9> spellings(TmaOperation) {
  return {{{TmaOperation::store, "store"},
           {TmaOperation::add, "add"},
           {TmaOperation::min, "min"},
           {TmaOperation::max, "max"},
           {TmaOperation::inc, "inc"},
           {TmaOperation::dec, "dec"},
           {TmaOperation::bit_and, "and"},
           {TmaOperation::bit_or, "or"},
           {TmaOperation::bit_xor, "xor"}}};
}

enum class TmaRule : std::uint8_t {
  coordinate_alignment,
  coordinate_padded,
  smem_alignment,
  smem_range,
  store_negative,
  store_flip,
  store_padded,
  store_repacked,
  operation_type,
};

struct TmaRuleRow {
  TmaRule key;
  TmaOutcome outcome;
  Rule rule;
};

inline constexpr TmaRuleRow kTmaRules[] = {
    {TmaRule::coordinate_alignment,
     TmaOutcome::illegal_instruction,
     {"tma.coordinate-alignment", Severity::error, "coordinates",
      "coordinate {value} does not start on 16 bytes, which is {limit} elements; without "
      "interleave the box must (measured on H200)"}},
    {TmaRule::coordinate_padded,
     TmaOutcome::illegal_instruction,
     {"tma.coordinate-padded", Severity::error, "coordinates",
      "coordinate {value} is not a multiple of {limit}, which the padded types need (PTX ISA; the "
      "fault is inferred)"}},
    {TmaRule::smem_alignment,
     TmaOutcome::misaligned_address,
     {"tma.smem-alignment", Severity::error, "smem_address",
      "{value} is not a multiple of 128, which tensor copies need with and without swizzle "
      "(measured on H200)"}},
    {TmaRule::smem_range,
     TmaOutcome::ok,
     {"tma.smem-range", Severity::warning, "smem_address",
      "the box ends at {value}, past the {limit} bytes of shared memory that a multiprocessor has "
      "(what the hardware does was not measured)"}},
    {TmaRule::store_negative,
     TmaOutcome::illegal_instruction,
     {"tma.store-negative", Severity::error, "coordinates",
      "a store cannot start at a negative coordinate ({value}); a load can (measured on H200)"}},
    {TmaRule::store_flip,
     TmaOutcome::illegal_instruction,
     {"tma.store-flip", Severity::error, "swizzle",
      "128B_ATOM_32B_FLIP_8B exists for loads only (PTX ISA 5.5.7; the fault is inferred)"}},
    {TmaRule::store_padded,
     TmaOutcome::illegal_instruction,
     {"tma.store-padded", Severity::error, "data_type",
      "16u4_align16b can be loaded only (cuda.h; the fault is inferred)"}},
    {TmaRule::store_repacked,
     TmaOutcome::ok,
     {"tma.store-repacked", Severity::warning, "data_type",
      "a store of 16u6_align16b packs the low 6 bits of 16 shared bytes into 12 global bytes (PTX "
      "ISA b6p2x16; not measured); a run names the 12 bytes and the cell they come from"}},
    {TmaRule::operation_type,
     TmaOutcome::illegal_instruction,
     {"tma.operation-type", Severity::error, "operation",
      "this reduction does not exist for the data type"}},
};

constexpr const Rule& rule_of(TmaRule key) {
  return kTmaRules[static_cast<int>(key)].rule;
}

/// What a copy of an accepted map finds wrong with the rest of its operands.
struct TmaVerdict {
  TmaOutcome outcome = TmaOutcome::ok;
  Findings findings;  ///< of the map first, then of the copy
};

/// Reductions of a data type.  Measured on H200, all 13 types with all 8 reductions; a pair that is
/// not there ends in an illegal instruction.  The packed types have none (PTX ISA; inferred).
LC_HD constexpr bool has_operation(DataType type, TmaOperation operation) {
  constexpr auto kBit = [](TmaOperation o) { return 1u << static_cast<int>(o); };
  constexpr std::uint32_t kStore = kBit(TmaOperation::store);
  constexpr std::uint32_t kAdd = kBit(TmaOperation::add);
  constexpr std::uint32_t kMinMax = kBit(TmaOperation::min) | kBit(TmaOperation::max);
  constexpr std::uint32_t kCount = kBit(TmaOperation::inc) | kBit(TmaOperation::dec);
  constexpr std::uint32_t kLogic =
      kBit(TmaOperation::bit_and) | kBit(TmaOperation::bit_or) | kBit(TmaOperation::bit_xor);
  std::uint32_t allowed = kStore;
  switch (type) {
    case DataType::u32:
      allowed |= kAdd | kMinMax | kCount | kLogic;
      break;
    case DataType::s32:
    case DataType::u64:
      allowed |= kAdd | kMinMax | kLogic;
      break;
    case DataType::s64:
      allowed |= kMinMax;
      break;
    case DataType::f16:
    case DataType::bf16:
      allowed |= kAdd | kMinMax;
      break;
    case DataType::f32:
    case DataType::f64:
    case DataType::f32_ftz:
    case DataType::tf32:
    case DataType::tf32_ftz:
      allowed |= kAdd;
      break;
    default:
      break;
  }
  return (allowed >> static_cast<int>(operation) & 1u) != 0;
}

namespace detail {

constexpr void fault(TmaVerdict& verdict, TmaRule key, std::int64_t value = 0,
                     std::int64_t limit = 0, int index = -1) {
  const TmaRuleRow& row = kTmaRules[static_cast<int>(key)];
  if (verdict.outcome == TmaOutcome::ok) verdict.outcome = row.outcome;
  verdict.findings.add(row.rule, value, limit, index, key == TmaRule::smem_alignment);
}

constexpr TmaVerdict verdict_of_map(const TensorMap& map, Arch arch) {
  TmaVerdict verdict;
  verdict.findings = check_tensor_map(map, arch);
  if (verdict.findings.has_error()) verdict.outcome = TmaOutcome::refused;
  return verdict;
}

/// Rules of loads and stores alike.
constexpr void check_start(TmaVerdict& verdict, const TensorMap& map, const Coordinates& first,
                           std::uint64_t smem_address) {
  if (map.interleave == Interleave::none) {
    const std::int64_t padded = static_cast<std::int64_t>(kPaddedBox);
    const std::int64_t unit =
        is_padded(map.data_type) ? padded : 128 / data_type_row(map.data_type).bits;
    if (first[0] % unit != 0) {
      fault(verdict,
            is_padded(map.data_type) ? TmaRule::coordinate_padded : TmaRule::coordinate_alignment,
            first[0], unit, 0);
    }
  }
  if (smem_address % 128 != 0) {
    fault(verdict, TmaRule::smem_alignment, static_cast<std::int64_t>(smem_address));
  }
  const std::uint64_t end = smem_address + make_tma_box(map, first, smem_address).footprint;
  if (end > kMaxBoxBytes) {
    verdict.findings.add_hex(rule_of(TmaRule::smem_range), end, kMaxBoxBytes);
  }
}

}  // namespace detail

constexpr TmaVerdict check_tma_load(const TensorMap& map, const Coordinates& first,
                                    std::uint64_t smem_address, Arch arch) {
  TmaVerdict verdict = detail::verdict_of_map(map, arch);
  if (verdict.outcome == TmaOutcome::ok) detail::check_start(verdict, map, first, smem_address);
  return verdict;
}

constexpr TmaVerdict check_tma_store(const TensorMap& map, const Coordinates& first,
                                     std::uint64_t smem_address, TmaOperation operation,
                                     Arch arch) {
  TmaVerdict verdict = detail::verdict_of_map(map, arch);
  if (verdict.outcome != TmaOutcome::ok) return verdict;
  detail::check_start(verdict, map, first, smem_address);
  for (int i = 0; i < map.rank; ++i) {
    if (first[i] < 0) detail::fault(verdict, TmaRule::store_negative, first[i], 0, i);
  }
  if (map.swizzle == Swizzle::b128_32b_flip8) detail::fault(verdict, TmaRule::store_flip);
  if (map.data_type == DataType::u4x16_align16b) detail::fault(verdict, TmaRule::store_padded);
  if (map.data_type == DataType::u6x16_align16b) {
    verdict.findings.add(rule_of(TmaRule::store_repacked));
  }
  if (!has_operation(map.data_type, operation)) detail::fault(verdict, TmaRule::operation_type);
  return verdict;
}

/// The bits that arrive for the bits of one element.  tf32 types round f32 to 10 mantissa bits, to
/// nearest even, overflow to infinity, turn every NaN into 0x7FFFE000 and keep subnormals; all
/// other types, f32_ftz among them, arrive as they are (measured on H200).
LC_HD constexpr std::uint64_t tma_load_value(DataType type, std::uint64_t bits) {
  if (!data_type_row(type).tf32) return bits;
  const std::uint32_t word = static_cast<std::uint32_t>(bits);
  if ((word & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFFE000u;
  if ((word & 0x7F800000u) == 0x7F800000u) return word;
  return (word + 0xFFFu + ((word >> 13) & 1u)) & ~0x1FFFu;
}

}  // namespace lc
