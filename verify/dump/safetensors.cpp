#include "verify/dump/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "verify/dump/json_reader.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
/// The format's own limit on the header.
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxDimensions = 64;
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

[[noreturn]] void fail(const std::string& where, const std::string& part, const std::string& what,
                       const std::string& hint) {
  throw Error(where + ": " + part, what, hint);
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
  return a * b;
}

/// One tensor's entry, and where it was found.
struct Placed {
  SafeTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

/// Bytes that shape and type ask for.
std::uint64_t size_of(const std::string& where, const SafeTensor& tensor) {
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                 [&](const DtypeRow& r) { return tensor.dtype == r.name; });
  if (row == std::end(kDtypes)) {
    fail(where, "dtype", fmt::format("unknown type \"{:.40}\"", tensor.dtype),
         "tiles are of type \"U8\"");
  }
  std::uint64_t size = row->bits;
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) size = 0;
  for (const std::uint64_t extent : tensor.shape) {
    const auto next = product(size, extent);
    if (!next) {
      fail(where, "shape", "the product of the extents overflows 64 bits", "a real shape");
    }
    size = *next;
  }
  if (size % 8 != 0) {
    fail(where, "shape", fmt::format("{} bits are no whole number of bytes", size),
         "pad the last dimension");
  }
  return size / 8;
}

void check_place(const std::string& where, const Placed& p, std::uint64_t data_bytes) {
  const std::uint64_t size = size_of(where, p.tensor);
  if (p.begin > p.end) {
    fail(where, "data_offsets", fmt::format("begin {} lies after end {}", p.begin, p.end),
         "[begin, end]");
  }
  if (p.end > data_bytes) {
    fail(where, "data_offsets",
         fmt::format("end {} lies past the {} bytes after the header", p.end, data_bytes),
         "the file may be cut off: copy it again");
  }
  if (p.end - p.begin != size) {
    fail(where, "data_offsets",
         fmt::format("{} bytes, but shape and type ask for {}", p.end - p.begin, size),
         "make them agree");
  }
}

Placed read_entry(JsonReader& reader, const std::string& where, const std::string& name) {
  Placed p;
  p.tensor.name = name;
  bool has_type = false, has_shape = false, has_offsets = false;
  reader.object(name, [&](const std::string& key) {
    if (key == "dtype") {
      has_type = true;
      p.tensor.dtype = reader.string("dtype");
    } else if (key == "shape") {
      has_shape = true;
      p.tensor.shape = reader.numbers("shape", kMaxDimensions);
    } else if (key == "data_offsets") {
      has_offsets = true;
      const std::vector<std::uint64_t> offsets = reader.numbers("data_offsets", 2);
      if (offsets.size() != 2) fail(where, key, "expected two numbers", "[begin, end]");
      p.begin = offsets[0], p.end = offsets[1];
    } else {
      reader.skip(key);
    }
  });
  const char* const missing = !has_type      ? "dtype"
                              : !has_shape   ? "shape"
                              : !has_offsets ? "data_offsets"
                                             : nullptr;
  if (missing != nullptr) fail(where, missing, "the field is missing", "every tensor has it");
  return p;
}

/// The format forbids holes and overlaps; a file with one was not written by a sound program.
void check_tiling(const std::string& where, std::vector<Placed>& placed, std::uint64_t size) {
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const Placed& p : placed) {
    if (p.begin < at) {
      fail(where, fmt::format("tensor `{:.80}`", p.tensor.name),
           fmt::format("its bytes {}..{} overlap those of the tensor before", p.begin, p.end),
           "every byte belongs to one tensor");
    }
    if (p.begin > at) {
      fail(where, fmt::format("tensor `{:.80}`", p.tensor.name),
           fmt::format("the bytes {}..{} before it belong to no tensor", at, p.begin),
           "tensors follow each other without holes");
    }
    at = p.end;
  }
  if (at != size) {
    fail(where, "data", fmt::format("{} bytes at the end belong to no tensor", size - at),
         "is something appended to the file?");
  }
}

std::uint64_t header_length(const std::string& where, std::span<const std::uint8_t> file) {
  if (file.size() < kLengthBytes) {
    fail(where, "header", fmt::format("{} bytes are no safetensors file", file.size()),
         "the file begins with 8 bytes of header length");
  }
  std::uint64_t length = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) length |= std::uint64_t{file[i]} << (8 * i);
  if (length > file.size() - kLengthBytes) {
    fail(where, "header",
         fmt::format("its length says {} bytes, but only {} follow", length,
                     file.size() - kLengthBytes),
         "the file is cut off, or no safetensors file");
  }
  if (length > kMaxHeader) {
    fail(where, "header", fmt::format("{} bytes are too long", length),
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
  const std::uint64_t length = header_length(where, file);
  const std::span<const std::uint8_t> data = file.subspan(kLengthBytes + length);
  JsonReader reader(where + ": header", file.subspan(kLengthBytes, length));
  SafeTensors out;
  std::vector<Placed> placed;
  reader.object("", [&](const std::string& name) {
    if (name == kMetadata) {
      reader.object(kMetadata,
                    [&](const std::string& key) { out.metadata.emplace(key, reader.string(key)); });
      return;
    }
    const std::string place = fmt::format("{}: tensor `{:.80}`", where, name);
    placed.push_back(read_entry(reader, place, name));
    check_place(place, placed.back(), data.size());
    const std::uint64_t begin = placed.back().begin;
    placed.back().tensor.bytes = data.subspan(begin, placed.back().end - begin);
  });
  reader.finish();
  check_tiling(where, placed, data.size());
  for (Placed& p : placed) out.tensors.push_back(std::move(p.tensor));
  return out;
}

}  // namespace lc::verify
