#pragma once

// The precompiled header of every test file.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace utf = boost::unit_test;
namespace bdata = boost::unit_test::data;
