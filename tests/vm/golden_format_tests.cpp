#include "tests/test.h"
#include "tests/vm/golden_program.h"
#include "tests/vm/golden_values.h"

// The format of golden programs: what is read is what was written, mistakes are named.
using namespace lc::tests;

BOOST_AUTO_TEST_SUITE(golden_format_tests)

namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_golden_program("f.ptx", text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "none";
}

const std::string kText =
    "// RUN: entry=k grid=2,3 block=32 shared=0x400 arch=sm_90 schedule=eager;random:3\n"
    "// ARG: out u32[6]\n"
    "// ARG: n s32 = -5\n"
    "// EXPECT: out = 1 2*4 0x10\n"
    ".version 9.0\n";

GoldenOutcome outcome_of(std::vector<std::uint64_t> values) {
  GoldenOutcome o;
  o.buffers = {bytes_of_values(ElementType::u32, values, values.size()), {}};
  return o;
}

}  // namespace

BOOST_AUTO_TEST_CASE(directives_are_read) {
  const GoldenProgram p = parse_golden_program("f.ptx", kText);
  BOOST_TEST_REQUIRE(p.runs.size() == 1u);
  const GoldenRun& run = p.runs[0];
  BOOST_TEST(run.entry == "k");
  BOOST_TEST((run.grid == std::array<std::uint32_t, 3>{2, 3, 1}));
  BOOST_TEST(run.shared == 0x400u);
  BOOST_TEST(run.arch == "sm_90");
  BOOST_TEST(run.schedules.size() == 2u);
  BOOST_TEST_REQUIRE(run.args.size() == 2u);
  BOOST_TEST(run.args[0].bytes.size() == 24u);
  BOOST_TEST((run.args[1].bytes == std::vector<std::uint8_t>{0xFB, 0xFF, 0xFF, 0xFF}));
  BOOST_TEST((run.expects[0].values == std::vector<std::uint64_t>{1, 2, 2, 2, 2, 16}));
}

BOOST_AUTO_TEST_CASE(differences_name_line_and_element) {
  const GoldenProgram p = parse_golden_program("f.ptx", kText);
  BOOST_TEST(differences(p, p.runs[0], outcome_of({1, 2, 2, 2, 2, 16}), false).empty());
  const auto found = differences(p, p.runs[0], outcome_of({1, 2, 3, 2, 2, 16}), false);
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0] == "f.ptx:4: out[2] is 3 (0x3), expected 2 (0x2)");
  GoldenOutcome stopped;
  stopped.fault = GoldenFault{"trap", "a trap"};
  BOOST_TEST(differences(p, p.runs[0], stopped, false).size() == 1u);
}

