#include "verify/dump/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "verify/error.h"
#include "verify/json.h"
#include "verify/request.h"

namespace lc::verify {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
/// The format's own limit on the header.
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxDimensions = 64;
constexpr int kMaxDepth = 8;
/// A header has a dozen values per tensor.
constexpr std::uint64_t kMaxValues = 8'000'000;
constexpr const char* kMetadata = "__metadata__";

struct DtypeRow {
  const char* name;
  unsigned bits;
};
constexpr DtypeRow kDtypes[] = {
    {"BOOL", 8},    {"U8", 8},   {"I8", 8},      {"F8_E5M2", 8}, {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"I16", 16},
    {"U16", 16},    {"F16", 16}, {"BF16", 16},   {"I32", 32},    {"U32", 32},
    {"F32", 32},    {"C64", 64}, {"F64", 64},    {"I64", 64},    {"U64", 64},
};

/// The header's keys in the order of the text, duplicates noticed: the JSON library keeps the last.
class Parser {
 public:
  explicit Parser(const std::string& where) : where_(where) {}

  Question parse(std::span<const std::uint8_t> text) const {
    std::vector<std::set<std::string>> keys;
    std::uint64_t values = 0;
    const auto watch = [&](int depth, Question::parse_event_t event, Question& parsed) {
      using Event = Question::parse_event_t;
      if (depth > kMaxDepth) fail("header", "the JSON is nested too deeply", "a tensor per key");
      if (++values > kMaxValues) fail("header", "has too many values", "a dozen per tensor");
      if (event == Event::object_start) keys.emplace_back();
      if (event == Event::object_end && !keys.empty()) keys.pop_back();
      if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
        fail("header", fmt::format("the key `{:.80}` stands twice", parsed.get<std::string>()),
             "every tensor needs a name of its own");
      }
      return true;
    };
    try {
      return Question::parse(text.begin(), text.end(), watch);
    } catch (const Question::exception& e) {
      std::string what = e.what();
      if (const auto at = what.find("] "); at != std::string::npos) what.erase(0, at + 2);
      if (what.size() > 200) what.resize(200);
      fail("header", "is not JSON: " + what, "is this a safetensors file?");
    }
  }

  [[noreturn]] void fail(const std::string& part, const std::string& what,
                         const std::string& hint) const {
    throw Error(where_ + ": " + part, what, hint);
  }

 private:
  const std::string& where_;
};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
  return a * b;
}

/// Bytes that shape and type ask for.
std::uint64_t size_of(const Request& entry, const SafeTensor& tensor) {
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                 [&](const DtypeRow& r) { return tensor.dtype == r.name; });
  if (row == std::end(kDtypes)) {
    entry.fail("dtype", fmt::format("unknown type \"{:.40}\"", tensor.dtype),
               "tiles are of type \"U8\"");
  }
  std::uint64_t size = row->bits;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) size = 0;
  for (const std::uint64_t extent : tensor.shape) {
    const auto next = product(size, extent);
    if (!next) entry.fail("shape", "the product of the extents overflows 64 bits", "a real shape");
    size = *next;
  }
  if (size % 8 != 0) {
    entry.fail("shape", fmt::format("{} bits are no whole number of bytes", size),
               "pad the last dimension");
  }
  return size / 8;
}

struct Placed {
  SafeTensor tensor;
  std::uint64_t begin, end;
};

Placed read_entry(const Request& entry, std::string name, std::span<const std::uint8_t> data) {
  Placed p{
      {std::move(name), entry.text("dtype"), entry.numbers("shape", kMaxDimensions), {}}, 0, 0};
  const std::uint64_t size = size_of(entry, p.tensor);
  const std::vector<std::uint64_t> offsets = entry.numbers("data_offsets", 2);
  if (offsets.size() != 2) entry.fail("data_offsets", "expected two numbers", "[begin, end]");
  p.begin = offsets[0], p.end = offsets[1];
  if (p.begin > p.end) {
    entry.fail("data_offsets", fmt::format("begin {} lies after end {}", p.begin, p.end),
               "[begin, end]");
  }
  if (p.end > data.size()) {
    entry.fail("data_offsets",
               fmt::format("end {} lies past the {} bytes after the header", p.end, data.size()),
               "the file may be cut off: copy it again");
  }
  if (p.end - p.begin != size) {
    entry.fail("data_offsets",
               fmt::format("{} bytes, but shape and type ask for {}", p.end - p.begin, size),
               "make them agree");
  }
  p.tensor.bytes = data.subspan(p.begin, size);
  return p;
}

