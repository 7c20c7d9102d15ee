#include "kernel/probe_tile.h"

#include <algorithm>
#include <set>

namespace lc::kernel {

namespace {

constexpr std::uint64_t kHuge = ~std::uint64_t{0};

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return b > kHuge - a ? kHuge : a + b;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw SmemDumpError("tile `" + name + "`: " + what);
}

void require(bool holds, const std::string& name, const std::string& what) {
  if (!holds) refuse(name, what);
}

struct ElementRow {
  const char* name;
  unsigned bits;
};

constexpr ElementRow kElements[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32},
                                    {"e4m3", 8}, {"e5m2", 8},  {"e2m3", 6},  {"e3m2", 6},
                                    {"e2m1", 4}, {"i8", 8},    {"u8", 8}};

/// Size of a step along dimension 0: the element, or the unit of 16 or 32 bytes of an interleave.
std::uint32_t unit_bytes(const TensorMapCall& map) {
  return map.interleave == 0 ? element_bytes(map.data_type) : 16u * map.interleave;
}

/// Steps that the copy takes along dimension d.
std::uint64_t steps(const TensorMapCall& map, std::size_t d) {
  if (map.interleave == 0 && d == 0) return map.box_dim[0];
  if (map.interleave != 0 && d + 2 == map.box_dim.size()) return 1;  // the slice dimension
  return (std::uint64_t{map.box_dim[d]} + map.element_strides[d] - 1) / map.element_strides[d];
}

std::uint64_t rows(const TensorMapCall& map) {
  std::uint64_t n = 1;
  for (std::size_t d = 1; d < map.box_dim.size(); ++d) n = times(n, steps(map, d));
  return n;
}

/// One past the last source byte that the copy reads; 0 if it reads nothing.
std::uint64_t read_end(const TmaTile& tile) {
  const TensorMapCall& map = tile.map;
  std::uint64_t end = unit_bytes(map);
  for (std::size_t d = 0; d < map.box_dim.size(); ++d) {
    const std::int64_t step = d == 0 && map.interleave == 0 ? 1 : map.element_strides[d];
    const std::int64_t first = tile.coordinates[d];
    const std::int64_t last = first + static_cast<std::int64_t>(steps(map, d) - 1) * step;
    const auto dim =
        static_cast<std::int64_t>(std::min<std::uint64_t>(map.global_dim[d], 1ull << 40));
    if (last < 0 || first >= dim) return 0;
    const auto top = static_cast<std::uint64_t>(std::min(last, dim - 1));
    end = plus(end, times(top, d == 0 ? unit_bytes(map) : map.global_strides[d - 1]));
  }
  return plus(end, tile.source_offset);
}

void check_window(const std::string& name, const Window& window) {
  require(window.begin >= kSmemBegin && window.bytes <= kSmemEnd - kSmemBegin &&
              window.begin <= kSmemEnd - window.bytes,
          name, "the dumped window leaves shared memory, 1024 to " + std::to_string(kSmemEnd));
}

}  // namespace

std::uint32_t element_bytes(int data_type) {
  constexpr std::uint32_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return data_type >= 0 && data_type < 13 ? kBytes[data_type] : 0;
}

std::uint64_t transaction_bytes(const TmaTile& tile) {
  return times(times(steps(tile.map, 0), unit_bytes(tile.map)), rows(tile.map));
}

std::uint64_t footprint_bytes(const TmaTile& tile) {
  std::uint64_t pitch = times(steps(tile.map, 0), unit_bytes(tile.map));
  if (tile.map.interleave == 0 && tile.map.swizzle != 0) {
    pitch = std::max<std::uint64_t>(pitch, tile.map.swizzle <= 3 ? 16u << tile.map.swizzle : 128u);
  }
  return times(pitch, rows(tile.map));
}

