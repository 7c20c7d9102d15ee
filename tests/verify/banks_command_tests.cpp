#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/test.h"
#include "verify/commands/commands.h"
#include "verify/error.h"

using namespace lc::verify;

namespace {

struct Printed {
  int code;
  std::string text;
};

Printed run(const Question& question, bool json = false) {
  std::ostringstream out;
  const int code = banks_command().run(question, Output{out, Paint(false), json});
  return {code, out.str()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(banks_command_tests)

BOOST_AUTO_TEST_CASE(shows_who_collides_and_which_swizzle_would_not) {
  const Printed got = run({{"kind", "ldmatrix"}, {"pitch", "128"}, {"rows", "8"}});
  BOOST_TEST(got.code == 0);
  BOOST_TEST(got.text ==
             "ldmatrix.x1, lanes 0-7: 8 wavefronts, 1 at best, 7 conflicts\n"
             "\n"
             "  group  lanes  wavefronts  where it is most crowded\n"
             "  0      0-7             8  banks 0-3: lanes 0-7\n"
             "\n"
             "  lanes of group 0 by 128-byte line and bank sector (4 banks)\n"
             "            S0 S1 S2 S3 S4 S5 S6 S7\n"
             "  0x400     0  .  .  .  .  .  .  .\n"
             "  0x480     1  .  .  .  .  .  .  .\n"
             "  0x500     2  .  .  .  .  .  .  .\n"
             "  0x580     3  .  .  .  .  .  .  .\n"
             "  0x600     4  .  .  .  .  .  .  .\n"
             "  0x680     5  .  .  .  .  .  .  .\n"
             "  0x700     6  .  .  .  .  .  .  .\n"
             "  0x780     7  .  .  .  .  .  .  .\n"
             "  passes    8  0  0  0  0  0  0  0\n"
             "\n"
             "  tile kept with  wavefronts  conflicts\n"
             "  none                     8          7  as it is\n"
             "  32B                      4          3  by hand only: the mode's rows are 32 bytes\n"
             "  64B                      2          1  by hand only: the mode's rows are 64 bytes\n"
             "  128B                     1          0  tensor maps and MMA descriptors have it\n");
}

BOOST_AUTO_TEST_CASE(keeps_to_100_columns) {
  const Question kQuestions[] = {
      {{"stride", "128"}},
      {{"width", "16"}, {"pitch", "256"}, {"swizzle", "128B"}},
      {{"width", "8"}, {"stride", "12"}},
      {{"width", "1"}, {"stride", "1"}},
      {{"kind", "atom"}, {"stride", "0"}},
      {{"kind", "cp.async"}, {"width", "16"}, {"pitch", "64"}, {"pieces", "4"}},
      {{"kind", "stmatrix"}, {"num", "4"}, {"pitch", "16777216"}, {"swizzle", "128B"}},
  };
  for (const Question& question : kQuestions) {
    std::istringstream lines(run(question).text);
    for (std::string line; std::getline(lines, line);) {
      BOOST_TEST_CONTEXT(question.dump() << "\n" << line) {
        BOOST_TEST(display_width(line) <= kColumns);
        BOOST_TEST((line.empty() || line.back() != ' '));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_illegal_access_exits_1) {
  const Printed got = run({{"width", "16"}, {"lanes", {"0x400", "-", "0x408"}}});
  BOOST_TEST(got.code == 1);
  BOOST_TEST(got.text.find("lanes[2]: address 0x408 is not a multiple") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(json_is_the_answer_of_the_op) {
  const Question got = Question::parse(run({{"stride", "128"}}, true).text);
  BOOST_TEST(got.at("op") == "banks.rows");
  BOOST_TEST(got.at("wavefronts") == 32);
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_read) {
  const Question kBad[] = {
      {},
      {{"stride", "4"}, {"pitch", "4"}},
      {{"lanes", {"1"}}, {"pitch", "4"}},
      {{"lanes", {"x"}}},
      {{"kind", "load"}, {"pitch", "4"}},
      {{"pitch", "-4"}},
      {{"pitch", "4"}, {"swizzle", "128"}},
  };
  for (const Question& question : kBad) {
    BOOST_TEST_CONTEXT(question.dump()) {
      const Question q = question.is_null() ? Question::object() : question;
      BOOST_CHECK_THROW(run(q), Error);
    }
  }
  std::vector<std::string> many(33, "0x400");
  BOOST_CHECK_THROW(run({{"lanes", many}}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
