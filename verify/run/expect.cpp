#include "verify/run/expect.h"

#include <fmt/format.h>

#include <cstring>

#include "verify/dump/mapped_file.h"
#include "verify/error.h"
#include "verify/run/npy.h"
#include "verify/suggest.h"

namespace lc::verify {

Expectation parse_expectation(const std::string& text, const LaunchFile& file) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error("expect", fmt::format("\"{:.60}\" names no buffer and file", text),
                "--expect d=expected.npy");
  }
  Expectation e{text.substr(0, equals), text.substr(equals + 1)};
  if (file.find_buffer(e.buffer) == nullptr) {
    std::vector<std::string> names;
    for (const BufferSpec& b : file.buffers) names.push_back(b.name);
    throw Error("expect", fmt::format("the launch has no buffer `{:.60}`", e.buffer),
                names.empty() ? "name the buffer in the launch file" : one_of(e.buffer, names));
  }
  return e;
}

Difference compare(const Expectation& expectation, const LaunchFile& file, const Guest& guest) {
  const BufferSpec& b = *file.find_buffer(expectation.buffer);
  const MappedFile values(expectation.path);
  const Npy npy = parse_npy(expectation.path, values.bytes());
  const auto found = guest.bytes_of_buffer(b);
  const std::uint32_t width = bytes_of(b.type);
  if (npy.item_bytes != width || npy.bytes.size() != found.size()) {
    throw Error(
        expectation.path,
        fmt::format("{} elements of {} bytes; the buffer `{}` has {} of {}",
                    npy.bytes.size() / npy.item_bytes, npy.item_bytes, b.name, b.elements(), width),
        "an array of the buffer's type and shape");
  }
  Difference d{expectation, b.elements(), 0, {}, {}, {}};
  for (std::uint64_t i = 0; i < d.elements; ++i) {
    std::uint64_t have = 0, want = 0;
    std::memcpy(&have, found.data() + i * width, width);
    std::memcpy(&want, npy.bytes.data() + i * width, width);
    if (have == want || d.differ++ != 0) continue;
    d.found = text_of(b.type, have);
    d.expected = text_of(b.type, want);
    std::uint64_t rest = i;
    d.first.resize(b.shape.size());
    for (std::size_t k = b.shape.size(); k-- > 0; rest /= b.shape[k]) {
      d.first[k] = rest % b.shape[k];
    }
  }
  return d;
}

}  // namespace lc::verify