void check(const TmaTile& tile) {
  const TensorMapCall& map = tile.map;
  const std::size_t rank = map.global_dim.size();
  require(rank >= 1 && rank <= 5, tile.name, "a tensor has 1 to 5 dimensions");
  require(map.global_strides.size() == rank - 1 && map.box_dim.size() == rank &&
              map.element_strides.size() == rank && tile.coordinates.size() == rank,
          tile.name,
          "dim, box, element strides and coordinates need " + std::to_string(rank) +
              " entries each, strides one less");
  require(element_bytes(map.data_type) != 0, tile.name, "data types 0 to 12 can be probed");
  require(map.interleave >= 0 && map.interleave <= 2, tile.name, "interleave is 0, 1 or 2");
  require(map.interleave == 0 || rank >= 3, tile.name, "interleave needs 3 dimensions or more");
  require(map.swizzle >= 0 && map.swizzle <= 6, tile.name, "swizzle is 0 to 6");
  for (const auto step : map.element_strides) {
    require(step >= 1 && step <= 8, tile.name, "element strides are 1 to 8");
  }
  for (const auto box : map.box_dim) {
    require(box >= 1 && box <= 256, tile.name, "a box has 1 to 256 elements in each dimension");
  }
  require(tile.destination >= kSmemBegin && tile.destination < kSmemEnd, tile.name,
          "the destination is outside of shared memory");
  require(footprint_bytes(tile) <= kSmemEnd - tile.destination, tile.name,
          "the tile ends behind shared memory");
  require(tile.source_offset < kSourceBytes && read_end(tile) <= kSourceBytes, tile.name,
          "the copy reads behind the " + std::to_string(kSourceBytes) + " bytes of the source");
  check_window(tile.name, window_of(tile));
}

Window window_of(const TmaTile& tile) {
  if (tile.window.bytes != 0) return tile.window;
  return {tile.destination, static_cast<std::uint32_t>((footprint_bytes(tile) + 15) / 16 * 16)};
}

std::uint32_t element_bits(const OperandCopy& copy) {
  for (const ElementRow& row : kElements) {
    if (copy.element == row.name) return copy.container != 0 ? copy.container : row.bits;
  }
  refuse(copy.name, "no element is called `" + copy.element + "`");
}

namespace {

/// Bits of an element in the source, where 4- and 6-bit ones are always packed.
std::uint32_t source_bits(const OperandCopy& copy) {
  OperandCopy packed = copy;
  packed.container = 0;
  return element_bits(packed);
}

std::uint32_t described_k(const OperandCopy& copy) {
  return copy.slice_k != 0 ? copy.slice_k : copy.k;
}

}  // namespace

SourceShape source_shape(const OperandCopy& copy) {
  const std::uint32_t bits = element_bits(copy);
  const std::uint32_t cell_bytes = 16 * source_bits(copy) / bits;
  const std::uint32_t rows = copy.k_major ? copy.mn : copy.k;
  const std::uint32_t cells = (copy.k_major ? copy.k : copy.mn) / (128 / bits);
  return {rows, cells, cell_bytes, copy.source_pitch != 0 ? copy.source_pitch : cells * cell_bytes};
}

OperandStore operand_store(const OperandCopy& copy) {
  return {copy.start_address,
          copy.leading_byte_offset,
          copy.stride_byte_offset,
          copy.swizzle,
          copy.k_major,
          copy.buffer_keys ? copy.start_address : 0};
}

std::uint32_t base_offset_for(const OperandCopy& copy) {
  return copy.buffer_keys ? copy.start_address >> 7 & 7 : 0;
}

std::uint64_t descriptor(const OperandCopy& copy) {
  const SmemMatrix matrix{copy.start_address, copy.leading_byte_offset, copy.stride_byte_offset,
                          copy.swizzle, copy.base_offset};
  const std::uint64_t whole =
      copy.arch >= 100 ? smem_descriptor_sm100(matrix) : smem_descriptor_sm90(matrix);
  const std::uint32_t k = copy.slice_begin, k_bytes = k * element_bits(copy) / 8;
  if (copy.k_major) {
    const bool none = copy.swizzle == SmemSwizzle::none;
    return advance_descriptor(whole, none ? k_bytes / 16 * copy.leading_byte_offset : k_bytes);
  }
  const std::uint32_t step =
      copy.swizzle == SmemSwizzle::none ? copy.leading_byte_offset : copy.stride_byte_offset;
  return advance_descriptor(whole, k / rows_per_atom(copy.swizzle) * step);
}

TileDescription description(const OperandCopy& copy) {
  const SourceShape shape = source_shape(copy);
  const std::uint64_t element = source_bits(copy) / 8;
  TileSource source;
  source.seed = kSourceSeed;
  source.byte_offset =
      copy.source_offset + (copy.k_major ? std::uint64_t{copy.slice_begin} * source_bits(copy) / 8
                                         : std::uint64_t{copy.slice_begin} * shape.pitch);
  if (source_bits(copy) >= 8) {
    source.strides = copy.k_major ? std::vector<std::uint64_t>{shape.pitch, element}
                                  : std::vector<std::uint64_t>{element, shape.pitch};
  }
  auto out =
      TileDescription::read_as({copy.element, copy.k_major ? "k" : "mn", copy.mn, described_k(copy),
                                copy.container, copy.arch >= 100 ? "sm_100" : "sm_90"})
          .from(source);
  if (described_k(copy) == copy.k) out.untouched = kUntouched;
  return out;
}

