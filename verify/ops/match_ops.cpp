#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/layout/match.h"
#include "sim/layout/match_fix.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "sim/layout/tma_copy.h"
#include "verify/findings.h"
#include "verify/ops/match_request.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

Answer coordinates_json(const Coordinates& c, int rank) {
  Answer list = Answer::array();
  for (int d = 0; d < rank; ++d) list.push_back(c[d]);
  return list;
}

std::string coordinates_text(const Coordinates& c, int rank) {
  return fmt::format("{}", fmt::join(c.begin(), c.begin() + rank, ", "));
}

/// The load changes the values of tf32 maps; of any other operand that leaves other bits.
constexpr Rule kRounded{"match.values-rounded", Severity::error, "data_type",
                        "a load through a tf32 map rounds every 32-bit word to 10 mantissa bits "
                        "(measured on H200): the "
                        "{value}-bit elements of this operand would be destroyed; load them as "
                        "their own type, u8 or u32"};

bool rounds_other_values(const MatchQuestion& q) {
  return data_type_row(q.map.data_type).tf32 && q.element != Element::tf32 &&
         q.element != Element::f32;
}

Answer difference_json(const MatchQuestion& q, const Matcher& matcher, const MatchPlace& p) {
  Answer out = {{"mn", p.mn}, {"k", p.k}, {"address", p.bit_address / 8}};
  if (matcher.box().element_bits < 8 || p.bit_address % 8 != 0) out["bit"] = p.bit_address % 8;
  out["expected"] = coordinates_json(p.expected, q.map.rank);
  out["found"] =
      p.found.present ? coordinates_json(p.found.coordinates, q.map.rank) : Answer(nullptr);
  if (p.found.present && p.found.byte_in_element != p.expected_bit / 8) {
    out["found_byte_in_element"] = p.found.byte_in_element;
  }
  if (!p.found.present) out["why"] = "the box does not write this address";
  return out;
}

/// The corrected field, its value now and then, and a question that would match.
Answer fix_json(Arch arch, const MatchQuestion& q, const MatchFix& fix, const Question& asked) {
  using enum MatchFixKind;
  const SmemDescriptor &was = q.descriptor, &now = fix.question.descriptor;
  Question corrected = asked;
  Answer out;
  const auto field = [&](const char* name, const Answer& from, const Answer& to,
                         const std::string& words) {
    out = {{"field", name}, {"from", from}, {"value", to}, {"words", words}};
  };
  const auto bytes = [&](const char* name, const char* shorthand, std::uint64_t from,
                         std::uint64_t to) {
    field(name, from, to,
          fmt::format("set {} ({}) to {} bytes instead of {}", name, shorthand, to, from));
  };
  const std::string word = hex64(encode_smem_descriptor(arch, now));
  switch (fix.kind) {
    case base_offset:
      field("base_offset", was.base_offset, now.base_offset,
            fmt::format("set base_offset to {} instead of {}: TMA swizzles by absolute address "
                        "bits, so data it wrote is read with base offset 0",
                        now.base_offset, was.base_offset));
      break;
    case swizzle:
      field("swizzle", name_of(was.swizzle), name_of(now.swizzle),
            fmt::format("set the descriptor's swizzle to {} instead of {}", name_of(now.swizzle),
                        name_of(was.swizzle)));
      break;
    case exchange_offsets:
      field("leading_byte_offset", was.leading_byte_offset, now.leading_byte_offset,
            fmt::format("exchange leading_byte_offset (LBO) and stride_byte_offset (SBO): LBO {}, "
                        "SBO {}",
                        now.leading_byte_offset, now.stride_byte_offset));
      break;
    case stride_byte_offset:
      bytes("stride_byte_offset", "SBO", was.stride_byte_offset, now.stride_byte_offset);
      break;
    case leading_byte_offset:
      bytes("leading_byte_offset", "LBO", was.leading_byte_offset, now.leading_byte_offset);
      break;
    case start_address:
      field("start_address", was.start_address, now.start_address,
            fmt::format("set start_address to 0x{:x} instead of 0x{:x}", now.start_address,
                        was.start_address));
      break;
    case major:
      field("major", name_of(q.major), name_of(fix.question.major),
            fmt::format("the box holds the operand {}-major", name_of(fix.question.major)));
      break;
    case map_swizzle: {
      const char* name = swizzle_row(fix.question.map.swizzle).tensor_map_name;
      field("swizzle", swizzle_row(q.map.swizzle).tensor_map_name, name,
            fmt::format("set the tensor map's swizzle to {} instead of {}", name,
                        swizzle_row(q.map.swizzle).tensor_map_name));
      corrected["swizzle"] = name;
      break;
    }
    case origin:
      field(
          "operand_origin", coordinates_json(q.origin, q.map.rank),
          coordinates_json(fix.question.origin, q.map.rank),
          fmt::format("the descriptor reads another part of the box: its element (0, 0) is tensor "
                      "element ({}), not ({})",
                      coordinates_text(fix.question.origin, q.map.rank),
                      coordinates_text(q.origin, q.map.rank)));
      break;
    case descriptor:
      field("descriptor", hex64(encode_smem_descriptor(arch, was)), word,
            fmt::format("no single field does it; this whole descriptor reads the box: swizzle {}, "
                        "start 0x{:x}, LBO {}, SBO {}, base offset {}",
                        name_of(now.swizzle), now.start_address, now.leading_byte_offset,
                        now.stride_byte_offset, now.base_offset));
      break;
    case none:
      break;
  }
  if (!(now == was)) {
    corrected["descriptor"] = word;
    out["descriptor"] = word;
  }
  if (fix.kind == major) corrected["major"] = name_of(fix.question.major);
  if (fix.kind == origin) {
    Question list = Question::array();
    for (int d = 0; d < q.map.rank; ++d) list.push_back(fix.question.origin[d]);
    corrected["operand_origin"] = list;
  }
  out["request"] = corrected;
  return out;
}

