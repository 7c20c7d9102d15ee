#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "verify/commands/commands.h"
#include "verify/error.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

/// What an LBO or SBO means is known only once major and swizzle are.
std::string step_meaning(const char* field, Swizzle swizzle) {
  const bool lbo = std::string_view(field) == "leading_byte_offset";
  if (swizzle == Swizzle::none) {
    return lbo ? "K step: next 16-byte chunk (K-major) or 8-k group (MN-major)"
               : "MN step: next 8 rows (K-major) or 16-byte chunk (MN-major)";
  }
  const bool four = swizzle == Swizzle::b128_32b;
  if (lbo) return "K-major: ignored; MN-major: next atom along MN";
  return four ? "MN-major: next 4-k group" : "K-major: next 8 rows; MN-major: next 8-k group";
}

std::string meaning_of(const SmemDescriptorField& f, const DecodedSmemDescriptor& d,
                       std::uint64_t word) {
  const std::string_view name = f.bits.name;
  const std::uint64_t raw = f.bits.raw(word);
  if (f.use == FieldUse::reserved) return raw == 0 ? "must be 0" : "must be 0, but is set";
  if (f.use == FieldUse::fixed) return raw == f.required ? "fixed 0b001" : "must be 0b001";
  if (name == "swizzle") {
    if (!d.swizzle_valid) return "means nothing";
    const SwizzleRow row = swizzle_row(d.fields.swizzle);
    if (d.fields.swizzle == Swizzle::none) return "none: core matrices of 8 x 16 B";
    return fmt::format("{}: rows of {} B, atoms aligned to {} B", row.name, row.span,
                       row.alignment);
  }
  if (name == "lbo_mode") return raw == 0 ? "relative" : "absolute (sm_103a)";
  if (name == "base_offset") {
    return raw == 0 ? "key = address bits 9:7" : fmt::format("key = address bits 9:7 - {}", raw);
  }
  if (name == "start_address") return fmt::format("0x{:x}", f.bits.get(word));
  return fmt::format("{} B  {}", f.bits.get(word), step_meaning(f.bits.name, d.fields.swizzle));
}

void print_smem(const Question& q, const Answer& answer, const Output& output) {
  const Arch arch = *value_of<Arch>(q.at("arch").get<std::string>());
  const std::uint64_t word = Request(q).number("descriptor");
  const DecodedSmemDescriptor d = decode_smem_descriptor(arch, word);
  output.out << output.paint.bold(fmt::format("0x{:016x}", word))
             << fmt::format("  {} shared-memory descriptor\n", name_of(arch));
  Table table({"bits", "field", "raw", "meaning"});
  table.align_right(2);
  for (const SmemDescriptorField& f : smem_descriptor_fields(arch)) {
    if (f.bits.width == 0) continue;
    table.row({fmt::format("{}:{}", f.bits.lo + f.bits.width - 1, f.bits.lo), f.bits.name,
               fmt::format("0x{:x}", f.bits.raw(word)), meaning_of(f, d, word)});
  }
  output.out << table.text();
  print_findings(output, answer.at("findings"));
}

/// The kinds of value, by the op that decodes them.
struct Kind {
  const char* name;
  const char* op;
  std::size_t hex_digits;  ///< width that suggests it
  void (*print)(const Question&, const Answer&, const Output&);
};

constexpr Kind kKinds[] = {{"smem", "smem_descriptor.decode", 16, print_smem}};

const Kind& kind_of(const Question& q, const std::string& value) {
  const auto named = q.find("as");
  const std::size_t digits = value.size() - (value.starts_with("0x") ? 2 : 0);
  for (const Kind& kind : kKinds) {
    if (named != q.end() ? *named == kind.name : digits == kind.hex_digits) return kind;
  }
  if (named != q.end()) {
    throw Error("--as", fmt::format("unknown kind \"{}\"", named->get<std::string>()),
                "smem, instruction, tensor-map or mbarrier");
  }
  return kKinds[0];
}

int run(const Question& question, const Output& output) {
  if (!question.contains("value")) {
    throw Error("VALUE", "no value to decode", "layout-check decode 0x4000404000010040");
  }
  Question q = question;
  const std::string value = q.at("value").get<std::string>();
  const Kind& kind = kind_of(q, value);
  q.erase("value");
  q.erase("as");
  q["descriptor"] = value;
  if (!q.contains("arch")) q["arch"] = "sm_100";
  const Answer answer = answer_op(kind.op, q, output);
  if (!output.json) kind.print(q, answer, output);
  return has_error(answer.at("findings")) ? 1 : 0;
}

}  // namespace

Command decode_command() {
  return {"decode",
          "What does this value say? Every field, and every rule it breaks",
          "layout-check decode --arch sm_100 0x4000404000010040\n"
          "layout-check decode --arch sm_90 --major k --element f16 --mn 64 --k 16 "
          "0x4000004000010040",
          "value",
          false,
          joined({{{"--as", OptionKind::text, "KIND", "smem instruction tensor-map mbarrier"}},
                  operand_options()}),
          run};
}

}  // namespace lc::verify
