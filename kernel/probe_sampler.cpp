#include "kernel/probe_sampler.h"

#include <algorithm>
#include <limits>

namespace lc::kernel {

namespace {

constexpr int kFirstFloat = 6;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT16

/// Bytes of the smallest step that all rules allow along dimension 0 of this map, in elements.
std::uint32_t elements_per_16_bytes(const TensorMapCall& map) {
  return 16 / element_bytes(map.data_type);
}

void choose_modes(Random& random, TensorMapCall& map) {
  map.data_type = static_cast<int>(random.below(13));
  map.interleave = random.percent(80) ? 0 : static_cast<int>(random.between(1, 2));
  map.swizzle = static_cast<int>(random.below(4));
  map.l2_promotion = static_cast<int>(random.below(4));
  map.oob_fill = map.data_type >= kFirstFloat && random.percent(50) ? 1 : 0;
}

/// Box and element strides, grown dimension by dimension while the tile stays small enough.
void choose_box(Random& random, TmaTile& tile, std::size_t rank, std::uint32_t most_bytes) {
  TensorMapCall& map = tile.map;
  const std::uint32_t granule = elements_per_16_bytes(map);
  std::uint32_t most = 256 / granule;
  if (map.interleave == 0 && map.swizzle != 0) most = std::min(most, 1u << map.swizzle);
  map.box_dim.assign(rank, 1);
  map.element_strides.assign(rank, 1);
  map.box_dim[0] = granule * (random.percent(40) ? most : random.between(1, most));
  while (footprint_bytes(tile) > most_bytes) map.box_dim[0] -= granule;
  if (random.percent(20)) map.element_strides[0] = random.between(1, 8);
  for (std::size_t i = 1; i < rank; ++i) {
    const std::size_t d = 1 + (i + rank) % (rank - 1);
    if (random.percent(30)) map.element_strides[d] = random.between(1, 8);
    map.box_dim[d] = 1;
    const std::uint64_t room = most_bytes / footprint_bytes(tile) * map.element_strides[d];
    const std::uint32_t top = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, 256));
    map.box_dim[d] = random.between(1, random.percent(50) ? std::min(top, 16u) : top);
  }
}

/// The encoder's own measure of the box, which counts dimension 0 in elements even with an
/// interleave and rounds steps down; it accepts up to 228 KiB (measured on H200).
bool encoder_accepts_size(const TensorMapCall& map) {
  std::uint64_t bytes = element_bytes(map.data_type);
  for (std::size_t d = 0; d < map.box_dim.size(); ++d) {
    bytes *= map.box_dim[d] / map.element_strides[d];
  }
  return bytes <= 228 * 1024;
}

/// Tensor around and inside of the box; strides that are multiples of 16, mostly not overlapping.
void choose_tensor(Random& random, TensorMapCall& map) {
  const std::uint32_t align = map.interleave == 2 ? 32 : 16;
  const std::uint32_t unit =
      map.interleave == 0 ? element_bytes(map.data_type) : 16u * map.interleave;
  std::uint64_t pitch = unit;
  for (std::size_t d = 0; d < map.box_dim.size(); ++d) {
    const std::uint32_t box = map.box_dim[d];
    map.global_dim.push_back(random.percent(25) ? box : random.between(1, 2 * box + 8));
    pitch = (pitch * map.global_dim[d] + align - 1) / align * align;
    if (random.percent(30)) pitch += align * random.below(8);
    if (random.percent(10)) pitch = align * random.between(1, 256);
    if (d + 1 < map.box_dim.size()) map.global_strides.push_back(pitch);
  }
}

