#include <nlohmann/json.hpp>

#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "verify/findings.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

/// When the question also names the operand, the rules of their combination.
void add_operand_findings(const Request& request, Arch arch, const SmemDescriptor& d,
                          Findings& findings) {
  if (!request.has("major") || !request.has("element")) return;
  const Major major = request.choice<Major>("major");
  const ElementChoice e = read_element(request);
  if (!request.has("mn") || !request.has("k")) {
    findings.append(check_operand_mode(arch, e.element, e.container, major, d.swizzle));
    return;
  }
  const Extents extents = read_extents(request);
  findings.append(check_operand(arch, d, major, e.element, e.container, extents.mn, extents.k));
}

Answer encode(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  SmemDescriptor d;
  d.start_address = request.number("start_address", 0, UINT32_MAX);
  d.leading_byte_offset = request.number_or("leading_byte_offset", 16, 0, UINT32_MAX);
  d.stride_byte_offset = request.number("stride_byte_offset", 0, UINT32_MAX);
  d.base_offset = static_cast<std::uint32_t>(request.number_or("base_offset", 0, 0, UINT32_MAX));
  d.lbo_mode = request.choice_or<LboMode>("lbo_mode", LboMode::relative);
  d.swizzle = request.choice<Swizzle>("swizzle");
  Findings findings = check_smem_descriptor(arch, d);
  add_operand_findings(request, arch, d, findings);
  const bool exists = arch == Arch::sm_100 || swizzle_row(d.swizzle).code_sm90 >= 0;
  return {{"descriptor", exists ? Answer(hex64(encode_smem_descriptor(arch, d))) : Answer(nullptr)},
          {"findings", to_json(findings)}};
}

Answer decode(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const std::uint64_t word = request.number("descriptor");
  const DecodedSmemDescriptor decoded = decode_smem_descriptor(arch, word);
  const SmemDescriptor& d = decoded.fields;
  Findings findings = check_smem_descriptor_word(arch, word);
  if (decoded.swizzle_valid) add_operand_findings(request, arch, d, findings);
  Answer answer = {{"start_address", d.start_address},
                   {"leading_byte_offset", d.leading_byte_offset},
                   {"stride_byte_offset", d.stride_byte_offset},
                   {"base_offset", d.base_offset},
                   {"lbo_mode", name_of(d.lbo_mode)}};
  answer["swizzle"] = decoded.swizzle_valid ? Answer(name_of(d.swizzle)) : Answer(nullptr);
  answer["swizzle_code"] = decoded.swizzle_code;
  answer["findings"] = to_json(findings);
  return answer;
}

constexpr Op kOps[] = {
    {"smem_descriptor.encode",
     "arch, start_address, leading_byte_offset (16), stride_byte_offset, base_offset (0), "
     "lbo_mode (relative), swizzle; optional: major, element, mn, k for the rules of the operand",
     "descriptor (null when the architecture has no such swizzle), findings", encode},
    {"smem_descriptor.decode",
     "arch, descriptor; optional: major, element, mn, k for the rules of the operand",
     "start_address, leading_byte_offset, stride_byte_offset, base_offset, lbo_mode, swizzle (null "
     "when the code means nothing), swizzle_code, findings",
     decode},
};

}  // namespace

std::span<const Op> smem_descriptor_ops() {
  return kOps;
}

}  // namespace lc::verify
