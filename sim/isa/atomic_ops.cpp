#include "sim/isa/binder.h"
#include "sim/isa/families.h"

namespace lc::isa {

std::span<const Op> atomic_ops() {
  return {};
}

}  // namespace lc::isa
