#include "kernel/probe_presets.h"

namespace lc::kernel {

namespace {

constexpr std::uint32_t kM = 128, kN = 128, kBlockK = 32, kStageBytes = 8192;

OperandCopy a_tile(std::uint32_t stage) {
  OperandCopy a;
  a.name = "A.stage" + std::to_string(stage);
  a.arch = 100;
  a.swizzle = SmemSwizzle::b64;
  a.mn = kM;
  a.k = kBlockK;
  a.start_address = 0x400 + stage * kStageBytes;
  a.stride_byte_offset = 512;
  a.source_pitch = 2 * 256;  // A is 128 x 256
  a.source_offset = stage * kBlockK * 2;
  return a;
}

OperandCopy b_tile(std::uint32_t stage) {
  OperandCopy b;
  b.name = "B.stage" + std::to_string(stage);
  b.arch = 100;
  b.k_major = false;
  b.swizzle = SmemSwizzle::b128;
  b.mn = kN;
  b.k = kBlockK;
  b.start_address = 0x4400 + stage * kStageBytes;
  b.leading_byte_offset = 1024;
  b.stride_byte_offset = 2048;
  b.source_pitch = 2 * 128;  // B is 256 x 128
  b.source_offset = 0x100000 + stage * kBlockK * b.source_pitch;
  return b;
}

OperandCopy slice(OperandCopy tile, std::uint32_t begin) {
  tile.slice_begin = begin;
  tile.slice_k = 16;
  tile.name += ".k" + std::to_string(begin) + "to" + std::to_string(begin + 15);
  return tile;
}

/// A of 16 rows, 128 bytes behind a 512-byte boundary.
OperandCopy shifted_tile(bool buffer_keys, std::uint32_t base_offset) {
  OperandCopy a = a_tile(0);
  a.name = std::string("A.shifted.") + (buffer_keys ? "buffer_keys" : "address_keys") +
           ".base_offset" + std::to_string(base_offset);
  a.mn = 16;
  a.start_address = 0x480;
  a.buffer_keys = buffer_keys;
  a.base_offset = base_offset;
  return a;
}

TmaTile half_tile(const std::string& name, int swizzle, std::vector<std::uint64_t> dim,
                  std::vector<std::uint64_t> strides, std::vector<std::uint32_t> box,
                  std::vector<std::int32_t> coordinates) {
  TmaTile tile;
  tile.name = name;
  tile.map.data_type = 6;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT16
  tile.map.global_dim = std::move(dim);
  tile.map.global_strides = std::move(strides);
  tile.map.element_strides.assign(box.size(), 1);
  tile.map.box_dim = std::move(box);
  tile.map.swizzle = swizzle;
  tile.coordinates = std::move(coordinates);
  return tile;
}

}  // namespace

std::vector<OperandCopy> tcgen05_tile_preset() {
  return {a_tile(0),
          a_tile(1),
          b_tile(0),
          b_tile(1),
          slice(a_tile(0), 0),
          slice(a_tile(0), 16),
          slice(b_tile(0), 0),
          slice(b_tile(0), 16),
          shifted_tile(false, 0),
          shifted_tile(true, 1)};
}

std::vector<OperandCopy> base_offset_mistakes() {
  return {shifted_tile(false, 1), shifted_tile(true, 0)};
}

std::vector<TmaTile> grouped_box_preset() {
  const auto flat = [](const char* name, int swizzle) {
    return half_tile(name, swizzle, {128, 16}, {256}, {64, 8}, {0, 0});
  };
  const auto grouped = [](const char* name, int swizzle, std::int32_t group) {
    return half_tile(name, swizzle, {64, 16, 4}, {512, 128}, {64, 16, 2}, {0, 0, group});
  };
  return {flat("tile_8x64.none", 0), flat("tile_8x64.128B", 3),
          grouped("slice_16x128.none.columns0", 0, 0), grouped("slice_16x128.128B.columns0", 3, 0),
          grouped("slice_16x128.128B.columns128", 3, 2)};
}

}  // namespace lc::kernel
