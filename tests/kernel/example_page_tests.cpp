#include <fstream>
#include <iterator>
#include <string>

#include "tests/test.h"

namespace {

std::string text_of(const std::string& path_in_tree) {
  std::ifstream file(std::string(LC_GOLDEN_DIR) + "/../../" + path_in_tree);
  BOOST_TEST_REQUIRE(file.good(), path_in_tree);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(example_page_tests)

BOOST_AUTO_TEST_CASE(the_example_on_the_page_is_the_one_that_is_built) {
  const std::string page = text_of("docs/dump-your-kernel.md");
  BOOST_TEST((page.find(text_of("kernel/examples/dump_my_tile.cu")) != std::string::npos));
}

BOOST_AUTO_TEST_SUITE_END()
