#include <array>

#include "sim/isa/families.h"
#include "sim/isa/lanewise.h"

namespace lc::isa {
namespace {

struct Add {
  template <class T>
  static T eval(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
};

template <class Sem>
void bind_binary(Binder& b) {
  const Type type = b.modifiers.type();
  b.inst().op[0] = b.out(0, type);
  b.inst().op[1] = b.in(1, type);
  b.inst().op[2] = b.in(2, type);
  switch (type) {
    case Type::u32:
      return b.run(lanewise<Sem, std::uint32_t, std::uint32_t, std::uint32_t>);
    case Type::s32:
      return b.run(lanewise<Sem, std::int32_t, std::int32_t, std::int32_t>);
    default:
      b.fail("not yet");
  }
}

constexpr std::array kOps{
    Op{"add", "type=u32|s32", "d, a, b", bind_binary<Add>},
};

}  // namespace

std::span<const Op> integer_ops() {
  return kOps;
}

}  // namespace lc::isa
