#include "sim/isa/modifiers.h"

#include "tests/test.h"

using namespace lc::isa;

BOOST_AUTO_TEST_SUITE(modifiers_tests)

namespace {

lc::ptx::Mnemonic spelling(std::string_view opcode, std::vector<std::string_view> modifiers) {
  return {opcode, std::move(modifiers)};
}

struct Matched {
  bool good = false;
  Modifiers modifiers;
  Mismatch why;
};

Matched match(std::string_view pattern, std::vector<std::string_view> modifiers) {
  Matched m;
  m.good =
      ModifierPattern::match(pattern, spelling("op", std::move(modifiers)), m.modifiers, m.why);
  return m;
}

}  // namespace

BOOST_AUTO_TEST_CASE(slots_are_filled_in_any_order) {
  for (const auto& order :
       {std::vector<std::string_view>{"acquire", "cta", "shared::cta", "b64"},
        std::vector<std::string_view>{"shared::cta", "cta", "b64", "acquire"}}) {
    const Matched m =
        match("[acquire|relaxed] [scope=cta|cluster] space=shared|shared::cta b64", order);
    BOOST_TEST(m.good);
    BOOST_TEST(m.modifiers["scope"] == "cta");
    BOOST_TEST(m.modifiers["space"] == "shared::cta");
    BOOST_TEST(m.modifiers.has("acquire"));
    BOOST_TEST(!m.modifiers.has("relaxed"));
  }
}

BOOST_AUTO_TEST_CASE(types_are_read_in_the_order_of_the_text) {
  const Matched m = match("d=f32|f16|s32 a=f32|f16|s32", {"f16", "f32"});
  BOOST_TEST(m.good);
  BOOST_TEST((m.modifiers.type("d") == lc::ptx::Type::f16));
  BOOST_TEST((m.modifiers.type("a") == lc::ptx::Type::f32));
}

BOOST_AUTO_TEST_CASE(a_hash_stands_for_digits) {
  BOOST_TEST(match("shape=m#n#k#", {"m64n128k16"}).good);
  BOOST_TEST(!match("shape=m#n#k#", {"m64nk16"}).good);
  BOOST_TEST(match("num=x#", {"x32"}).modifiers.number("num") == 32u);
  BOOST_TEST(!match("num=x#", {"x"}).good);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_named) {
  const Matched extra = match("type=u32", {"u32", "sat"});
  BOOST_TEST(!extra.good);
  BOOST_TEST(extra.why.problem == "`op` has no `.sat` here");
  const Matched twice = match("[sat] type=u32", {"sat", "sat", "u32"});
  BOOST_TEST(!twice.good);
  const Matched lacking = match("sync type=u32|s32", {"sync"});
  BOOST_TEST(!lacking.good);
  BOOST_TEST(lacking.why.problem == "`op.sync` lacks .u32 or .s32");
  BOOST_TEST(match("", {}).good);
}

BOOST_AUTO_TEST_SUITE_END()
