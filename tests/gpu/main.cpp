#define BOOST_TEST_MODULE layout_check_gpu
#include <boost/test/unit_test.hpp>
