#include "sim/ptx/parser.h"

#include "sim/ptx/printer.h"
#include "tests/golden.h"
#include "tests/test.h"

namespace lc::tests {
namespace {

using ptx::Operand;

constexpr const char* kHead = ".version 9.0\n.target sm_100a\n.address_size 64\n";

ptx::Module module_of(const std::string& text) {
  return ptx::parse(kHead + text, "k.ptx");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parser_tests)

BOOST_AUTO_TEST_CASE(head_of_the_module) {
  const ptx::Module module =
      ptx::parse(".version 8.7\n.target sm_90a, debug\n.address_size 64\n", "k.ptx");
  BOOST_TEST(module.version_major == 8u);
  BOOST_TEST(module.version_minor == 7u);
  BOOST_TEST((module.targets == std::vector<std::string_view>{"sm_90a", "debug"}));
  BOOST_TEST(module.address_size == 64u);
  BOOST_TEST(ptx::parse(".version 7.0 .target sm_80", "k").address_size == 32u);
}

BOOST_AUTO_TEST_CASE(a_label_means_the_innermost_and_counts_instructions) {
  const ptx::Module module = module_of(
      ".entry k() { .reg .pred P; L: ret; { L: @P bra L; { bra L; } } bra L; { bra E; } E: }");
  const ptx::Function& k = module.functions[0];
  std::vector<std::uint32_t> targets;
  for (const ptx::Instruction& i : k.instructions) {
    for (const Operand& o : k.operands_of(i)) targets.push_back(k.labels[o.index].instruction);
  }
  BOOST_TEST(targets == (std::vector<std::uint32_t>{1, 1, 0, 5}), boost::test_tools::per_element());
  BOOST_TEST(k.scopes.size() == 4u);
  BOOST_TEST(k.scopes[2].parent == 1u);
}

BOOST_AUTO_TEST_CASE(registers_have_slots_of_their_own) {
  const ptx::Module module = module_of(
      ".func f(.reg .b32 a) { .reg .b32 %r<10>; .reg .v4 .b32 v<2>; .reg .pred p;"
      "{ .reg .b64 a, %r3; mov.b64 a, %r3; } mov.b32 a, %r3; mov.b32 %r9, v1.y; @!p ret; }");
  const ptx::Function& f = module.functions[0];
  const auto slot = [&](std::size_t instruction, std::size_t operand) {
    return f.operands_of(f.instructions[instruction])[operand].index;
  };
  BOOST_TEST(f.slot_count == 1u + 10 + 8 + 1 + 2);
  BOOST_TEST(slot(0, 0) == 20u);
  BOOST_TEST(slot(0, 1) == 21u);
  BOOST_TEST(slot(1, 0) == 0u);
  BOOST_TEST(slot(1, 1) == 4u);
  BOOST_TEST(slot(2, 0) == 10u);
  BOOST_TEST(slot(2, 1) == 15u);
  BOOST_TEST(f.operands_of(f.instructions[2])[1].suffix == "y");
  BOOST_TEST(f.registers_at(15).name == "v");
  BOOST_TEST(f.registers_at(0).name == "a");
  const Operand* guard = f.guard_of(f.instructions[3]);
  BOOST_TEST_REQUIRE(guard != nullptr);
  BOOST_TEST(guard->negated);
  BOOST_TEST(guard->index == 19u);
  BOOST_TEST(f.guard_of(f.instructions[0]) == nullptr);
}

/// Two ways to say which registers exist: a range, and its names one by one.
BOOST_AUTO_TEST_CASE(a_range_names_what_its_list_names) {
  for (int count = 1; count <= 101; count += 5) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i ? ", %r" : "%r") + std::to_string(i);
    for (int used = 0; used < 120; used += 3) {
      const std::string use = "; mov.b32 _, %r" + std::to_string(used) + "; }";
      const auto accepted = [&](const std::string& names) {
        try {
          const ptx::Module m = module_of(".entry k() { .reg .b32 " + names + use);
          return static_cast<int>(m.functions[0].operands[1].index);
        } catch (const ptx::ParseError&) {
          return -1;
        }
      };
      const int found = accepted(list);
      BOOST_TEST_REQUIRE(found == accepted("%r<" + std::to_string(count) + ">"));
      BOOST_TEST_REQUIRE(found == (used < count ? used : -1));
    }
  }
  BOOST_CHECK_THROW(module_of(".entry k() { .reg .b32 %r<5>; mov.b32 _, %r03; }"), ptx::ParseError);
}

