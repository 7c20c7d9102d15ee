#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/instruction_descriptor.h"
#include "sim/layout/mbarrier.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/smem_descriptor_rules.h"
#include "verify/commands/commands.h"
#include "verify/error.h"
#include "verify/ops/ops.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

/// What an LBO or SBO means is known only once major and swizzle are.
std::string step_meaning(const char* field, Swizzle swizzle) {
  const bool lbo = std::string_view(field) == "leading_byte_offset";
  if (swizzle == Swizzle::none) {
    return lbo ? "K-major: next 16 bytes of k; MN-major: next 8-k group"
               : "K-major: next 8 rows; MN-major: next 16 bytes of mn";
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
  if (!d.swizzle_valid) return fmt::format("{} B", f.bits.get(word));
  return fmt::format("{} B  {}", f.bits.get(word), step_meaning(f.bits.name, d.fields.swizzle));
}

/// "63:61", or "52" for one bit.
std::string bits_text(const BitField& bits) {
  if (bits.width == 1) return std::to_string(bits.lo);
  return fmt::format("{}:{}", bits.lo + bits.width - 1, bits.lo);
}

void print_smem(const Question& q, const Answer&, const Output& output) {
  const Arch arch = *value_of<Arch>(q.at("arch").get<std::string>());
  const std::uint64_t word = Request(q).number("descriptor");
  const DecodedSmemDescriptor d = decode_smem_descriptor(arch, word);
  output.out << output.paint.bold(fmt::format("0x{:016x}", word))
             << fmt::format("  {} shared-memory descriptor\n", name_of(arch));
  Table table({"bits", "field", "raw", "meaning"});
  table.align_right(2);
  for (const SmemDescriptorField& f : smem_descriptor_fields(arch)) {
    if (f.bits.width == 0) continue;
    table.row({bits_text(f.bits), f.bits.name, fmt::format("0x{:x}", f.bits.raw(word)),
               meaning_of(f, d, word)});
  }
  output.out << table.text();
}

/// Fields of a word that gives its own lines.
template <class Lines>
void print_lines(const Lines& lines, const Output& output) {
  Table table({"bits", "field", "raw", "value", "meaning"});
  table.align_right(2);
  table.align_right(3);
  for (const FieldLine& line : lines) {
    const char* meaning =
        line.is_reserved ? (line.raw == 0 ? "must be 0" : "must be 0, but is set") : line.meaning;
    table.row({bits_text(line.bits), line.bits.name, fmt::format("0x{:x}", line.raw),
               std::to_string(line.value), meaning});
  }
  output.out << table.text();
}

void print_instruction(const Question& q, const Answer& answer, const Output& output) {
  const Request request(q);
  const auto word = static_cast<std::uint32_t>(request.number("descriptor"));
  const MmaKind kind = request.choice<MmaKind>("kind");
  output.out << output.paint.bold(hex32(word))
             << fmt::format("  sm_100 instruction descriptor, kind::{}, K = {}\n", name_of(kind),
                            answer.at("k").dump());
  print_lines(instruction_descriptor_lines(kind, word), output);
  std::vector<std::string> forms;
  for (const Answer& form : answer.at("forms")) forms.push_back(form.get<std::string>());
  if (!forms.empty()) output.out << fmt::format("  legal as: {}\n", fmt::join(forms, "; "));
}

void print_mbarrier(const Question& q, const Answer& answer, const Output& output) {
  const std::uint64_t word = Request(q).number("word");
  output.out << output.paint.bold(hex64(word)) << "  mbarrier state\n";
  print_lines(mbarrier_lines(word), output);
  const auto verdict = [&](const char* field) {
    return answer.at(field).get<int>() != 0 ? "passes" : "blocks";
  };
  output.out << fmt::format("  wait on parity 0 {}, wait on parity 1 {}\n",
                            verdict("wait_parity_0"), verdict("wait_parity_1"));
}

void print_map(const Question&, const Answer& answer, const Output& output) {
  output.out << output.paint.bold("tensor map") << "  128 bytes, as sm_90 encodes tiled maps\n";
  Table table({"argument", "value"});
  for (const auto& [field, value] : answer.items()) {
    if (field != "findings") {
      table.row({field, value.is_string() ? value.get<std::string>() : value.dump()});
    }
  }
  output.out << table.text();
}

/// Where the value of the command line goes, and how many hex digits suggest the kind.
struct Kind {
  const char* name;
  const char* op;
  const char* field;
  std::size_t max_digits;
  void (*print)(const Question&, const Answer&, const Output&);
};

constexpr Kind kKinds[] = {
    {"instruction", "instruction_descriptor.decode", "descriptor", 8, print_instruction},
    {"smem", "smem_descriptor.decode", "descriptor", 16, print_smem},
    {"tensor-map", "tensor_map.decode", "tensor_map", 256, print_map},
    {"mbarrier", "mbarrier.decode", "word", 0, print_mbarrier},
};

const Kind& kind_of(const Question& q, const std::string& value) {
  if (const auto named = q.find("as"); named != q.end()) {
    std::vector<std::string> names;
    for (const Kind& kind : kKinds) {
      if (*named == kind.name) return kind;
      names.emplace_back(kind.name);
    }
    throw Error("--as", fmt::format("unknown kind \"{:.40}\"", named->get<std::string>()),
                one_of(named->get<std::string>(), names));
  }
  for (const char* field : {"major", "element", "container", "mn", "k"}) {
    if (q.contains(field)) return kKinds[1];
  }
  if (q.contains("arch") && q.at("arch") == "sm_90") return kKinds[1];  // has no other descriptor
  const bool hex = value.starts_with("0x") || value.starts_with("0X");
  const std::size_t digits = hex || value.size() > 20 ? value.size() - (hex ? 2 : 0)
                             : value.size() > 10      ? 16
                                                      : 8;
  for (const Kind& kind : kKinds) {
    if (digits <= kind.max_digits && (digits <= 16 || digits == 256)) return kind;
  }
  throw Error("VALUE",
              fmt::format("{} hex digits are neither a descriptor nor a tensor map", digits),
              "8 digits (instruction), 16 (shared memory) or 256 (tensor map)");
}

/// What the value itself says of the rest of the question, where the user did not.
void guess(const Kind& kind, Question& q, const Output& output) {
  const auto said = [&](const char* field, const char* value, const std::string& why) {
    q[field] = value;
    if (!output.json) {
      output.out << output.paint.dim(fmt::format("({} {} assumed: {})", field, value, why)) << '\n';
    }
  };
  if (kind.print == print_instruction && !q.contains("kind")) {
    said("kind", "f16", "give --kind for others");
  }
  if (kind.print != print_smem || q.contains("arch")) return;
  const std::uint64_t word = Request(q).number("descriptor");
  const bool blackwell = smem_field::kVersion.raw(word) == 1;
  said("arch", blackwell ? "sm_100" : "sm_90",
       fmt::format("bits 48:46 are {}", blackwell ? "001" : "not 001"));
}

/// Says of a value that is none what is wrong, before anything is printed.
void check_value(const Kind& kind, const Question& q) {
  try {
    if (kind.print == print_map) return;
    Request(q).number(kind.field, 0, kind.print == print_instruction ? UINT32_MAX : UINT64_MAX);
  } catch (const Error& e) {
    throw Error("VALUE", e.message, e.hint);
  }
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
  q[kind.field] = value;
  check_value(kind, q);
  guess(kind, q, output);
  const Answer answer = answer_op(kind.op, q, output);
  const int code = has_error(answer.at("findings")) ? 1 : 0;
  if (output.json) return code;
  kind.print(q, answer, output);
  print_findings(output, answer.at("findings"));
  return code;
}

}  // namespace

Command decode_command() {
  return {"decode",
          "What does this value say? Every field, and every rule it breaks",
          "layout-check decode --arch sm_100 0x4000404000010040\n"
          "layout-check decode --kind f16 0x08200490\n"
          "layout-check decode --as mbarrier 0x7ffffbfe001ffffc\n"
          "layout-check decode --arch sm_90 --major k --element f16 --mn 64 --k 16 \\\n"
          "  0x4000004000010040",
          "value",
          false,
          joined({{{"--as", OptionKind::text, "KIND", "smem instruction tensor-map mbarrier"},
                   {"--kind", OptionKind::text, "KIND", "of the MMA, for instruction descriptors"}},
                  operand_options()}),
          run};
}

}  // namespace lc::verify
