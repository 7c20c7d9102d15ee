#include "tests/fuzz/vocabulary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/canonical.h"
#include "sim/layout/instruction_descriptor_types.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tma_copy.h"

namespace lc::fuzz {
namespace {

using nlohmann::json;

template <class... Enums>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) names.emplace_back(row.name);
  };
  (add(spellings(Enums{})), ...);
  return names;
}

}  // namespace

std::size_t below(Random& random, std::size_t limit) {
  return static_cast<std::size_t>(random()) % limit;
}

const std::vector<std::string>& spelled_names() {
  static const std::vector<std::string> names =
      names_of<Arch, Element, Major, Swizzle, TensorMapSwizzle, LboMode, AtomOrder, DataType,
               Interleave, L2Promotion, OobFill, TmaOperation, MmaKind, Accumulator, ScaleType>();
  return names;
}

std::uint64_t number(Random& random) {
  switch (below(random, 4)) {
    case 0:
      return below(random, 300);
    case 1:
      return (below(random, 64) + 1) * 16;
    default:
      return (std::uint64_t{1} << below(random, 64)) + below(random, 3) - 1;
  }
}

std::string number_text(Random& random) {
  const std::uint64_t n = number(random);
  switch (below(random, 8)) {
    case 0:
      return fmt::format("-{}", n);
    case 1:
      return fmt::format("{}x", n);
    case 2:
      return fmt::format("{}{}", n, n);
    case 3:
    case 4:
      return fmt::format("{}", n);
    default:
      return fmt::format("0x{:x}", n);
  }
}

json any_value(Random& random) {
  switch (below(random, 10)) {
    case 0:
      return json::parse(
          R"([null, true, 1.5, {}, {"a": []}, "", "\u0000\u20ac"])")[below(random, 7)];
    case 1:
    case 2: {
      json list = json::array();
      const std::size_t count = below(random, below(random, 8) == 0 ? 70 : 6);
      for (std::size_t i = 0; i < count; ++i) list.push_back(number(random));
      return list;
    }
    case 3:
    case 4:
      return spelled_names()[below(random, spelled_names().size())];
    case 5:
      return number_text(random);
    case 6:
      return -static_cast<std::int64_t>(number(random) >> 1);
    default:
      return number(random);
  }
}

void change(json& value, Random& random) {
  if (value.is_structured() && !value.empty() && below(random, 4) != 0) {
    auto inside = value.begin();
    std::advance(inside, below(random, value.size()));
    change(*inside, random);
    return;
  }
  value = any_value(random);
}

}  // namespace lc::fuzz
