#include "sim/isa/binder.h"
#include "sim/isa/families.h"

namespace lc::isa {

std::span<const Op> barrier_ops() {
  return {};
}

}  // namespace lc::isa