BOOST_AUTO_TEST_CASE(names_reach_their_places) {
  const ptx::Module module = module_of(
      ".global .b32 g; .func (.param .b32 out) f(.param .b32 in) { .shared .b32 s;"
      "ld.b32 _, [g+8]; ld.b32 _, [s]; ld.b32 _, [in]; ld.b32 _, [out+-4]; ld.b32 _, [late]; }"
      ".shared .b32 late;");
  const ptx::Function& f = module.functions[0];
  const auto base = [&](std::size_t i) {
    return f.children_of(f.operands_of(f.instructions[i])[1])[0];
  };
  using ptx::Place;
  const Place places[] = {Place::module, Place::function, Place::parameter, Place::result,
                          Place::module};
  for (std::size_t i = 0; i < 5; ++i) {
    BOOST_TEST((base(i).kind == Operand::Kind::variable));
    BOOST_TEST((base(i).place == places[i]));
  }
  BOOST_TEST(base(4).index == 1u);
  BOOST_TEST(f.operands_of(f.instructions[0])[1].value == 8u);
  BOOST_TEST(f.operands_of(f.instructions[3])[1].value == std::uint64_t(-4));
}

BOOST_AUTO_TEST_CASE(a_name_means_the_definition) {
  const ptx::Module module = module_of(
      ".extern .global .b32 g; .func f(); .entry k() { call f; mov.b64 _, g; }"
      ".func f() { ret; } .global .b32 g;");
  const ptx::Function& k = module.functions[1];
  BOOST_TEST(k.operands_of(k.instructions[0])[0].index == 2u);
  BOOST_TEST(k.operands_of(k.instructions[1])[1].index == 1u);
  BOOST_TEST(module.find_function("f") == &module.functions[2]);
  BOOST_TEST(module.find_variable("g") == &module.variables[1]);
}

BOOST_AUTO_TEST_CASE(modifiers_are_a_set_and_each_spelling_is_kept_once) {
  const ptx::Module module = module_of(
      ".entry k() { .reg .b32 r<3>; atom.add.acquire.cta.u32 r0, [r1], r2;"
      "atom.u32.cta.acquire.add r0, [r1], r2; atom.add.acquire.cta.u32 r0, [r1], 1;"
      "atom.add.acquire.gpu.u32 r0, [r1], r2; }");
  BOOST_TEST_REQUIRE(module.mnemonics.size() == 3u);
  BOOST_TEST(module.mnemonics[0].same_set(module.mnemonics[1]));
  BOOST_TEST(!module.mnemonics[0].same_set(module.mnemonics[2]));
  BOOST_TEST(module.mnemonics[0].has("acquire"));
  BOOST_TEST(!module.mnemonics[0].has("gpu"));
  BOOST_TEST(module.functions[0].instructions[2].mnemonic == 0u);
}

BOOST_AUTO_TEST_CASE(sizes_follow_type_vector_and_dimensions) {
  const ptx::Module module = module_of(
      ".global .b8 a[3]; .global .v4 .f32 b[2][5]; .global .align 64 .u16 c;"
      ".global .s32 d[][2] = {{1}, {2, 3}, {}}; .extern .shared .b8 e[];");
  const auto size = [&](std::size_t i) { return ptx::size_of(module.variables[i]); };
  BOOST_TEST(size(0).value() == 3u);
  BOOST_TEST(size(1).value() == 160u);
  BOOST_TEST(size(2).value() == 2u);
  BOOST_TEST(size(3).value() == 24u);
  BOOST_TEST(!size(4).has_value());
  BOOST_TEST(ptx::alignment_of(module.variables[1]) == 16u);
  BOOST_TEST(ptx::alignment_of(module.variables[2]) == 64u);
  BOOST_TEST(ptx::alignment_of(module.variables[0]) == 1u);
}

BOOST_AUTO_TEST_CASE(instructions_know_their_text) {
  const std::string text = std::string(kHead) + ".entry k() {\n  .reg .pred p;\n  @p  ret ;\n}\n";
  const ptx::Module module = ptx::parse(text, "k.ptx");
  const ptx::Instruction& i = module.functions[0].instructions[0];
  BOOST_TEST(i.span.at.line == 6u);
  BOOST_TEST(i.span.at.column == 3u);
  BOOST_TEST(text.substr(i.span.offset, i.span.length) == "@p  ret ;");
  BOOST_TEST(ptx::print(module, module.functions[0], i) == "@p ret;");
}

BOOST_AUTO_TEST_CASE(a_copy_outlives_the_original) {
  ptx::Module copy;
  {
    const ptx::Module module = module_of(".entry name_of_the_kernel() { ret; }");
    copy = module;
  }
  BOOST_TEST(copy.functions[0].name == "name_of_the_kernel");
}

BOOST_AUTO_TEST_CASE(zero_bytes_at_the_end_are_padding) {
  std::string text = std::string(kHead) + ".entry k() { ret; }";
  text.append(5, '\0');
  BOOST_TEST(ptx::parse(text, "k").functions.size() == 1u);
  text += "x";
  BOOST_CHECK_THROW(ptx::parse(text, "k"), ptx::ParseError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
