#pragma once

#include <boost/test/unit_test.hpp>

#include "kernel/launch.h"

/// Why a GPU suite is skipped here.
inline boost::test_tools::assertion_result needs_gpu(boost::unit_test::test_unit_id) {
  const std::string reason = lc::kernel::no_gpu_reason();
  boost::test_tools::assertion_result ok(reason.empty());
  if (!reason.empty()) ok.message() << reason;
  return ok;
}

#define LC_GPU_SUITE(name) \
  BOOST_AUTO_TEST_SUITE(   \
      name, *boost::unit_test::label("gpu") * boost::unit_test::precondition(needs_gpu))
