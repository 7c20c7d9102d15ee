#include "verify/run/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "verify/dump/mapped_file.h"
#include "verify/error.h"
#include "verify/ops/tensor_map_request.h"
#include "verify/request.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

constexpr std::size_t kMaxArguments = 4096, kMaxBuffers = 4096, kMaxDimensions = 16;
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 40;
constexpr std::size_t kMaxText = 16 << 20;

std::array<std::uint32_t, 3> read_shape(const Request& request, const char* field) {
  std::array<std::uint32_t, 3> shape{1, 1, 1};
  if (!request.has(field)) return shape;
  const std::vector<std::uint64_t> given = request.numbers(field, 3);
  if (given.empty()) request.fail(field, "the list is empty", "[x], [x, y] or [x, y, z]");
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0 || given[i] > INT32_MAX) {
      request.fail(fmt::format("{}[{}]", field, i), fmt::format("{} is out of range", given[i]),
                   "1 to 2147483647");
    }
    shape[i] = static_cast<std::uint32_t>(given[i]);
  }
  return shape;
}

BufferSpec read_buffer(const Request& request, const char* name_field, const std::string& where) {
  BufferSpec b;
  b.where = where;
  b.name = request.text(name_field);
  if (b.name.empty()) request.fail(name_field, "the name is empty", "a name of its own");
  b.type = request.choice<ValueType>("type");
  b.shape = request.numbers("shape", kMaxDimensions);
  std::uint64_t bytes = bytes_of(b.type);
  for (const std::uint64_t d : b.shape) {
    if (d == 0) request.fail("shape", "a dimension is 0", "buffers have at least one element");
    if (bytes > kMaxBufferBytes / d) {
      request.fail("shape", "the buffer has more than 2^40 bytes", "a device has less");
    }
    bytes *= d;
  }
  b.fill = request.has("fill") ? request.text("fill") : "zero";
  b.save = request.has("save") ? request.text("save") : "";
  return b;
}

std::uint64_t scalar_bits(const Request& request, ValueType type, const char* field) {
  if (is_float(type)) {
    const Question& value = request.raw(field);
    if (value.is_number()) return bits_of(type, value.get<double>());
    if (value.is_string()) {  // bits, as "0x3f800000"
      return request.number(field, 0, ~std::uint64_t{0} >> (64 - 8 * bytes_of(type)));
    }
    request.fail(field, "expected a number", "1.5, or its bits as \"0x3fc00000\"");
  }
  const std::uint32_t bits = 8 * bytes_of(type);
  if (!is_signed(type)) return request.number(field, 0, ~std::uint64_t{0} >> (64 - bits));
  const std::int64_t value = request.integer(field);
  const std::int64_t most = INT64_MAX >> (64 - bits);
  if (value > most || value < -most - 1) {
    request.fail(field, fmt::format("{} is out of range", value),
                 fmt::format("{} to {}", -most - 1, most));
  }
  return static_cast<std::uint64_t>(value) & ~std::uint64_t{0} >> (64 - bits);
}

ArgumentSpec::Bytes read_bytes(const Request& request) {
  const std::string text = request.text("bytes");
  ArgumentSpec::Bytes bytes;
  const auto digit = [&](char c) {
    const std::size_t at = std::string_view("0123456789abcdef")
                               .find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c));
    if (at == std::string_view::npos) {
      request.fail("bytes", fmt::format("'{}' is no hexadecimal digit", c), "\"00ff80…\"");
    }
    return at;
  };
  if (text.size() % 2 != 0) request.fail("bytes", "half a byte at the end", "two digits a byte");
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  }
  return bytes;
}

ArgumentSpec::Map read_map(const Request& argument, const std::string& where,
                           std::vector<std::string>& ignored) {
  const Request outer = argument.object("tensor_map");
  ArgumentSpec::Map map{};
  map.buffer = outer.text("buffer");
  map.byte_offset = outer.number_or("byte_offset", 0, 0, kMaxBufferBytes);
  Question q = outer.question();
  const std::size_t rank =
      q.contains("global_dim") && q["global_dim"].is_array() ? q["global_dim"].size() : 1;
  const auto fallback = [&](const char* field, const Question& value) {
    if (!q.contains(field)) q[field] = value;
  };
  q["global_address"] = 0;
  fallback("element_strides", std::vector<int>(std::min<std::size_t>(rank, 16), 1));
  fallback("interleave", "none");
  fallback("swizzle", "none");
  fallback("l2_promotion", "none");
  fallback("oob_fill", "zero");
  const std::string inside = where + "tensor_map.";
  const Request request(q, inside);
  request.has("buffer");
  request.has("byte_offset");
  request.has("arch");
  map.im2col = request.has("pixel_box_lower");
  if (map.im2col) {
    map.column = read_im2col_map(request);
  } else {
    map.tiled = read_tensor_map(request);
  }
  for (const std::string& field : request.ignored_fields()) ignored.push_back(inside + field);
  return map;
}

class Reader {
 public:
  explicit Reader(LaunchFile& file) : file_(file) {}

