#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "sim/machine/schedule.h"
#include "verify/dump/mapped_file.h"
#include "verify/dump/safetensors.h"
#include "verify/error.h"
#include "verify/run/guest.h"
#include "verify/run/npy.h"

namespace lc::verify {
namespace {

constexpr const char* kFills =
    "zero, iota, random:SEED, integers:SEED, a file.npy or file.safetensors#tensor";

template <class F>
void fill_each(const BufferSpec& b, std::span<std::byte> bytes, F&& bits) {
  const std::uint32_t width = bytes_of(b.type);
  for (std::uint64_t i = 0; i < b.elements(); ++i) {
    const std::uint64_t value = bits(i);
    std::memcpy(bytes.data() + i * width, &value, width);
  }
}

std::uint64_t seed_of(const BufferSpec& b, std::string_view text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc{} || after != end) {
    throw Error(b.where + "fill", fmt::format("`{:.40}` is no seed", text), kFills);
  }
  return seed;
}

/// Floating point: -1 up to 1; integers: any bits.
void fill_random(const BufferSpec& b, std::span<std::byte> bytes, std::uint64_t seed) {
  machine::RandomStream random(seed, 0);
  fill_each(b, bytes, [&](std::uint64_t) {
    const std::uint64_t word = random.next();
    if (!is_float(b.type)) return word;
    const double unit = static_cast<double>(word >> 11) * 0x1p-53;
    return bits_of(b.type, 2 * unit - 1);
  });
}

/// -4 to 4, or 0 to 8 without a sign: sums of products stay exact.
void fill_integers(const BufferSpec& b, std::span<std::byte> bytes, std::uint64_t seed) {
  machine::RandomStream random(seed, 0);
  const double least = is_signed(b.type) ? -4 : 0;
  fill_each(b, bytes, [&](std::uint64_t) {
    return bits_of(b.type, least + static_cast<double>(random.below(9)));
  });
}

/// 0, 1, 2 …, from 0 again where the type would not have every number.
void fill_iota(const BufferSpec& b, std::span<std::byte> bytes) {
  const double period = exact_integers(b.type);
  const std::uint64_t wrap = period >= 0x1p63 ? 0 : static_cast<std::uint64_t>(period);
  fill_each(b, bytes, [&](std::uint64_t i) {
    const std::uint64_t value = wrap == 0 ? i : i % wrap;
    return is_float(b.type) ? bits_of(b.type, static_cast<double>(value)) : value;
  });
}

void copy_values(const BufferSpec& b, std::span<std::byte> bytes, const std::string& path,
                 std::span<const std::uint8_t> values) {
  if (values.size() != bytes.size()) {
    throw Error(b.where + "fill",
                fmt::format("{} holds {} bytes, the buffer {}", path, values.size(), bytes.size()),
                "the same number of elements of the same size");
  }
  std::memcpy(bytes.data(), values.data(), bytes.size());
}

}  // namespace

void fill_buffer(const LaunchFile& file, const BufferSpec& b, std::span<std::byte> bytes) {
  const std::string_view fill = b.fill;
  if (fill == "zero") return;
  if (fill == "iota") return fill_iota(b, bytes);
  if (fill.starts_with("random:")) return fill_random(b, bytes, seed_of(b, fill.substr(7)));
  if (fill.starts_with("integers:")) return fill_integers(b, bytes, seed_of(b, fill.substr(9)));
  const std::size_t hash = b.fill.rfind('#');
  if (fill.ends_with(".npy")) {
    const std::string path = file.beside(b.fill);
    const MappedFile values(path);
    const Npy npy = parse_npy(path, values.bytes());
    if (npy.item_bytes != bytes_of(b.type)) {
      throw Error(b.where + "fill",
                  fmt::format("{} holds elements of {} bytes, {} has {}", path, npy.item_bytes,
                              name_of(b.type), bytes_of(b.type)),
                  "the buffer's type");
    }
    return copy_values(b, bytes, path, npy.bytes);
  }
  if (hash != std::string::npos && fill.substr(0, hash).ends_with(".safetensors")) {
    const std::string path = file.beside(b.fill.substr(0, hash));
    const MappedFile values(path);
    const SafeTensors tensors = parse_safetensors(path, values.bytes());
    const SafeTensor* tensor = tensors.find(b.fill.substr(hash + 1));
    if (tensor == nullptr) {
      throw Error(b.where + "fill",
                  fmt::format("{} has no tensor `{:.60}`", path, fill.substr(hash + 1)), kFills);
    }
    return copy_values(b, bytes, path, tensor->bytes);
  }
  throw Error(b.where + "fill", fmt::format("unknown fill \"{:.60}\"", b.fill), kFills);
}

}  // namespace lc::verify