/// The format forbids holes and overlaps; a file with one was not written by a sound program.
void check_tiling(const Parser& parser, std::vector<Placed>& placed, std::uint64_t size) {
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const Placed& p : placed) {
    if (p.begin < at) {
      parser.fail(
          fmt::format("tensor `{:.80}`", p.tensor.name),
          fmt::format("its bytes {}..{} overlap those of the tensor before", p.begin, p.end),
          "every byte belongs to one tensor");
    }
    if (p.begin > at) {
      parser.fail(fmt::format("tensor `{:.80}`", p.tensor.name),
                  fmt::format("the bytes {}..{} before it belong to no tensor", at, p.begin),
                  "tensors follow each other without holes");
    }
    at = p.end;
  }
  if (at != size) {
    parser.fail("data", fmt::format("{} bytes at the end belong to no tensor", size - at),
                "is something appended to the file?");
  }
}

void read_metadata(const Parser& parser, const Question& value, SafeTensors& out) {
  if (!value.is_object()) {
    parser.fail(kMetadata, "expected an object of texts", "{\"layout-check\": \"1\"}");
  }
  for (const auto& item : value.items()) {
    if (!item.value().is_string()) {
      parser.fail(fmt::format("{}.{:.80}", kMetadata, item.key()), "expected text",
                  "values of the metadata are strings; quote JSON inside them");
    }
    out.metadata.emplace(item.key(), item.value().get<std::string>());
  }
}

std::uint64_t header_length(const Parser& parser, std::span<const std::uint8_t> file) {
  if (file.size() < kLengthBytes) {
    parser.fail("header", fmt::format("{} bytes are no safetensors file", file.size()),
                "the file begins with 8 bytes of header length");
  }
  std::uint64_t length = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) length |= std::uint64_t{file[i]} << (8 * i);
  if (length > file.size() - kLengthBytes) {
    parser.fail("header",
                fmt::format("its length says {} bytes, but only {} follow", length,
                            file.size() - kLengthBytes),
                "the file is cut off, or no safetensors file");
  }
  if (length > kMaxHeader) {
    parser.fail("header", fmt::format("{} bytes are too long", length),
                fmt::format("the format allows {}", kMaxHeader));
  }
  return length;
}

}  // namespace

const SafeTensor* SafeTensors::find(const std::string& name) const {
  for (const SafeTensor& t : tensors) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

SafeTensors parse_safetensors(const std::string& where, std::span<const std::uint8_t> file) {
  const Parser parser(where);
  const std::uint64_t length = header_length(parser, file);
  const Question header = parser.parse(file.subspan(kLengthBytes, length));
  if (!header.is_object()) parser.fail("header", "expected an object", "a tensor per key");
  const std::span<const std::uint8_t> data = file.subspan(kLengthBytes + length);
  SafeTensors out;
  std::vector<Placed> placed;
  for (const auto& item : header.items()) {
    if (item.key() == kMetadata) {
      read_metadata(parser, item.value(), out);
      continue;
    }
    const std::string place = fmt::format("{}: tensor `{:.80}`: ", where, item.key());
    placed.push_back(read_entry(Request(item.value(), place), item.key(), data));
  }
  check_tiling(parser, placed, data.size());
  for (Placed& p : placed) out.tensors.push_back(std::move(p.tensor));
  return out;
}

std::string safetensors_file(const std::vector<NamedBytes>& tensors,
                             const std::map<std::string, std::string>& metadata) {
  Answer header = Answer::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  std::uint64_t at = 0;
  for (const NamedBytes& t : tensors) {
    if (header.contains(t.name)) {
      throw Error("tensor `" + t.name + "`", "the name stands twice", "a name of its own");
    }
    header[t.name] = {{"dtype", "U8"},
                      {"shape", Answer::array({t.bytes.size()})},
                      {"data_offsets", Answer::array({at, at + t.bytes.size()})}};
    at += t.bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, Answer::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data aligned to 8 bytes
  std::string file;
  file.reserve(kLengthBytes + text.size() + at);
  for (unsigned i = 0; i < kLengthBytes; ++i) {
    file += static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  }
  file += text;
  for (const NamedBytes& t : tensors) file.append(t.bytes.begin(), t.bytes.end());
  return file;
}

void write_safetensors(const std::string& path, const std::vector<NamedBytes>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string bytes = safetensors_file(tensors, metadata);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(path, "cannot be written", "check the directory and the space left");
}

}  // namespace lc::verify