void choose_coordinates(Random& random, TmaTile& tile) {
  const TensorMapCall& map = tile.map;
  tile.coordinates.clear();
  for (std::size_t d = 0; d < map.box_dim.size(); ++d) {
    const auto box = static_cast<std::int64_t>(map.box_dim[d]);
    const auto dim = static_cast<std::int64_t>(map.global_dim[d]);
    const std::int64_t low = -box - 1, high = dim + 1;
    std::int64_t c = low + random.below(static_cast<std::uint32_t>(high - low + 1));
    if (random.percent(50))
      c = random.below(static_cast<std::uint32_t>(std::max(dim - box, std::int64_t{1})));
    if (random.percent(1)) c = std::numeric_limits<std::int32_t>::min();
    if (random.percent(1)) c = std::numeric_limits<std::int32_t>::max();
    if (d == 0 && map.interleave == 0) {  // the first byte of a row is 16-byte aligned
      const std::int64_t granule = elements_per_16_bytes(map);
      c = (c >= 0 ? c : c - granule + 1) / granule * granule;
      c = std::max<std::int64_t>(c, std::numeric_limits<std::int32_t>::min());
    }
    tile.coordinates.push_back(static_cast<std::int32_t>(c));
  }
}

/// Some lines before and after the tile, which must stay as they are.
Window surrounded(Random& random, std::uint32_t begin, std::uint32_t bytes) {
  const std::uint32_t before = std::min(128 * random.below(3), begin - kSmemBegin);
  const std::uint32_t end = std::min(begin + bytes + 128 * random.below(3), kSmemEnd - 128);
  return {begin - before, end - begin + before};
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

TmaTile random_tma_tile(Random& random, std::uint32_t most_bytes) {
  while (true) {
    TmaTile tile;
    choose_modes(random, tile.map);
    const std::size_t rank = random.between(tile.map.interleave == 0 ? 1 : 3, 5);
    choose_box(random, tile, rank, most_bytes);
    if (!encoder_accepts_size(tile.map)) continue;
    choose_tensor(random, tile.map);
    tile.source_offset = 32 * std::uint64_t{random.below(1u << 15)};
    if (tile.map.interleave != 2 && random.percent(50)) tile.source_offset += 16;
    choose_coordinates(random, tile);
    const auto bytes = static_cast<std::uint32_t>((footprint_bytes(tile) + 127) / 128 * 128);
    const std::uint32_t last = (kSmemEnd - 1024 - bytes) / 128;
    tile.destination = 128 * (random.percent(80) ? random.between(8, 40) : random.between(8, last));
    tile.window = surrounded(random, tile.destination, bytes);
    try {
      check(tile);
      return tile;
    } catch (const SmemDumpError&) {
      // Reads behind the source: draw again.
    }
  }
}

namespace {

struct OperandKind {
  const char* element;
  unsigned container;
  std::uint32_t instruction_k;  ///< elements in one K step: 32 bytes of a row
  bool on_sm90, mn_major_sm90, mn_major_sm100;
};

/// What the descriptors of either architecture can describe (PTX ISA, "Supported matrix shapes and
/// majorness").  tf32 MN-major needs the swizzle with 32-byte atoms.
constexpr OperandKind kKinds[] = {
    {"f16", 0, 16, true, true, true},     {"bf16", 0, 16, true, true, true},
    {"tf32", 0, 8, true, false, true},    {"e4m3", 0, 32, true, false, true},
    {"e5m2", 0, 32, true, false, true},   {"i8", 0, 32, true, false, true},
    {"u8", 0, 32, true, false, true},     {"e2m1", 0, 64, false, false, false},
    {"e2m1", 8, 32, false, false, false}, {"e2m3", 8, 32, false, false, false},
    {"e3m2", 8, 32, false, false, false},
};

constexpr SmemSwizzle kSixteenByteAtoms[] = {SmemSwizzle::none, SmemSwizzle::b32, SmemSwizzle::b64,
                                             SmemSwizzle::b128};

void choose_operand(Random& random, OperandCopy& copy, const OperandKind& kind,
                    std::uint32_t most_bytes) {
  copy.element = kind.element;
  copy.container = kind.container;
  const std::uint32_t bits = element_bits(copy), cell = 128 / bits, step = kind.instruction_k;
  const bool none = copy.swizzle == SmemSwizzle::none;
  if (copy.k_major) {
    const std::uint32_t slices = none ? 4 : std::max(1u, span_bytes(copy.swizzle) / 32);
    copy.k = step * random.between(1, slices);
    const std::uint32_t row = copy.k * bits / 8;
    copy.mn = 8 * random.between(1, std::clamp(most_bytes / row / 8, 1u, 32u));
  } else {
    copy.k = step * random.between(1, 3);
    const std::uint32_t column = copy.k * 16;  // bytes of all cells of one column of cells
    copy.mn = cell * random.between(1, std::clamp(most_bytes / column, 1u, 256u / cell));
  }
  if (copy.k > step && step <= 32 && kind.container == 0 && random.percent(40)) {
    copy.slice_begin = step * random.below(copy.k / step);
    copy.slice_k = step;
  }
}

/// LBO and SBO: one axis inside the other, either way, with or without gaps.
void choose_strides(Random& random, OperandCopy& copy) {
  const SourceShape shape = source_shape(copy);
  const std::uint32_t span = span_bytes(copy.swizzle), rows = rows_per_atom(copy.swizzle);
  const bool none = copy.swizzle == SmemSwizzle::none;
  const std::uint32_t align = none ? 16 : 128;
  const std::uint32_t groups = (shape.rows + rows - 1) / rows;
  const std::uint32_t atoms = (shape.cells * 16 + span - 1) / span;
  const auto padded = [&](std::uint32_t bytes) {
    return bytes + (random.percent(30) ? align * random.between(1, 4) : 0);
  };
  std::uint32_t along_rows, along_cells;
  if (random.percent(50)) {
    along_rows = padded(rows * span);
    along_cells = padded(groups * along_rows);
  } else {
    along_cells = padded(rows * span);
    along_rows = padded(atoms * along_cells);
  }
  if (atoms == 1) along_cells = 16 * random.below(64);  // not read
  if (groups == 1) along_rows = 16 * random.below(64);
  const bool rows_by_sbo = copy.k_major || !none;
  copy.stride_byte_offset = rows_by_sbo ? along_rows : along_cells;
  copy.leading_byte_offset = rows_by_sbo ? along_cells : along_rows;
  if (copy.k_major && !none) copy.leading_byte_offset = random.percent(70) ? 16 : 0;
}

void choose_place(Random& random, OperandCopy& copy) {
  const bool none = copy.swizzle == SmemSwizzle::none;
  copy.start_address = none ? kSmemBegin + 16 * random.below(256) : 128 * random.between(8, 40);
  copy.buffer_keys = !none && copy.swizzle != SmemSwizzle::b128_32 && random.percent(40);
  copy.base_offset = base_offset_for(copy);
  const SourceShape shape = source_shape(copy);
  if (element_bits(copy) >= 8 && shape.cell_bytes == 16 && random.percent(60)) {
    copy.source_pitch = shape.pitch + 16 * random.below(16);
  }
  copy.source_offset = 16 * std::uint64_t{random.below(1u << 18)};
}

}  // namespace

OperandCopy random_operand_copy(Random& random, std::uint32_t most_bytes) {
  while (true) {
    OperandCopy copy;
    const OperandKind& kind = kKinds[random.below(sizeof kKinds / sizeof kKinds[0])];
    copy.arch = kind.on_sm90 && random.percent(50) ? 90 : 100;
    const bool mn_major = copy.arch == 90 ? kind.mn_major_sm90 : kind.mn_major_sm100;
    copy.k_major = !mn_major || random.percent(50);
    copy.swizzle = kSixteenByteAtoms[random.below(4)];
    if (!copy.k_major && std::string(kind.element) == "tf32") copy.swizzle = SmemSwizzle::b128_32;
    choose_operand(random, copy, kind, most_bytes);
    choose_strides(random, copy);
    choose_place(random, copy);
    const Window tight = window_of(copy);
    copy.window = surrounded(random, tight.begin, tight.bytes);
    try {
      check(copy);
      return copy;
    } catch (const SmemDumpError&) {
      // Too large with its gaps: draw again.
    }
  }
}

}  // namespace lc::kernel
