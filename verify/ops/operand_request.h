#pragma once

#include "sim/layout/canonical.h"
#include "sim/layout/element.h"
#include "sim/layout/operand.h"
#include "verify/request.h"

namespace lc::verify {

/// Extents beyond this are no operand of any machine; products beyond kMaxElements are refused.
inline constexpr std::uint64_t kMaxExtent = 65536;
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 21;

/// `element` and `container` of a question.
struct ElementChoice {
  Element element;
  Container container;
};
ElementChoice read_element(const Request& request);

/// mn and k, each 1..65536 and together at most kMaxElements.
struct Extents {
  std::uint64_t mn, k;
};
Extents read_extents(const Request& request);

/// The descriptor of a question, with a swizzle code that means something.
SmemDescriptor read_descriptor(const Request& request, Arch arch);

/// The tile of `operand.describe`.
OperandTile read_tile(const Request& request);

}  // namespace lc::verify
