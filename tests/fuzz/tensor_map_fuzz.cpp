// Arbitrary arguments and arbitrary 128 bytes as tensor maps: the nearest legal call is legal and
// stays where it is, accepted maps survive their bytes, and a box covers what it says.
#include <fuzzer/FuzzedDataProvider.h>

#include "sim/layout/tensor_map_bits.h"
#include "sim/layout/tensor_map_nearest.h"
#include "sim/layout/tma_box.h"
#include "sim/layout/tma_copy.h"
#include "tests/fuzz/must.h"
#include "verify/findings.h"

using namespace lc;
using namespace lc::fuzz;

namespace {

void told(const Findings& findings) {
  for (const Finding& f : findings)
    must(!verify::message_of(f).empty(), "a finding says something");
}

/// Numbers near powers of two as often as any others.
std::uint64_t any_number(FuzzedDataProvider& input) {
  if (input.ConsumeBool()) return input.ConsumeIntegral<std::uint64_t>();
  const int power = input.ConsumeIntegralInRange<int>(0, 63);
  return (std::uint64_t{1} << power) + input.ConsumeIntegralInRange<std::uint64_t>(0, 2) - 1;
}

template <class E>
E any_enumerator(FuzzedDataProvider& input) {
  return enumerator_of<E>(input.ConsumeIntegralInRange<std::uint64_t>(0, 17));
}

TensorMap any_map(FuzzedDataProvider& input) {
  TensorMap map;
  map.data_type = any_enumerator<DataType>(input);
  map.rank = input.ConsumeIntegralInRange<int>(-1, 7);
  map.global_address = any_number(input);
  for (int i = 0; i < kMaxRank; ++i) {
    map.global_dim[i] = any_number(input);
    map.global_stride[i] = any_number(input);
    map.box_dim[i] = any_number(input);
    map.element_stride[i] = any_number(input);
  }
  map.interleave = any_enumerator<Interleave>(input);
  map.swizzle = any_enumerator<Swizzle>(input);
  map.l2_promotion = any_enumerator<L2Promotion>(input);
  map.oob_fill = any_enumerator<OobFill>(input);
  return map;
}

/// The walk over the rows and the inverse agree, and stay inside the footprint.
void walk(const TensorMap& map, const Coordinates& first, std::uint64_t smem_address) {
  const TmaBox box = make_tma_box(map, first, smem_address);
  // The encoder limits floor(box / element stride) steps, which may be 0; the copy makes ceil.
  if (box.transaction_bytes > kMaxBoxBytes) return;
  std::uint64_t rows = 0, packed = 0;
  for (TmaRowCursor at(box); !at.done(); at.next(), ++rows) {
    for_each_piece(box, at.row(), 0, box.packed_bytes,
                   [&](std::uint64_t address, std::uint32_t length, std::uint32_t) {
                     packed += length;
                     must(address >= smem_address / 128 * 128, "no byte before the box");
                     must(address + length <= smem_address + box.footprint + 128,
                          "no byte past the box");
                   });
    if (rows % 61 != 0) continue;
    const std::uint64_t shared = at.row().linear ^ at.row().swizzle_mask;
    const TmaElement element = element_at(box, shared);
    must(element.present, "the inverse finds the first byte of a row");
    must(element.global_offset == at.row().global_offset, "and where it comes from");
  }
  must(rows == box.rows && packed == box.transaction_bytes, "every byte is visited once");
}

void arguments(FuzzedDataProvider& input, Arch arch) {
  const TensorMap map = any_map(input);
  told(check_tensor_map(map, arch));
  const TensorMap legal = nearest_legal_tensor_map(map, arch);
  must(is_accepted(legal, arch), "the nearest legal map is legal");
  must(nearest_legal_tensor_map(legal, arch) == legal, "a legal map stays as it is");
  if (is_accepted(map, arch)) must(legal == map, "an accepted map needs no repair");
  tensor_map_changes(map, legal);
  if (has_known_bits(legal, arch)) {
    const DecodedTensorMap decoded = decode_tensor_map(encode_tensor_map(legal));
    must(decoded.findings.count == 0, "the encoder's own bytes break no rule");
    must(encode_tensor_map(decoded.map) == encode_tensor_map(legal), "bytes survive a round trip");
  }
  Coordinates first{};
  for (int i = 0; i < kMaxRank; ++i) first[i] = input.ConsumeIntegral<std::int32_t>();
  const std::uint64_t smem_address = input.ConsumeIntegralInRange<std::uint64_t>(0, 2048) * 128;
  told(check_tma_load(legal, first, smem_address, arch).findings);
  told(check_tma_store(legal, first, smem_address, TmaOperation::store, arch).findings);
  walk(legal, first, smem_address);
}

void bytes(FuzzedDataProvider& input) {
  TensorMapWords words;
  for (std::size_t i = 0; i < 128; ++i) words.set_byte(i, input.ConsumeIntegral<std::uint8_t>());
  const DecodedTensorMap decoded = decode_tensor_map(words);
  told(decoded.findings);
  told(check_tensor_map(decoded.map, Arch::sm_90));
  if (decoded.findings.count == 0) {
    must(encode_tensor_map(decoded.map) == words, "a clean map is what the encoder writes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  if (input.ConsumeBool()) {
    arguments(input, input.ConsumeBool() ? Arch::sm_100 : Arch::sm_90);
  } else {
    bytes(input);
  }
  return 0;
}
