// Arbitrary words as descriptors: decoding and encoding are inverse up to reserved bits, the rules
// answer without overflow, and the three ways to an operand's addresses agree.
#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>

#include "sim/layout/instruction_descriptor.h"
#include "sim/layout/instruction_descriptor_check.h"
#include "sim/layout/mbarrier.h"
#include "sim/layout/operand.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "tests/fuzz/must.h"
#include "verify/findings.h"

using namespace lc;
using namespace lc::fuzz;

namespace {

void told(const Findings& findings) {
  for (const Finding& f : findings) {
    const std::string message = verify::message_of(f);
    must(!message.empty(), "a finding says something");
    must(message.find('{') == std::string::npos, "every number of a sentence is filled in");
    must(!verify::field_of(f).empty(), "a finding names a field");
  }
  must(findings.dropped == 0, "no finding is dropped");
}

void smem_word(Arch arch, std::uint64_t word) {
  const DecodedSmemDescriptor d = decode_smem_descriptor(arch, word);
  const Findings findings = check_smem_descriptor_word(arch, word);
  told(findings);
  must(d.swizzle_valid || findings.has_error(), "a code without a meaning is an error");
  if (!d.swizzle_valid) return;
  const std::uint64_t again = encode_smem_descriptor(arch, d.fields);
  must(decode_smem_descriptor(arch, again).fields == d.fields, "fields survive a round trip");
  std::uint64_t value_bits = 0;
  for (const SmemDescriptorField& f : smem_descriptor_fields(arch)) {
    if (f.use == FieldUse::value && f.bits.width != 0) value_bits |= f.bits.covered();
  }
  must(((again ^ word) & value_bits) == 0, "value bits survive a round trip");
  if (findings.has_error() || findings.has(Severity::warning)) return;
  must(again == word, "a word without a fault is what the encoder writes");
}

void operand(FuzzedDataProvider& input, Arch arch, std::uint64_t word) {
  const DecodedSmemDescriptor d = decode_smem_descriptor(arch, word);
  if (!d.swizzle_valid) return;
  const auto element =
      static_cast<Element>(input.ConsumeIntegralInRange<std::size_t>(0, kElementCount - 1));
  const Container container = input.ConsumeBool() ? Container::byte : Container::packed;
  const Major major = input.ConsumeBool() ? Major::mn : Major::k;
  const std::uint32_t mn = input.ConsumeIntegralInRange<std::uint32_t>(1, 80);
  const std::uint32_t k = input.ConsumeIntegralInRange<std::uint32_t>(1, 80);
  told(check_operand(arch, d.fields, major, element, container, mn, k));
  const OperandLayout l = operand_layout(d.fields, major, element, container);
  const std::uint64_t end = operand_end(l, mn, k);
  std::vector<std::uint32_t> all(std::size_t{mn} * k);
  fill_addresses(l, mn, k, all.data());
  const std::uint64_t some = input.ConsumeIntegralInRange<std::uint32_t>(0, mn * k - 1);
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    const std::uint64_t address = l.address(i / k, i % k);
    must(all[i] == address, "the whole map equals single addresses");
    must(address / 128 <= (end - 1) / 128, "no address lies past the operand's end");
  }
  const auto found = operand_element_at(l, mn, k, l.address(some / k, some % k));
  must(found.has_value(), "the inverse finds an element");
  must(l.bits < 8 || l.address(found->mn, found->k) == l.address(some / k, some % k),
       "and it stands there");
}

void instruction_word(MmaKind kind, std::uint32_t word) {
  const InstructionDescriptor x = decode_instruction_descriptor(kind, word);
  const Findings findings = check_instruction_word(kind, word);
  told(findings);
  const std::uint32_t again = encode(x);
  must(decode_instruction_descriptor(kind, again) == x || findings.has_error(),
       "an instruction descriptor survives a round trip");
  if (!findings.has_error()) must(again == word, "a legal word is what the encoder writes");
  must(instruction_descriptor_lines(kind, word).count > 0, "every word has lines");
}

void mbarrier_word(std::uint64_t word) {
  const Mbarrier b = decode_mbarrier(word);
  told(check_mbarrier_word(word));
  must(decode_mbarrier(encode(b)) == b, "an mbarrier state survives a round trip");
  must(mbarrier_lines(word).count > 0, "every word has lines");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Arch arch = input.ConsumeBool() ? Arch::sm_100 : Arch::sm_90;
  const auto kinds = spellings(MmaKind{});
  const MmaKind kind = kinds[input.ConsumeIntegral<std::uint8_t>() % kinds.size()].value;
  const std::uint64_t word = input.ConsumeIntegral<std::uint64_t>();
  smem_word(arch, word);
  operand(input, arch, word);
  instruction_word(kind, static_cast<std::uint32_t>(word));
  mbarrier_word(word);
  return 0;
}