BOOST_AUTO_TEST_CASE(faults_are_compared_by_rule_and_text) {
  const GoldenProgram p = parse_golden_program("f.ptx", "// RUN:\n// FAULT: trap \"at\"\n");
  GoldenOutcome o;
  BOOST_TEST(differences(p, p.runs[0], o, false).size() == 1u);
  o.fault = GoldenFault{"trap", "stopped at"};
  BOOST_TEST(differences(p, p.runs[0], o, false).empty());
  o.fault = GoldenFault{"trap", "stopped"};
  BOOST_TEST(differences(p, p.runs[0], o, false).size() == 1u);
  o.fault = GoldenFault{"other", "stopped at"};
  BOOST_TEST(differences(p, p.runs[0], o, false).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_tolerance_counts_on_a_real_gpu_only) {
  const GoldenProgram p = parse_golden_program(
      "f.ptx", "// RUN:\n// ARG: out f32[1]\n// EXPECT: out within 0.01 = 100\n");
  GoldenOutcome o;
  o.buffers = {bytes_of_values(ElementType::f32, parse_values(ElementType::f32, "100.5"), 1)};
  BOOST_TEST(differences(p, p.runs[0], o, true).empty());
  BOOST_TEST(differences(p, p.runs[0], o, false).size() == 1u);
  o.buffers = {bytes_of_values(ElementType::f32, parse_values(ElementType::f32, "102"), 1)};
  BOOST_TEST(differences(p, p.runs[0], o, true).size() == 1u);
}

BOOST_AUTO_TEST_CASE(blessing_rewrites_only_the_expectations) {
  const GoldenProgram p = parse_golden_program("f.ptx", kText);
  const std::string again = blessed(p, {outcome_of({1, 2, 2, 2, 2, 16})});
  BOOST_TEST(again.find("// EXPECT: out = 1 2*4 16\n.version") != std::string::npos, again);
  BOOST_TEST(blessed(parse_golden_program("f.ptx", again), {outcome_of({1, 2, 2, 2, 2, 16})}) ==
             again);
  const GoldenProgram fresh = parse_golden_program(
      "f.ptx", "// RUN:\n// ARG: out u32[200]\n// EXPECT: out\n.version 9.0\n");
  std::vector<std::uint64_t> many(200);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 1'000'000 + i;
  const std::string text = blessed(fresh, {outcome_of(many)});
  const GoldenProgram read = parse_golden_program("f.ptx", text);
  BOOST_TEST(read.runs[0].expects.size() > 10u);
  BOOST_TEST(differences(read, read.runs[0], outcome_of(many), false).empty());
  BOOST_TEST(blessed(read, {outcome_of(many)}) == text);
  many[150] = 0;
  BOOST_TEST(differences(read, read.runs[0], outcome_of(many), false).size() == 1u);
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_their_line) {
  BOOST_TEST(problem_of(kText) == "none");
  BOOST_TEST(problem_of(".version 9.0\n") == "f.ptx: no RUN line");
  BOOST_TEST(problem_of("// RUN: wait=3\n") == "f.ptx:1: unknown option wait=3");
  BOOST_TEST(problem_of("// RUN:\n// ARG: a u32[2]\n") == "f.ptx:1: neither EXPECT nor FAULT");
  BOOST_TEST(problem_of("// ARG: a u32[2]\n") == "f.ptx:1: RUN comes first");
  BOOST_TEST(problem_of("// RUN:\n// ARG: a u33[2]\n") == "f.ptx:2: there is no type `u33`");
  BOOST_TEST(problem_of("// RUN:\n// ARG: a u8[1] = 256\n") == "f.ptx:2: `256` is too large");
  BOOST_TEST(problem_of("// RUN:\n// ARG: a s8[1] = -129\n") == "f.ptx:2: `-129` is too small");
  BOOST_TEST(problem_of("// RUN:\n// EXPECT: b = 1\n") == "f.ptx:2: there is no buffer b");
  BOOST_TEST(problem_of("// RUN: schedule=later\n") == "f.ptx:1: no such schedule");
}

BOOST_AUTO_TEST_CASE(values_are_written_so_that_they_can_be_read) {
  const auto again = [](ElementType type, std::uint64_t bits) {
    return parse_values(type, to_text(type, bits)) == std::vector<std::uint64_t>{bits};
  };
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    BOOST_TEST_REQUIRE(again(ElementType::s16, bits));
    BOOST_TEST_REQUIRE(again(ElementType::f16, bits));
    BOOST_TEST_REQUIRE(again(ElementType::f32, bits << 16 | (bits * 40503 & 0xFFFF)));
    BOOST_TEST_REQUIRE(again(ElementType::f64, bits << 48 | bits * 0x9E3779B9));
  }
}

BOOST_AUTO_TEST_CASE(fills_depend_on_the_seed_only) {
  const auto a = filled(ElementType::b32, 100, "random:1");
  BOOST_TEST((a == filled(ElementType::b32, 100, "random:1")));
  BOOST_TEST((a != filled(ElementType::b32, 100, "random:2")));
  for (const std::uint64_t v :
       values_of_bytes(ElementType::f32, filled(ElementType::f32, 1000, "uniform:1"))) {
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(v));
    BOOST_TEST_REQUIRE((f >= -1 && f < 1));
  }
  BOOST_TEST((filled(ElementType::u16, 3, "iota") == std::vector<std::uint8_t>{0, 0, 1, 0, 2, 0}));
}

BOOST_AUTO_TEST_CASE(tensor_maps_take_addresses_of_buffers) {
  const std::string json =
      R"({"data_type": "f32", "global_address": "in+256", "global_dim": [64, 8],)"
      R"( "global_strides": [256], "box_dim": [32, 8], "element_strides": [1, 1],)"
      R"( "swizzle": "128B"})";
  const auto bytes = tensor_map_bytes(json, {{"in", 0x7000}});
  BOOST_TEST(int{bytes[1]} == 0x71);
  BOOST_CHECK_THROW(tensor_map_bytes(json, {{"other", 0x7000}}), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
