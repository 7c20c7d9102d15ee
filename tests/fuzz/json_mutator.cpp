// Mutates questions as JSON, so that most inputs get past the parser: a value is replaced, a field
// dropped or added, the op exchanged.  Now and then the bytes themselves are changed.
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/fuzz/vocabulary.h"
#include "verify/ops/ops.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace lc::fuzz {
namespace {

using nlohmann::json;

/// A field of the op's documentation: words of lower-case letters.
std::string any_field(Random& random, const verify::Op& op) {
  const std::string text = op.input;
  const std::size_t from = below(random, text.size());
  const char* letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  const std::size_t begin = text.find_first_of(letters, from);
  if (begin == std::string::npos) return "arch";
  return text.substr(begin, text.find_first_not_of(letters, begin) - begin);
}

void mutate(json& question, Random& random) {
  const std::vector<verify::Op> ops = verify::all_ops();
  const auto named = question.find("op");
  const verify::Op* op =
      named != question.end() && named->is_string() ? verify::find_op(*named) : nullptr;
  switch (below(random, 8)) {
    case 0:
      question["op"] = ops[below(random, ops.size())].name;
      break;
    case 1:
      question[any_field(random, op != nullptr ? *op : ops[0])] = any_value(random);
      break;
    case 2:
      if (!question.empty())
        question.erase(std::next(question.begin(), below(random, question.size())));
      break;
    default:
      if (!question.empty()) {
        change(*std::next(question.begin(), below(random, question.size())), random);
      }
      break;
  }
}

}  // namespace
}  // namespace lc::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace lc::fuzz;
  Random random(seed);
  json question = json::parse(data, data + size, nullptr, false);
  if (!question.is_object() || below(random, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t n = below(random, 3) + 1; n > 0; --n) mutate(question, random);
  const std::string text = question.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
