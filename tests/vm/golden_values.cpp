#include "tests/vm/golden_values.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sim/machine/schedule.h"
#include "sim/numerics/minifloat.h"

namespace lc::tests {
namespace {

enum class Kind : std::uint8_t { unsigned_integer, signed_integer, real, bits };

struct Row {
  const char* name;
  std::uint32_t bytes;
  Kind kind;
};

constexpr Row kRows[] = {
    {"u8", 1, Kind::unsigned_integer},
    {"u16", 2, Kind::unsigned_integer},
    {"u32", 4, Kind::unsigned_integer},
    {"u64", 8, Kind::unsigned_integer},
    {"s8", 1, Kind::signed_integer},
    {"s16", 2, Kind::signed_integer},
    {"s32", 4, Kind::signed_integer},
    {"s64", 8, Kind::signed_integer},
    {"f32", 4, Kind::real},
    {"f64", 8, Kind::real},
    {"f16", 2, Kind::bits},
    {"bf16", 2, Kind::bits},
    {"b8", 1, Kind::bits},
    {"b16", 2, Kind::bits},
    {"b32", 4, Kind::bits},
    {"b64", 8, Kind::bits},
};

const Row& row_of(ElementType type) {
  return kRows[static_cast<std::size_t>(type)];
}

bool is_half(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16;
}

numerics::Format half_format(ElementType type) {
  return type == ElementType::f16 ? numerics::Format::f16 : numerics::Format::bf16;
}

std::uint64_t cut(ElementType type, std::uint64_t bits) {
  const std::uint32_t width = 8 * row_of(type).bytes;
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

/// The bits of a number in a type; halves are rounded.
std::uint64_t bits_of_number(ElementType type, double number) {
  switch (type) {
    case ElementType::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case ElementType::f64:
      return std::bit_cast<std::uint64_t>(number);
    case ElementType::f16:
    case ElementType::bf16:
      return numerics::encode(half_format(type), number, numerics::Rounding::nearest_even);
    default:
      return cut(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
  }
}

double number_of_bits(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ElementType::f64:
      return std::bit_cast<double>(bits);
    case ElementType::f16:
    case ElementType::bf16:
      return numerics::to_double(half_format(type), static_cast<std::uint32_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

template <class T>
T number(std::string_view text, int base = 10) {
  T value{};
  std::from_chars_result r{};
  if constexpr (std::is_floating_point_v<T>) {
    r = std::from_chars(text.data(), text.data() + text.size(), value);
  } else {
    r = std::from_chars(text.data(), text.data() + text.size(), value, base);
  }
  if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size()) {
    throw std::runtime_error("`" + std::string(text) + "` is no number of that type");
  }
  return value;
}

std::uint64_t parse_value(ElementType type, std::string_view text) {
  std::uint64_t bits = 0;
  if (text.starts_with("0x")) {
    bits = number<std::uint64_t>(text.substr(2), 16);
  } else if (row_of(type).kind == Kind::real || is_half(type)) {
    return bits_of_number(type, number<double>(text));
  } else if (text.starts_with("-")) {
    bits = static_cast<std::uint64_t>(number<std::int64_t>(text));
    const std::uint64_t sign = ~(cut(type, ~std::uint64_t{0}) >> 1);
    if ((bits & sign) != sign) throw std::runtime_error("`" + std::string(text) + "` is too small");
    return cut(type, bits);
  } else {
    bits = number<std::uint64_t>(text);
  }
  if (bits != cut(type, bits)) {
    throw std::runtime_error("`" + std::string(text) + "` is too large");
  }
  return bits;
}

}  // namespace

std::uint32_t bytes_of(ElementType type) {
  return row_of(type).bytes;
}

std::string to_text(ElementType type, std::uint64_t bits) {
  const Row& row = row_of(type);
  const int shift = 64 - 8 * static_cast<int>(row.bytes);
  switch (row.kind) {
    case Kind::unsigned_integer:
      return fmt::format("{}", bits);
    case Kind::signed_integer:
      return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
    case Kind::real:
      if (std::isfinite(number_of_bits(type, bits))) {
        return type == ElementType::f32
                   ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                   : fmt::format("{}", std::bit_cast<double>(bits));
      }
      break;
    case Kind::bits:
      break;
  }
  return fmt::format("0x{:0{}x}", bits, 2 * row.bytes);
}

ElementType element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  }
  throw std::runtime_error("there is no type `" + std::string(name) + "`");
}

std::uint64_t unsigned_number(std::string_view text) {
  return text.starts_with("0x") ? number<std::uint64_t>(text.substr(2), 16)
                                : number<std::uint64_t>(text);
}

std::vector<std::uint64_t> parse_values(ElementType type, std::string_view text) {
  std::vector<std::uint64_t> values;
  while (true) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.empty()) return values;
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t star = word.find('*');
    const std::uint64_t count =
        star == std::string_view::npos ? 1 : unsigned_number(word.substr(star + 1));
    if (count > (std::uint64_t{1} << 24)) throw std::runtime_error("too many values");
    values.insert(values.end(), count, parse_value(type, word.substr(0, star)));
  }
}

std::vector<std::uint8_t> bytes_of_values(ElementType type,
                                          const std::vector<std::uint64_t>& values,
                                          std::uint64_t count) {
  if (values.size() > count) throw std::runtime_error("more values than elements");
  const std::uint32_t size = bytes_of(type);
  std::vector<std::uint8_t> bytes(count * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bytes[i * size], &values[i], size);
  return bytes;
}

std::vector<std::uint64_t> values_of_bytes(ElementType type,
                                           const std::vector<std::uint8_t>& bytes) {
  const std::uint32_t size = bytes_of(type);
  std::vector<std::uint64_t> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], &bytes[i * size], size);
  return values;
}

std::vector<std::uint8_t> filled(ElementType type, std::uint64_t count, std::string_view fill) {
  if (count > (std::uint64_t{1} << 28)) throw std::runtime_error("too large a buffer");
  std::vector<std::uint64_t> values(count);
  const Row& row = row_of(type);
  if (fill.starts_with("= ")) {
    return bytes_of_values(type, parse_values(type, fill.substr(2)), count);
  }
  if (fill.starts_with("random:")) {
    machine::RandomStream random(unsigned_number(fill.substr(7)), 0);
    for (std::uint64_t& v : values) v = cut(type, random.next());
  } else if (fill.starts_with("uniform:")) {
    machine::RandomStream random(unsigned_number(fill.substr(8)), 1);
    for (std::uint64_t& v : values) {
      const auto r = static_cast<double>(random.next() >> 41);  // 23 bits
      const bool whole = row.kind != Kind::real && !is_half(type);
      const double low = row.kind == Kind::signed_integer ? -64 : whole ? 0 : -1;
      v = bits_of_number(type, whole ? low + std::floor(r / 65536) : low + r / 4194304);
    }
  } else if (fill == "iota") {
    for (std::uint64_t i = 0; i < count; ++i) {
      values[i] = bits_of_number(type, static_cast<double>(i));
    }
  } else if (!fill.empty() && fill != "zero") {
    throw std::runtime_error("there is no fill `" + std::string(fill) + "`");
  }
  return bytes_of_values(type, values, count);
}

bool is_near(ElementType type, std::uint64_t got, std::uint64_t want, double relative) {
  const double g = number_of_bits(type, got), w = number_of_bits(type, want);
  if (g != g || w != w) return g != g && w != w;
  if (std::isinf(g) || std::isinf(w)) return g == w;
  return std::fabs(g - w) <= relative * std::fabs(w);
}

}  // namespace lc::tests