/// Why no descriptor at all reads the box.
std::string why_none(const MatchQuestion& q, const Matcher& m) {
  if (const auto outside = m.first_difference(); outside && !box_address_of(m, q.mn - 1, q.k - 1)) {
    return fmt::format(
        "the operand of {} x {} elements reaches outside the box: no descriptor reads what was not "
        "loaded",
        q.mn, q.k);
  }
  const SwizzleRow row = swizzle_row(q.map.swizzle);
  if (m.box().row_pitch != row.span) {
    return fmt::format(
        "no descriptor reads this box: its rows are {} bytes apart, and a descriptor without "
        "swizzle reads rows 16 bytes apart (with one, rows of its span: the pitch is not "
        "programmable); load panels {} bytes wide, or choose the swizzle of that width",
        m.box().row_pitch, row.span);
  }
  return "no descriptor reads this box: its parts do not lie one constant step apart";
}

Answer match(const Request& request) {
  const MatchQuestion q = read_match(request);
  const Arch arch = request.choice<Arch>("arch");
  const TmaVerdict verdict = check_tma_load(q.map, q.coordinates, q.smem_address, arch);
  Findings findings = verdict.findings;
  for (const Finding& f : check_smem_descriptor_word(arch, request.number("descriptor"))) {
    if (f.rule.severity != Severity::note) findings.add(f.rule, f.value, f.limit, f.index, f.hex);
  }
  if (rounds_other_values(q)) findings.add(kRounded, element_format(q.element).bits);
  findings.append(check_operand(arch, q.descriptor, q.major, q.element, q.container, q.mn, q.k));
  Answer answer;
  if (verdict.outcome != TmaOutcome::ok) {
    answer = {
        {"matches", false},
        {"outcome", name_of(verdict.outcome)},
        {"first_difference", nullptr},
        {"fix", nullptr},
        {"no_fix", verdict.outcome == TmaOutcome::refused
                       ? "mend the tensor map first: tensor_map.check gives the nearest "
                         "legal call"
                       : "mend the copy first: the findings say which coordinate or address"}};
    answer["findings"] = to_json(findings);
    return answer;
  }
  const Matcher matcher(q);
  const auto difference = matcher.first_difference();
  answer = {{"matches", !difference.has_value()}};
  answer["first_difference"] =
      difference ? difference_json(q, matcher, *difference) : Answer(nullptr);
  answer["fix"] = nullptr;
  if (difference) {
    const MatchFixes fixes = match_fixes(arch, q);
    Answer all = Answer::array();
    for (std::size_t i = 0; i < fixes.count; ++i) {
      all.push_back(fix_json(arch, q, fixes.items[i], request.question()));
    }
    if (fixes.count == 0) answer["no_fix"] = why_none(q, matcher);
    if (fixes.count > 0) answer["fix"] = all.front();
    if (fixes.count > 1) answer["other_fixes"] = Answer(all.begin() + 1, all.end());
  }
  answer["findings"] = to_json(findings);
  return answer;
}

constexpr Op kOps[] = {
    {"match.tma_to_operand",
     "a tensor map (its fields flat) with coordinates and smem_address; descriptor, major, "
     "element, "
     "mn, k; mn_dimension and k_dimension (0 = innermost, or a list, fastest first; default: the "
     "contiguous axis over dimensions 0, 2, …, the other over 1); optional: operand_origin (tensor "
     "coordinates of element (0, 0), default coordinates), container",
     "matches, first_difference (mn, k, address, expected and found tensor coordinates), fix "
     "(field, from, value, words, request: the corrected question), other_fixes, no_fix (why "
     "nothing helps), findings",
     match},
};

}  // namespace

std::span<const Op> match_ops() {
  return kOps;
}

}  // namespace lc::verify
