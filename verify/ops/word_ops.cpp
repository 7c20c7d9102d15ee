#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/tensor_map_bits.h"
#include "sim/layout/tensor_map_rules.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"
#include "verify/ops/word_request.h"

namespace lc::verify {

TensorMapWords read_tensor_map_words(const Request& request) {
  std::string text = request.text("tensor_map");
  if (text.starts_with("0x") || text.starts_with("0X")) text.erase(0, 2);
  constexpr std::size_t kDigits = 2 * 8 * TensorMapWords::kCount;
  if (text.size() != kDigits) {
    request.fail("tensor_map", fmt::format("{} hex digits are no tensor map", text.size()),
                 fmt::format("{} digits: its 128 bytes, byte 0 first", kDigits));
  }
  const auto digit = [&](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    request.fail("tensor_map", "a character that is no hex digit", "256 digits 0-9 a-f");
  };
  TensorMapWords words;
  for (std::size_t i = 0; i < kDigits / 2; ++i) {
    words.set_byte(i, static_cast<std::uint8_t>(digit(text[2 * i]) * 16 + digit(text[2 * i + 1])));
  }
  return words;
}

namespace {

Answer decode_map(const Request& request) {
  const TensorMapWords words = read_tensor_map_words(request);
  const DecodedTensorMap decoded = decode_tensor_map(words);
  Findings findings = decoded.findings;
  Answer answer;
  if (!findings.has_error()) {
    answer = to_json(decoded.map);
    findings.append(check_tensor_map(decoded.map, Arch::sm_90));
  }
  answer["findings"] = to_json(findings);
  return answer;
}

constexpr Op kOps[] = {
    {"tensor_map.decode", "tensor_map (256 hex digits, byte 0 first, as sm_90 encodes tiled maps)",
     "the fields of tensor_map.check, findings", decode_map},
};

}  // namespace

std::span<const Op> word_ops() {
  return kOps;
}

}  // namespace lc::verify
