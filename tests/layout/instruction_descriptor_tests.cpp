#include <string>
#include <string_view>
#include <vector>

#include "sim/layout/instruction_descriptor_check.h"
#include "tests/golden.h"
#include "tests/test.h"

using namespace lc;

namespace {

constexpr MmaKind kKinds[] = {MmaKind::f16,      MmaKind::tf32, MmaKind::f8f6f4,  MmaKind::i8,
                              MmaKind::mxf8f6f4, MmaKind::mxf4, MmaKind::mxf4nvf4};

/// A legal descriptor of a kind to start from.
constexpr InstructionDescriptor plain(MmaKind kind) {
  InstructionDescriptor x;
  x.kind = kind;
  x.d = kind == MmaKind::i8 ? Accumulator::s32 : Accumulator::f32;
  for (const ElementCode& row : kElementCodes) {
    if ((row.kinds & kind_bit(kind)) != 0) x.a = x.b = row.element;
  }
  x.m = 128;
  x.n = 128;
  return x;
}

std::string rules_of(const Findings& findings, Severity least) {
  std::string ids;
  for (const Finding& f : findings) {
    if (f.rule.severity < least) continue;
    if (!ids.empty()) ids += ' ';
    ids += std::string(f.rule.id).substr(23);
  }
  return ids;
}

MmaKind kind_of_cute_row(const std::string& kind, const std::string& a, const std::string& sf) {
  if (kind == "block_scaled") {
    if (a != "e2m1") return MmaKind::mxf8f6f4;
    return sf == "ue4m3" ? MmaKind::mxf4nvf4 : MmaKind::mxf4;
  }
  if (a == "f16" || a == "bf16") return MmaKind::f16;
  if (a == "tf32") return MmaKind::tf32;
  return a == "s8" || a == "u8" ? MmaKind::i8 : MmaKind::f8f6f4;
}

Element element(const std::string& name) {
  return *value_of<Element>(name == "s8" ? "i8" : name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(instruction_descriptor_tests)

BOOST_AUTO_TEST_CASE(fields_cover_all_32_bits_once) {
  for (const MmaKind kind : kKinds) {
    std::uint64_t seen = 0;
    for (const IdescField& field : instruction_descriptor_fields(kind)) {
      BOOST_TEST((seen & field.bits.covered()) == 0u);
      seen |= field.bits.covered();
    }
    BOOST_TEST(seen == 0xFFFFFFFFu);
  }
}

BOOST_AUTO_TEST_CASE(equals_cute) {
  const auto rows = tests::read_csv("cute-instr-descriptors.csv");
  BOOST_TEST(rows.size() == 13u);
  for (const tests::CsvRow& row : rows) {
    const std::string a = row.at("a"), sf = row.at("sf");
    InstructionDescriptor x;
    x.kind = kind_of_cute_row(row.at("kind"), a, sf);
    x.a = element(a);
    x.b = element(row.at("b"));
    x.d = value_of<Accumulator>(row.at("c"));
    if (!sf.empty()) x.scale_type = *value_of<ScaleType>(sf);
    x.m = static_cast<std::uint32_t>(tests::word(row.at("M")));
    x.n = static_cast<std::uint32_t>(tests::word(row.at("N")));
    x.a_major = row.at("a_major") == "K" ? Major::k : Major::mn;
    x.b_major = row.at("b_major") == "K" ? Major::k : Major::mn;
    const auto want = static_cast<std::uint32_t>(tests::word(row.at("idesc")));
    BOOST_TEST_CONTEXT(row.at("idesc")) {
      BOOST_TEST(encode(x) == want);
      BOOST_TEST((decode_instruction_descriptor(x.kind, want) == x));
      BOOST_TEST(rules_of(check_instruction_word(x.kind, want), Severity::warning) == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(known_words) {
  // Evaluated with CuTe's builder.
  const auto word = [](MmaKind kind, std::uint32_t m, std::uint32_t n, auto change) {
    InstructionDescriptor x = plain(kind);
    x.m = m;
    x.n = n;
    change(x);
    BOOST_TEST(!check_instruction_descriptor(x).has_error());
    return encode(x);
  };
  const auto none = [](InstructionDescriptor&) {};
  BOOST_TEST(word(MmaKind::f16, 128, 128, none) == 0x08200490u);
  BOOST_TEST(word(MmaKind::f16, 256, 256, none) == 0x10400490u);
  BOOST_TEST(word(MmaKind::tf32, 128, 256, none) == 0x08400910u);
  BOOST_TEST(word(MmaKind::f16, 64, 64, [](auto& x) {
               x.a = x.b = Element::f16;
               x.d = Accumulator::f16;
               x.a_major = x.b_major = Major::mn;
             }) == 0x04118000u);
  BOOST_TEST(word(MmaKind::f8f6f4, 128, 64, [](auto& x) {
               x.a = Element::e4m3;
               x.b = Element::e5m2;
               x.negate_a = true;
             }) == 0x08102410u);
  BOOST_TEST(word(MmaKind::i8, 128, 32, [](auto& x) { x.saturate = true; }) == 0x080804A8u);
  BOOST_TEST(word(MmaKind::f16, 128, 128, [](auto& x) { x.sparse = true; }) == 0x08200494u);
  BOOST_TEST(word(MmaKind::mxf8f6f4, 128, 128, [](auto& x) { x.a = x.b = Element::e4m3; }) ==
             0x08A00000u);
  BOOST_TEST(word(MmaKind::mxf4nvf4, 256, 128, [](auto& x) { x.scale_type = ScaleType::ue4m3; }) ==
             0x10200480u);
}

BOOST_AUTO_TEST_CASE(garbage_is_named_bit_by_bit) {
  const Findings found = check_instruction_word(MmaKind::f16, 0x40004040);
  BOOST_TEST(rules_of(found, Severity::error) == "reserved m max-shift-form");
  BOOST_TEST(found.items[0].value == 6);
  const auto x = decode_instruction_descriptor(MmaKind::f16, 0x40004040);
  BOOST_TEST((x.d == Accumulator::f16 && x.a == Element::f16 && x.b == Element::f16));
  BOOST_TEST((x.negate_b && !x.negate_a && x.max_shift == 8 && x.m == 0 && x.n == 0));
}

BOOST_AUTO_TEST_CASE(every_reserved_bit_is_found_in_every_kind) {
  for (const MmaKind kind : kKinds) {
    const std::uint32_t good = encode(plain(kind));
    BOOST_TEST(rules_of(check_instruction_word(kind, good), Severity::note) == "");
    for (const IdescField& field : instruction_descriptor_fields(kind)) {
      if (field.role != IdescRole::reserved) continue;
      for (int bit = field.bits.lo; bit < field.bits.lo + field.bits.width; ++bit) {
        const Findings found = check_instruction_word(kind, good | 1u << bit);
        BOOST_TEST(rules_of(found, Severity::error) == "reserved");
        BOOST_TEST(found.items[0].value == bit);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(decodes_what_it_encodes_for_all_field_values) {
  std::size_t wrong = 0, tried = 0;
  const auto check = [&](const InstructionDescriptor& x) {
    ++tried;
    if (decode_instruction_descriptor(x.kind, encode(x)) != x) ++wrong;
  };
  const auto switches = [&](InstructionDescriptor x) {
    const bool scaled = mma_kind_row(x.kind).block_scaled;
    for (unsigned bits = 0; bits < 64; ++bits) {
      x.negate_a = bits & 1;
      x.negate_b = bits & 2;
      x.a_major = bits & 4 ? Major::mn : Major::k;
      x.b_major = bits & 8 ? Major::mn : Major::k;
      x.sparse = bits & 16;
      (scaled ? x.k96 : x.saturate) = bits & 32 && x.kind != MmaKind::mxf8f6f4;
      for (std::uint32_t four = 0; four < 16; ++four) {
        (scaled ? x.sfa_id : x.sparsity_selector) = four % 4;
        if (scaled)
          x.sfb_id = four / 4;
        else
          x.max_shift = max_shift_of_code(four / 4);
        check(x);
      }
    }
  };
  for (const MmaKind kind : kKinds) {
    InstructionDescriptor x = plain(kind);
    const bool scaled = mma_kind_row(kind).block_scaled;
    for (std::uint32_t m = 0; m <= 256; m += scaled ? 128 : 32) {
      x.m = m;
      for (x.n = 0; x.n < 512; x.n += 56) switches(x);
    }
    x = plain(kind);
    for (x.m = 0; x.m < 512; x.m += scaled ? 128 : 16) {
      for (x.n = 0; x.n < 512; x.n += 8) check(x);
    }
    for (const ElementCode& a : kElementCodes) {
      for (const ElementCode& b : kElementCodes) {
        if ((a.kinds & b.kinds & kind_bit(kind)) == 0) continue;
        x = plain(kind);
        x.a = a.element;
        x.b = b.element;
        for (const Accumulator d : {Accumulator::f16, Accumulator::f32, Accumulator::s32}) {
          if (!scaled) x.d = d;
          x.scale_type = scaled && d == Accumulator::f16 ? ScaleType::ue4m3 : ScaleType::ue8m0;
          switches(x);
        }
      }
    }
  }
  BOOST_TEST(tried > 500'000u);
  BOOST_TEST(wrong == 0u);
}

BOOST_AUTO_TEST_CASE(decodes_every_word_without_losing_a_known_bit) {
  // Any 32 bits: what decoding keeps and what the rules name add up to the whole word.
  std::uint32_t word = 1;
  for (int i = 0; i < 200'000; ++i) {
    word = word * 1664525 + 1013904223;
    const std::uint32_t mixed = word ^ (word >> 15);
    for (const MmaKind kind : kKinds) {
      const InstructionDescriptor x = decode_instruction_descriptor(kind, mixed);
      std::uint32_t named = 0;
      for (const IdescField& field : instruction_descriptor_fields(kind)) {
        const bool unknown = (field.role == IdescRole::a && !x.a) ||
                             (field.role == IdescRole::b && !x.b) ||
                             (field.role == IdescRole::d && !x.d);
        if (field.role == IdescRole::reserved || unknown) {
          named |= static_cast<std::uint32_t>(field.bits.covered());
        }
      }
      BOOST_TEST_REQUIRE((encode(x) | (mixed & named)) == mixed);
      if ((mixed & named) != 0) BOOST_TEST_REQUIRE(check_instruction_word(kind, mixed).has_error());
    }
  }
}

// PTX ISA table 39 once more, as a person would say it.
bool shape_by_prose(MmaKind kind, int cta_group, bool ws, bool sparse, std::uint32_t m,
                    std::uint32_t n) {
  const bool scaled = kind >= MmaKind::mxf8f6f4;
  if (ws) {
    if (scaled || cta_group == 2) return false;
    if (m != 32 && m != 64 && m != 128) return false;
    return n == 64 || n == 128 || (n == 256 && !sparse);
  }
  if (n == 0 || n > 256) return false;
  if (cta_group == 1) {
    if (!(m == 128 || (m == 64 && !scaled))) return false;
    if (kind == MmaKind::i8) return n <= 32 ? n % 8 == 0 : n % 16 == 0;
    return n % 8 == 0;
  }
  if (m != 256 && !(m == 128 && !(scaled && sparse))) return false;
  return n % (kind == MmaKind::i8 ? 32 : 16) == 0;
}

BOOST_AUTO_TEST_CASE(shapes_agree_with_the_prose) {
  for (const MmaKind kind : kKinds) {
    for (std::uint32_t m = 0; m <= 512; m += 16) {
      for (std::uint32_t n = 0; n <= 520; n += 4) {
        for (const bool sparse : {false, true}) {
          bool any = false;
          for (const int cta_group : {1, 2}) {
            for (const bool ws : {false, true}) {
              const bool want = shape_by_prose(kind, cta_group, ws, sparse, m, n);
              any = any || want;
              const MmaTarget target{cta_group, ws};
              BOOST_TEST_REQUIRE(judge_shape({kind, sparse, m, n, false}, target).legal() == want);
            }
          }
          BOOST_TEST_REQUIRE(judge_shape({kind, sparse, m, n, false}).legal() == any);
        }
      }
    }
  }
}

struct RuleCase {
  const char* rules;  ///< what must be found, errors and warnings and notes
  MmaKind kind;
  void (*change)(InstructionDescriptor&);
  MmaTarget target = {};
};

const RuleCase kRuleCases[] = {
    {"", MmaKind::f16, [](auto&) {}},
    // types
    {"a-type", MmaKind::f16, [](auto& x) { x.a = Element::e4m3; }},
    {"b-type", MmaKind::i8, [](auto& x) { x.b = Element::e4m3; }},
    {"b-type", MmaKind::mxf4, [](auto& x) { x.b = Element::e4m3; }},
    {"", MmaKind::mxf8f6f4, [](auto& x) { x.a = Element::e2m1, x.b = Element::e5m2; }},
    {"", MmaKind::i8, [](auto& x) { x.a = Element::u8, x.b = Element::i8; }},
    {"d-type", MmaKind::tf32, [](auto& x) { x.d = Accumulator::f16; }},
    {"d-type", MmaKind::f16, [](auto& x) { x.d = Accumulator::s32; }},
    {"d-type", MmaKind::i8, [](auto& x) { x.d = Accumulator::f32; }},
    {"d-type", MmaKind::mxf8f6f4, [](auto& x) { x.d = Accumulator::f16; }},
    {"", MmaKind::f8f6f4, [](auto& x) { x.d = Accumulator::f16; }},
    {"d-f16-inputs", MmaKind::f16, [](auto& x) { x.d = Accumulator::f16; }},
    {"", MmaKind::f16, [](auto& x) { x.d = Accumulator::f16, x.a = x.b = Element::f16; }},
    {"mixed-16-bit", MmaKind::f16, [](auto& x) { x.a = Element::f16; }},
    // shapes
    {"m", MmaKind::f16, [](auto& x) { x.m = 96; }},
    {"m", MmaKind::f16, [](auto& x) { x.m = 512; }},
    {"m", MmaKind::mxf4, [](auto& x) { x.m = 64; }},
    {"m", MmaKind::mxf8f6f4, [](auto& x) { x.sparse = true; }, {2, {}}},
    {"", MmaKind::mxf8f6f4, [](auto& x) { x.sparse = true, x.m = 256; }, {2, {}}},
    {"", MmaKind::f16, [](auto& x) { x.m = 32; }},
    {"m", MmaKind::f16, [](auto& x) { x.m = 32; }, {{}, false}},
    {"m", MmaKind::f16, [](auto& x) { x.m = 256; }, {1, {}}},
    {"n", MmaKind::f16, [](auto& x) { x.n = 12; }},
    {"n", MmaKind::f16, [](auto& x) { x.n = 264; }},
    {"n", MmaKind::f16, [](auto& x) { x.n = 0; }},
    {"", MmaKind::f16, [](auto& x) { x.n = 8; }},
    {"n", MmaKind::f16, [](auto& x) { x.n = 8; }, {2, {}}},
    {"n", MmaKind::f16, [](auto& x) { x.n = 8, x.m = 256; }},
    {"n", MmaKind::i8, [](auto& x) { x.n = 40; }},
    {"", MmaKind::i8, [](auto& x) { x.n = 24; }},
    {"n", MmaKind::i8, [](auto& x) { x.n = 48, x.m = 256; }},
    {"n", MmaKind::f16, [](auto& x) { x.n = 96, x.m = 32; }},
    {"n", MmaKind::f16, [](auto& x) { x.n = 256, x.m = 32, x.sparse = true; }},
    {"", MmaKind::f16, [](auto& x) { x.n = 256, x.m = 32; }},
    {"form", MmaKind::mxf4, [](auto&) {}, {{}, true}},
    {"form", MmaKind::f16, [](auto&) {}, {2, true}},
    {"n-sparse-pair", MmaKind::f8f6f4, [](auto& x) { x.n = 48, x.m = 256, x.sparse = true; }},
    {"", MmaKind::f8f6f4, [](auto& x) { x.n = 64, x.m = 256, x.sparse = true; }},
    {"", MmaKind::f8f6f4, [](auto& x) { x.n = 48, x.m = 256; }},
    // transposes
    {"n-transposed-b", MmaKind::f8f6f4,
     [](auto& x) { x.b = Element::e4m3, x.n = 24, x.b_major = Major::mn; }},
    {"n-transposed-b", MmaKind::i8, [](auto& x) { x.n = 24, x.b_major = Major::mn; }},
    {"n-transposed-b", MmaKind::mxf8f6f4,
     [](auto& x) { x.b = Element::e5m2, x.n = 48, x.m = 256, x.b_major = Major::mn; }},
    {"", MmaKind::f8f6f4, [](auto& x) { x.b = Element::e4m3, x.n = 48, x.b_major = Major::mn; }},
    {"", MmaKind::f16, [](auto& x) { x.n = 24, x.b_major = x.a_major = Major::mn; }},
    {"a-transpose b-transpose", MmaKind::mxf4, [](auto& x) { x.a_major = x.b_major = Major::mn; }},
    {"a-sub-byte-transpose", MmaKind::f8f6f4, [](auto& x) { x.a_major = Major::mn; }},
    {"b-sub-byte-transpose", MmaKind::mxf8f6f4,
     [](auto& x) { x.b = Element::e2m3, x.b_major = Major::mn; }},
    {"a-tf32-transpose b-tf32-transpose", MmaKind::tf32,
     [](auto& x) { x.a_major = x.b_major = Major::mn; }},
    // switches
    {"a-negate b-negate", MmaKind::i8, [](auto& x) { x.negate_a = x.negate_b = true; }},
    {"", MmaKind::mxf4nvf4, [](auto& x) { x.negate_a = x.negate_b = true; }},
    {"saturate", MmaKind::f16, [](auto& x) { x.saturate = true; }},
    {"", MmaKind::i8, [](auto& x) { x.saturate = true; }},
    {"selector-dense", MmaKind::f16, [](auto& x) { x.sparsity_selector = 1; }},
    {"", MmaKind::tf32, [](auto& x) { x.sparse = true, x.sparsity_selector = 1; }},
    {"selector-high", MmaKind::f16, [](auto& x) { x.sparse = true, x.sparsity_selector = 3; }},
    {"selector-range", MmaKind::f16, [](auto& x) { x.sparse = true, x.sparsity_selector = 4; }},
    {"selector-kind", MmaKind::i8, [](auto& x) { x.sparse = true, x.sparsity_selector = 1; }},
    {"selector-kind", MmaKind::mxf4, [](auto& x) { x.sparsity_selector = 1; }},
    {"max-shift-value", MmaKind::f16, [](auto& x) { x.max_shift = 12; }},
    {"", MmaKind::f16, [](auto& x) { x.max_shift = 32; }},
    {"max-shift-form", MmaKind::f16, [](auto& x) { x.max_shift = 8, x.n = 96; }},
    {"max-shift-form", MmaKind::f16, [](auto& x) { x.max_shift = 8; }, {{}, false}},
    {"max-shift-form", MmaKind::mxf4, [](auto& x) { x.max_shift = 8; }},
    {"max-shift-m32", MmaKind::f16, [](auto& x) { x.max_shift = 32, x.m = 32; }},
    // scale factors
    {"scale-type", MmaKind::mxf4, [](auto& x) { x.scale_type = ScaleType::ue4m3; }},
    {"scale-type", MmaKind::mxf8f6f4, [](auto& x) { x.scale_type = ScaleType::ue4m3; }},
    {"", MmaKind::mxf4nvf4, [](auto& x) { x.scale_type = ScaleType::ue4m3; }},
    {"", MmaKind::mxf8f6f4, [](auto& x) { x.sfa_id = 3, x.sfb_id = 1; }},
    {"", MmaKind::mxf4, [](auto& x) { x.sfa_id = 2, x.sfb_id = 2; }},
    {"sfa-id-odd sfb-id-odd", MmaKind::mxf4, [](auto& x) { x.sfa_id = 1, x.sfb_id = 3; }},
    {"sfa-id-4x sfb-id-4x", MmaKind::mxf4nvf4,
     [](auto& x) { x.sfa_id = x.sfb_id = 2, x.scale_type = ScaleType::ue4m3; }},
    {"sfa-id-range", MmaKind::mxf8f6f4, [](auto& x) { x.sfa_id = 4; }},
    {"sfb-id-range", MmaKind::mxf8f6f4, [](auto& x) { x.sfb_id = 4; }},
    {"sfa-id-kind sfb-id-kind", MmaKind::f16, [](auto& x) { x.sfa_id = x.sfb_id = 1; }},
    // K = 96
    {"k96-arch", MmaKind::mxf4, [](auto& x) { x.k96 = true, x.m = 256; }},
    {"k96-shape k96-arch", MmaKind::mxf4, [](auto& x) { x.k96 = true; }},
    {"k96-shape k96-arch", MmaKind::mxf4, [](auto& x) { x.k96 = x.sparse = true, x.m = 256; }},
    {"k96-kind", MmaKind::f16, [](auto& x) { x.k96 = true; }},
};

BOOST_AUTO_TEST_CASE(each_rule_is_broken_and_kept) {
  for (std::size_t i = 0; i < std::size(kRuleCases); ++i) {
    const RuleCase& c = kRuleCases[i];
    InstructionDescriptor x = plain(c.kind);
    if (c.kind == MmaKind::f16) x.a = x.b = Element::bf16;
    c.change(x);
    BOOST_TEST_CONTEXT("case " << i << " " << name_of(c.kind)) {
      BOOST_TEST(rules_of(check_instruction_descriptor(x, c.target), Severity::note) == c.rules);
    }
  }
}

BOOST_AUTO_TEST_CASE(unknown_codes_are_named) {
  const std::uint32_t word = encode(plain(MmaKind::f16)) | 7u << 7 | 6u << 10 | 3u << 4;
  BOOST_TEST(rules_of(check_instruction_word(MmaKind::f16, word), Severity::note) ==
             "d-code a-code b-code");
}

BOOST_AUTO_TEST_CASE(k_is_32_stored_bytes) {
  constexpr std::uint32_t kDense[] = {16, 8, 32, 32, 32, 64, 64};
  for (std::size_t i = 0; i < kMmaKindCount; ++i) {
    BOOST_TEST(mma_k(kKinds[i], false) == kDense[i]);
    BOOST_TEST(mma_k(kKinds[i], true) == 2 * kDense[i]);
  }
  BOOST_TEST(mma_k(MmaKind::mxf4, false, true) == 96u);
}

BOOST_AUTO_TEST_CASE(lines_tell_the_whole_word) {
  const auto lines = instruction_descriptor_lines(MmaKind::f16, 0x08200490);
  std::uint64_t word = 0;
  for (const FieldLine& line : lines) word |= line.raw << line.bits.lo;
  BOOST_TEST(word == 0x08200490u);
  BOOST_TEST(std::string_view(lines.items[3].meaning) == "f32");
  BOOST_TEST(lines.items[11].value == 128);
}

BOOST_AUTO_TEST_SUITE_END()
