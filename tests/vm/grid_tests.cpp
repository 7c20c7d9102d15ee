#include "sim/machine/grid.h"

#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(grid_tests)

namespace {

std::string rule_of(const std::string& ptx, const machine::Launch& shape,
                    machine::RunOptions options = {}) {
  try {
    Guest guest(ptx, options);
    machine::Launch launch = guest.launch(shape.block);
    launch.grid = shape.grid;
    launch.cluster = shape.cluster;
    launch.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    launch.parameters = shape.parameters;
    guest.run(launch);
  } catch (const machine::Fault& fault) {
    return fault.rule;
  }
  return "none";
}

machine::Launch shape(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                      std::array<std::uint32_t, 3> cluster = {1, 1, 1}) {
  machine::Launch l;
  l.grid = grid;
  l.block = block;
  l.cluster = cluster;
  return l;
}

const std::string kExit = kernel("", "exit;");

}  // namespace

BOOST_AUTO_TEST_CASE(every_warp_of_every_cta_runs_to_its_end) {
  Guest guest(kExit);
  machine::Launch launch = guest.launch({33, 3, 1});
  launch.grid = {5, 2, 3};
  // 99 threads are 4 warps; each executes one instruction.
  BOOST_TEST(guest.run(launch).instructions == 5u * 2 * 3 * 4);
}

BOOST_AUTO_TEST_CASE(launches_that_cannot_be_are_refused) {
  BOOST_TEST(rule_of(kExit, shape({1, 1, 1}, {1024, 1, 1})) == "none");
  BOOST_TEST(rule_of(kExit, shape({1, 1, 1}, {1025, 1, 1})) == "launch.block");
  BOOST_TEST(rule_of(kExit, shape({1, 1, 1}, {1, 1, 65})) == "launch.block");
  BOOST_TEST(rule_of(kExit, shape({1, 0, 1}, {1, 1, 1})) == "launch.empty");
  BOOST_TEST(rule_of(kExit, shape({1, 65536, 1}, {1, 1, 1})) == "launch.grid");
  BOOST_TEST(rule_of(kExit, shape({32, 1, 1}, {1, 1, 1}, {16, 1, 1})) == "none");
  BOOST_TEST(rule_of(kExit, shape({34, 1, 1}, {1, 1, 1}, {17, 1, 1})) == "launch.cluster");
  BOOST_TEST(rule_of(kExit, shape({3, 1, 1}, {1, 1, 1}, {2, 1, 1})) == "launch.cluster-grid");
  machine::Launch large = shape({1, 1, 1}, {32, 1, 1});
  large.dynamic_shared_bytes = 232448;
  BOOST_TEST(rule_of(kExit, large) == "none");
  large.dynamic_shared_bytes = 232449;
  BOOST_TEST(rule_of(kExit, large) == "launch.shared");
  machine::Launch more = shape({1, 1, 1}, {32, 1, 1});
  more.parameters.resize(4);
  BOOST_TEST(rule_of(kExit, more) == "launch.parameters");
}

BOOST_AUTO_TEST_CASE(what_the_kernel_asks_for_is_checked) {
  const std::string ptx =
      ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() .reqntid 64 "
      ".reqnctapercluster 2 { exit; }";
  BOOST_TEST(rule_of(ptx, shape({2, 1, 1}, {64, 1, 1}, {2, 1, 1})) == "none");
  BOOST_TEST(rule_of(ptx, shape({2, 1, 1}, {64, 1, 1})) == "launch.required-cluster");
  BOOST_TEST(rule_of(ptx, shape({2, 1, 1}, {32, 1, 1}, {2, 1, 1})) == "launch.required-block");
}

BOOST_AUTO_TEST_CASE(an_endless_loop_meets_the_limit) {
  machine::RunOptions options;
  options.max_instructions = 100'000;
  const std::string loop = kernel("", "L: bra L;");
  BOOST_TEST(rule_of(loop, shape({1, 1, 1}, {32, 1, 1}), options) == "limit.instructions");
  BOOST_TEST(rule_of(loop, shape({300, 1, 1}, {64, 1, 1}), options) == "limit.instructions");
}

BOOST_AUTO_TEST_CASE(trap_stops_with_the_place) {
  Guest guest(kernel("", "  trap;"));
  machine::Launch launch = guest.launch({64, 1, 1});
  launch.grid = {3, 1, 1};
  const machine::RunResult result = machine::run(launch, guest.memory, guest.options);
  BOOST_TEST_REQUIRE(result.fault.has_value());
  BOOST_TEST(result.fault->rule == "trap");
  BOOST_TEST(result.fault->place.line == 7);
  BOOST_TEST(result.fault->place.cta[0] == 0u);
  BOOST_TEST(result.fault->place.warp == 0);
  BOOST_TEST(result.fault->place.function == "k");
}

BOOST_AUTO_TEST_SUITE_END()
