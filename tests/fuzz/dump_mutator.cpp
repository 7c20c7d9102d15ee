// Mutates a dump file's header and its tiles' descriptions as JSON and fixes the length in front,
// so that most inputs get past the reader.  Now and then the bytes themselves are changed.
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/fuzz/vocabulary.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace lc::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;

/// The header's length as the file says; 0 where the file is too short for it.
std::size_t header_size(const std::uint8_t* data, std::size_t size) {
  if (size < kLengthBytes) return 0;
  std::uint64_t length = 0;
  std::memcpy(&length, data, kLengthBytes);
  return length <= size - kLengthBytes ? static_cast<std::size_t>(length) : 0;
}

/// Changes the description of one tile, which is JSON inside a string.
void change_description(json& header, Random& random) {
  json& metadata = header["__metadata__"];
  if (!metadata.is_object() || metadata.empty()) return;
  json& text = *std::next(metadata.begin(), below(random, metadata.size()));
  json description =
      text.is_string() ? json::parse(text.get<std::string>(), nullptr, false) : json();
  if (!description.is_object() || description.empty()) return;
  if (below(random, 8) == 0) {
    description.erase(std::next(description.begin(), below(random, description.size())));
  } else {
    change(*std::next(description.begin(), below(random, description.size())), random);
  }
  text = description.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace
}  // namespace lc::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace lc::fuzz;
  Random random(seed);
  const std::size_t length = header_size(data, size);
  json header = json::parse(data + (length != 0 ? kLengthBytes : 0),
                            data + (length != 0 ? kLengthBytes : 0) + length, nullptr, false);
  if (!header.is_object() || below(random, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (below(random, 4) != 0) {
    change_description(header, random);
  } else {
    change(header, random);
  }
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::size_t rest = size - kLengthBytes - length;
  if (kLengthBytes + text.size() + rest > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memmove(data + kLengthBytes + text.size(), data + kLengthBytes + length, rest);
  const std::uint64_t new_length = text.size();
  std::memcpy(data, &new_length, kLengthBytes);
  std::memcpy(data + kLengthBytes, text.data(), text.size());
  return kLengthBytes + text.size() + rest;
}
