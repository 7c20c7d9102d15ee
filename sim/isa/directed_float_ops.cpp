#include <cfenv>

#include "sim/isa/float_semantics.h"

// Built with -frounding-math.  The mode is set around the loop over lanes, whose operands and
// results are in memory that fesetround might touch for all the compiler knows: nothing moves past.
namespace lc::isa {
namespace {

class HostRounding {
 public:
  explicit HostRounding(int mode) { std::fesetround(mode); }
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
};

struct Directed {
  template <class Sem, class D, class... A>
  static Flow lanes(Warp& warp, const Inst& inst, LaneMask active) {
    const HostRounding mode(info<DirectedRounding>(inst).mode);
    return lanewise<Sem, D, A...>(warp, inst, active);
  }
  template <class Sem, std::size_t Sources>
  static Flow pairs(Warp& warp, const Inst& inst, LaneMask active) {
    const HostRounding mode(info<DirectedRounding>(inst).mode);
    return float_pairs<Sem, Sources>(warp, inst, active);
  }
};

}  // namespace

DirectedRounding directed_rounding(std::string_view modifier) {
  return {modifier == "rz" ? FE_TOWARDZERO : modifier == "rm" ? FE_DOWNWARD : FE_UPWARD};
}

machine::Handler directed_float_handler(FloatOp op, Type type, bool ftz, bool sat) {
  return float_handler<Directed>(op, type, ftz, sat);
}

machine::Handler directed_mixed_handler(FloatOp op, Type half, bool sat) {
  return mixed_handler<Directed>(op, half, sat);
}

}  // namespace lc::isa
