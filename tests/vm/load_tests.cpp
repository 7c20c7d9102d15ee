#include "sim/isa/load.h"

#include "sim/machine/address_map.h"
#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(load_tests)

namespace {

std::string problem_of(const std::string& ptx) {
  try {
    Guest(ptx).run(32);
  } catch (const ptx::ParseError& error) {
    return error.what();
  }
  return "none";
}

template <class T>
std::vector<T> variable(const std::string& declaration, std::size_t count) {
  Guest guest(kernel("", "ret;", declaration));
  return guest.read<T>(guest.module->variable("v")->address, count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(initialisers_fill_variables) {
  using V = std::vector<std::uint32_t>;
  BOOST_TEST(variable<std::uint32_t>(".global .u32 v = 7;", 1) == (V{7}));
  BOOST_TEST(variable<std::uint32_t>(".global .u32 v[4] = {1, 2};", 4) == (V{1, 2, 0, 0}));
  BOOST_TEST(variable<std::uint32_t>(".global .u32 v[2][3] = {{1}, {4, 5, 6}};", 6) ==
             (V{1, 0, 0, 4, 5, 6}));
  BOOST_TEST(variable<std::uint32_t>(".global .f32 v[2] = {0f3F800000, 2.0};", 2) ==
             (V{0x3F800000, 0x40000000}));
  BOOST_TEST(variable<std::uint64_t>(".const .f64 v = 1.0;", 1) ==
             (std::vector<std::uint64_t>{0x3FF0000000000000}));
  BOOST_TEST(variable<std::uint8_t>(".global .align 4 .b8 v[4] = {72, 105};", 4) ==
             (std::vector<std::uint8_t>{72, 105, 0, 0}));
}

BOOST_AUTO_TEST_CASE(addresses_of_variables_and_functions_stand_in_tables) {
  Guest guest(kernel("", "ret;",
                     ".global .u32 a[4];\n.func f() { ret; }\n"
                     ".global .u64 v[3] = {a, a + 8, f};"));
  const std::uint64_t a = guest.module->variable("a")->address;
  const auto v = guest.read<std::uint64_t>(guest.module->variable("v")->address, 3);
  BOOST_TEST(v[0] == a);
  BOOST_TEST(v[1] == a + 8);
  BOOST_TEST(v[2] == machine::kCodeBase + 16 * 0);
}

BOOST_AUTO_TEST_CASE(constant_variables_are_read_only) {
  Guest guest(kernel("", "ret;", ".const .u32 v = 1;"));
  const std::uint64_t v = guest.module->variable("v")->address;
  BOOST_TEST(guest.module->variable("v")->constant);
  BOOST_CHECK_NO_THROW(guest.memory.bytes(v, 4, 4, machine::Access::read));
  BOOST_TEST(machine::is_constant_address(v));
}

BOOST_AUTO_TEST_CASE(unloading_frees_the_variables) {
  machine::GlobalMemory memory;
  {
    const isa::LoadedModule module(
        std::make_shared<const ptx::Module>(
            ptx::parse(kernel("", "ret;", ".global .u32 v[100]; .const .u32 c[10];"), "test.ptx")),
        memory);
    BOOST_TEST(memory.used() == 440u);
  }
  BOOST_TEST(memory.used() == 0u);
}

BOOST_AUTO_TEST_CASE(unknown_instructions_are_named_with_their_line) {
  BOOST_TEST(problem_of(kernel("", "exit;")) == "none");
  const std::string text = problem_of(kernel("", "  frobnicate.u32;\n ret;"));
  BOOST_TEST(text.find("test.ptx:7:3: error: the virtual GPU does not know the instruction "
                       "`frobnicate`") != std::string::npos,
             text);
  const std::string form = problem_of(kernel("", "  ret 5;"));
  BOOST_TEST(form.find("`ret` has 1 operand where the form is ``") != std::string::npos, form);
  const std::string modifier = problem_of(kernel("", "  exit.uni;"));
  BOOST_TEST(modifier.find("`exit` has no `.uni` here") != std::string::npos, modifier);
}

BOOST_AUTO_TEST_CASE(all_unknown_instructions_of_a_module_are_listed) {
  const ptx::Module module = ptx::parse(kernel("", "foo.bar;\n exit;\n baz;\n"), "test.ptx");
  const auto unknown = isa::unknown_instructions(module);
  BOOST_TEST_REQUIRE(unknown.size() == 2u);
  BOOST_TEST(unknown[0].mnemonic == "foo.bar");
  BOOST_TEST(unknown[0].line == 7u);
  BOOST_TEST(unknown[1].mnemonic == "baz");
}

BOOST_AUTO_TEST_CASE(a_call_of_a_function_that_nobody_defines_is_an_error) {
  const std::string text =
      problem_of(kernel("", "call.uni elsewhere;\n ret;", ".extern .func elsewhere;"));
  BOOST_TEST(text.find("`elsewhere` is declared but not defined") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(variables_of_a_function_have_memory_of_their_own) {
  // Two functions declare the same names; each keeps its own bytes from launch to launch.
  const std::string body = R"(
  .global .u32 n = 7;
  .const .u32 steps[2] = {10, 20};
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  ld.const.u32 %r0, [steps+4];
  { .global .u32 n = 100;
    atom.global.add.u32 %r1, [n], %r0; }
  atom.global.add.u32 %r2, [n], %r0;
  st.global.u32 [%rd0], %r1;
  st.global.u32 [%rd0+4], %r2;
  ret;)";
  Guest guest(kernel(".param .u64 out", body));
  const std::uint64_t out = guest.buffer<std::uint32_t>(2);
  using V = std::vector<std::uint32_t>;
  guest.run(1, {out});
  BOOST_TEST(guest.read<std::uint32_t>(out, 2) == (V{100, 7}));
  guest.run(1, {out});
  BOOST_TEST(guest.read<std::uint32_t>(out, 2) == (V{120, 27}));
}

BOOST_AUTO_TEST_SUITE_END()