  void buffers(const Request& request) {
    if (!request.has("buffers")) return;
    const Question& list = list_in(request, "buffers", kMaxBuffers);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("{}: buffers[{}].", file_.path, i);
      const Request one(list[i], where);
      add(read_buffer(one, "name", where));
      ignore(one, where);
    }
  }

  void arguments(const Request& request) {
    if (!request.has("arguments")) return;
    const Question& list = list_in(request, "arguments", kMaxArguments);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = fmt::format("{}: arguments[{}].", file_.path, i);
      const Request one(list[i], where);
      file_.arguments.push_back(argument(one, where));
      ignore(one, where);
    }
  }

  void ignore(const Request& request, const std::string& where) {
    for (const std::string& field : request.ignored_fields()) {
      file_.ignored.push_back(where + field);
    }
  }

 private:
  static const Question& list_in(const Request& request, const char* field, std::size_t most) {
    const Question& list = request.raw(field);
    if (!list.is_array()) request.fail(field, "expected a list", "[{…}, {…}]");
    if (list.size() > most) {
      request.fail(field, fmt::format("{} entries are too many", list.size()));
    }
    return list;
  }

  void add(BufferSpec buffer) {
    if (file_.find_buffer(buffer.name) != nullptr) {
      throw Error(buffer.where + "buffer",
                  fmt::format("there is a buffer `{:.60}` already", buffer.name),
                  "leave type and shape out to name the same one");
    }
    file_.buffers.push_back(std::move(buffer));
  }

  ArgumentSpec argument(const Request& request, const std::string& where) {
    ArgumentSpec a;
    a.where = where;
    if (request.has("buffer")) {
      if (request.has("type") || request.has("shape")) add(read_buffer(request, "buffer", where));
      a.value = ArgumentSpec::Pointer{request.text("buffer"),
                                      request.number_or("byte_offset", 0, 0, kMaxBufferBytes)};
    } else if (request.has("tensor_map")) {
      a.value = read_map(request, where, file_.ignored);
    } else if (request.has("bytes")) {
      a.value = read_bytes(request);
    } else {
      a.value = scalar(request);
    }
    return a;
  }

  static ArgumentSpec::Scalar scalar(const Request& request) {
    for (const auto& row : spellings(ValueType{})) {
      if (request.has(row.name)) return {row.value, scalar_bits(request, row.value, row.name)};
    }
    request.fail("", "the argument has no value",
                 "{\"u32\": 5}, {\"f32\": 1.5}, {\"buffer\": …}, {\"tensor_map\": …} or "
                 "{\"bytes\": …}");
  }

  LaunchFile& file_;
};

/// Every buffer that an argument names must be there.
void check_names(const LaunchFile& file) {
  std::vector<std::string> names;
  for (const BufferSpec& b : file.buffers) names.push_back(b.name);
  for (const ArgumentSpec& a : file.arguments) {
    const auto* pointer = std::get_if<ArgumentSpec::Pointer>(&a.value);
    const auto* map = std::get_if<ArgumentSpec::Map>(&a.value);
    if (pointer == nullptr && map == nullptr) continue;
    const std::string& name = pointer != nullptr ? pointer->buffer : map->buffer;
    const std::uint64_t offset = pointer != nullptr ? pointer->byte_offset : map->byte_offset;
    const std::string where = a.where + (map != nullptr ? "tensor_map." : "");
    const BufferSpec* buffer = file.find_buffer(name);
    if (buffer == nullptr) {
      throw Error(where + "buffer", fmt::format("there is no buffer `{:.60}`", name),
                  names.empty() ? "give it a type and a shape" : one_of(name, names));
    }
    if (offset > buffer->bytes()) {
      throw Error(where + "byte_offset", fmt::format("{} passes the end of the buffer", offset),
                  fmt::format("0 to {}", buffer->bytes()));
    }
  }
}

}  // namespace

std::uint64_t BufferSpec::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t d : shape) count *= d;
  return count;
}

std::string LaunchFile::beside(const std::string& name) const {
  return (std::filesystem::path(path).parent_path() / name).string();
}

const BufferSpec* LaunchFile::find_buffer(const std::string& name) const {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const BufferSpec& b) { return b.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

LaunchFile parse_launch(const std::string& path, const std::string& text) {
  Question question;
  try {
    question = Question::parse(text);
  } catch (const Question::parse_error& e) {
    const std::size_t at = std::min<std::size_t>(e.byte == 0 ? 0 : e.byte - 1, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    throw Error(fmt::format("{}:{}", path, line), "is no JSON from here on",
                "a comma, a bracket or a quote is missing, or one too many");
  }
  LaunchFile file;
  file.path = path;
  const std::string where = path + ": ";
  const Request request(question, where);
  if (request.has("entry")) file.entry = request.text("entry");
  file.grid = read_shape(request, "grid");
  file.block = read_shape(request, "block");
  file.explicit_cluster = request.has("cluster");
  file.cluster = read_shape(request, "cluster");
  file.cooperative = request.flag_or("cooperative", false);
  file.shared = static_cast<std::uint32_t>(request.number_or("shared", 0, 0, 1 << 20));
  Reader reader(file);
  reader.buffers(request);
  reader.arguments(request);
  reader.ignore(request, where);
  check_names(file);
  return file;
}

LaunchFile read_launch(const std::string& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kMaxText) {
    throw Error(path, "is too long for a launch file", "values of buffers stand in files");
  }
  return parse_launch(path, std::string(file.bytes().begin(), file.bytes().end()));
}

}  // namespace lc::verify
