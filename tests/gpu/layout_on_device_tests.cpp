#include "tests/gpu/layout_on_device.h"

#include "kernel/probe_sampler.h"
#include "tests/gpu/needs_gpu.h"
#include "tests/gpu/probe_model.h"

using namespace lc::gpu_tests;
using lc::kernel::Random;

namespace {

/// Any descriptor at all: every bit random, so reserved bits, huge offsets and invalid swizzle
/// codes are among them.
OperandQuestion random_question(Random& random) {
  OperandQuestion q;
  q.arch = random.percent(50) ? lc::Arch::sm_90 : lc::Arch::sm_100;
  q.descriptor = random.next();
  q.major = random.percent(50) ? lc::Major::k : lc::Major::mn;
  q.element = static_cast<lc::Element>(random.below(lc::kElementCount));
  q.container = random.percent(50) ? lc::Container::packed : lc::Container::byte;
  q.mn = random.between(1, 40);
  q.k = random.between(1, 40);
  return q;
}

}  // namespace

LC_GPU_SUITE(layout_on_device_tests)

BOOST_AUTO_TEST_CASE(operand_addresses_are_the_same_on_device_and_host) {
  Random random(3);
  std::vector<OperandQuestion> questions(5000);
  for (auto& q : questions) q = random_question(random);
  const auto device = operand_bit_addresses_on_device(questions);
  const auto host = operand_bit_addresses_on_host(questions);
  BOOST_TEST_REQUIRE(device.size() == host.size());
  BOOST_TEST_REQUIRE(device.size() > 1000000u);
  BOOST_TEST((device == host));
}

BOOST_AUTO_TEST_CASE(boxes_are_the_same_on_device_and_host) {
  Random random(4);
  std::vector<BoxQuestion> questions(2000);
  for (auto& q : questions) {
    const auto tile = random_tma_tile(random, 4096);
    q = {model_of(tile), coordinates_of(tile), tile.destination};
  }
  const auto device = box_bytes_on_device(questions, 4096);
  const auto host = box_bytes_on_host(questions, 4096);
  BOOST_TEST((device == host));
}

BOOST_AUTO_TEST_SUITE_END()