void check(const OperandCopy& copy) {
  const std::uint32_t bits = element_bits(copy);
  const std::uint32_t own_bits = source_bits(copy);
  const std::string& name = copy.name;
  require(copy.arch == 90 || copy.arch == 100, name, "arch is 90 or 100");
  require(copy.container == 0 || (copy.container == 8 && own_bits < 8), name,
          "container 8 is for elements of 4 and 6 bits");
  require(bits != 6, name, "6-bit elements are kept in containers");
  require(copy.arch >= 100 || copy.swizzle != SmemSwizzle::b128_32, name,
          "sm_90 has no 128-byte swizzle with 32-byte atoms");
  require(own_bits >= 8 || copy.k_major, name, "4- and 6-bit elements are K-major");
  require(copy.mn >= 1 && copy.k >= 1 && copy.mn <= kSmemEnd && copy.k <= kSmemEnd, name,
          "mn and k are 1 or more, and fit into shared memory");
  require((copy.k_major ? copy.k : copy.mn) % (128 / bits) == 0, name,
          "a row is a whole number of 16-byte cells");
  const SourceShape shape = source_shape(copy);
  require(std::uint64_t{shape.rows} * shape.cells <= (kSmemEnd - kSmemBegin) / 16, name,
          "the tile is larger than shared memory");
  require(copy.source_offset % 16 == 0 &&
              shape.pitch % (shape.cell_bytes == 12 ? 4 : shape.cell_bytes) == 0,
          name, "the rows of the source are not aligned to its cells");
  require(own_bits >= 8 || shape.pitch == shape.cells * shape.cell_bytes, name,
          "packed sources are dense");
  require(plus(copy.source_offset, times(shape.rows, shape.pitch)) <= kSourceBytes, name,
          "the copy reads behind the " + std::to_string(kSourceBytes) + " bytes of the source");
  const std::uint32_t k_step = copy.k_major ? 128 / bits : rows_per_atom(copy.swizzle);
  require(copy.slice_begin % k_step == 0 && copy.slice_begin <= copy.k &&
              described_k(copy) <= copy.k - copy.slice_begin,
          name, "the slice begins at a multiple of " + std::to_string(k_step) + " and ends with k");
  require(own_bits >= 8 || described_k(copy) == copy.k, name,
          "packed sources have no slices: a description cannot tell their pitch");
  require(copy.start_address % 16 == 0 && copy.leading_byte_offset % 16 == 0 &&
              copy.stride_byte_offset % 16 == 0 && copy.base_offset < 8,
          name, "descriptors count in 16 bytes, and base offsets are 0 to 7");
  require(copy.swizzle == SmemSwizzle::none || copy.start_address % 128 == 0, name,
          "swizzled tiles start at a multiple of 128 bytes");
  require(copy.start_address < 1u << 18 && copy.leading_byte_offset < 1u << 18 &&
              copy.stride_byte_offset < 1u << 18,
          name, "addresses and offsets are below 256 KiB");
  const OperandStore store = operand_store(copy);
  std::set<std::uint64_t> taken;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t cell = 0; cell < shape.cells; ++cell) {
      const std::uint32_t address = cell_address(store, row, cell);
      require(address >= kSmemBegin && address <= kSmemEnd - 16, name,
              "a cell lies outside of shared memory");
      require(taken.insert(address).second, name,
              "two cells share address " + std::to_string(address));
    }
  }
  check_window(name, window_of(copy));
}

Window window_of(const OperandCopy& copy) {
  if (copy.window.bytes != 0) return copy.window;
  const SourceShape shape = source_shape(copy);
  const OperandStore store = operand_store(copy);
  std::uint32_t low = kSmemEnd, high = kSmemBegin;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t cell = 0; cell < shape.cells; ++cell) {
      const std::uint32_t address = cell_address(store, row, cell);
      low = std::min(low, address / 128 * 128);
      high = std::max(high, (address / 128 + 1) * 128);
    }
  }
  return {low, std::min(high, kSmemEnd) - low};
}

}  // namespace lc::kernel
