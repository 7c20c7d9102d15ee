#include "sim/isa/binder.h"
#include "sim/isa/families.h"

namespace lc::isa {

std::span<const Op> matrix_move_ops() {
  return {};
}

}  // namespace lc::isa
