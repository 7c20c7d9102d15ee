#include "kernel/tile_probe_flags.h"

#include "tests/test.h"

using namespace lc::kernel;
using What = ProbeRequest::What;

namespace {

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parse_flags(arguments);
    return "";
  } catch (const SmemDumpError& e) {
    return e.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tile_probe_flags_tests)

BOOST_AUTO_TEST_CASE(a_sweep) {
  const auto r = parse_flags({"--sweep", "64", "--seed", "0x7", "--by", "tma", "--out", "f"});
  BOOST_CHECK(r.what == What::sweep);
  BOOST_TEST(r.tiles == 64u);
  BOOST_TEST(r.seed == 7u);
  BOOST_TEST(r.sweep_tma);
  BOOST_TEST(!r.sweep_operands);
  BOOST_TEST(r.command == "tile_probe --sweep 64 --seed 0x7 --by tma --out f");
}

BOOST_AUTO_TEST_CASE(a_load) {
  const auto r = parse_flags({"--tma", "--data-type", "bf16", "--dim", "128,64", "--strides", "256",
                              "--box", "64,8", "--coordinates", "-64,3", "--swizzle", "128B",
                              "--fill", "nan", "--out", "f"});
  BOOST_CHECK(r.what == What::tma);
  BOOST_TEST(r.tma.map.data_type == 9);
  BOOST_TEST(r.tma.map.swizzle == 3);
  BOOST_TEST(r.tma.map.oob_fill == 1);
  BOOST_TEST(r.tma.coordinates == (std::vector<std::int32_t>{-64, 3}));
  BOOST_TEST(r.tma.map.element_strides == (std::vector<std::uint32_t>{1, 1}));
  check(r.tma);
}

BOOST_AUTO_TEST_CASE(an_operand_with_the_base_offset_its_keys_need) {
  std::vector<std::string> flags{
      "--operand", "--element", "f16",    "--major", "k",     "--swizzle", "64B",
      "--mn",      "64",        "--k",    "32",      "--sbo", "512",       "--start-address",
      "0x480",     "--keys",    "buffer", "--out",   "f"};
  BOOST_TEST(parse_flags(flags).operand.base_offset == 1u);
  check(parse_flags(flags).operand);
  flags.insert(flags.end(), {"--base-offset", "0"});
  BOOST_TEST(parse_flags(flags).operand.base_offset == 0u);
}

BOOST_AUTO_TEST_CASE(help_needs_nothing_else) {
  BOOST_CHECK(parse_flags({}).what == What::help);
  BOOST_CHECK(parse_flags({"--help", "--nonsense"}).what == What::help);
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_named) {
  BOOST_TEST(complaint({"--swep", "1"}).starts_with("--swep: no such flag"));
  BOOST_TEST(complaint({"--sweep"}).starts_with("--sweep: needs a value"));
  BOOST_TEST(complaint({"--sweep", "1"}).starts_with("--out: needs a value"));
  for (const char* bad : {"", "x", "-1", "1x", "4294967296", "0x", "1.5", "1048577"}) {
    BOOST_TEST(complaint({"--sweep", bad, "--out", "f"}).starts_with("--sweep:"), bad);
  }
  BOOST_TEST(complaint({"--dim", "1,2,3,4,5,6"}).starts_with("--dim: more than five"));
  BOOST_TEST(complaint({"--dim", "1,,2"}).starts_with("--dim:"));
  BOOST_TEST(complaint({"--swizzle", "96B"}).find("none, 32B, 64B") != std::string::npos);
  BOOST_TEST(complaint({"--window", "1024"}).starts_with("--window:"));
  BOOST_TEST(complaint({"--most-bytes", "1"}).starts_with("--most-bytes:"));
}

BOOST_AUTO_TEST_SUITE_END()
