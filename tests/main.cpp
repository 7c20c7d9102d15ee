#define BOOST_TEST_MODULE layout_check
#include <boost/test/unit_test.hpp>
