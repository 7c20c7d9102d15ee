#include "sim/machine/tmem_movement.h"

#include <vector>

#include "sim/layout/operand.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tmem_movement_tests)

namespace {

std::uint32_t mark(std::uint32_t lane, std::uint32_t column) {
  return lane << 16 | column | 0x5000;
}

TensorMemory marked_memory() {
  TensorMemory memory;
  memory.allocate(512, 1);
  for (std::uint32_t lane = 0; lane < kTmemLanes; ++lane) {
    for (std::uint32_t c = 0; c < kTmemColumns; ++c) memory.write(lane, c, mark(lane, c));
  }
  return memory;
}

template <class Visit>
void for_each_transfer(Visit&& visit) {
  for (std::size_t s = 0; s < kTmemShapeCount; ++s) {
    for (std::uint32_t num = 1; num <= 128; num *= 2) {
      for (const bool pack : {false, true}) {
        for (std::uint32_t warp = 0; warp < 8; ++warp) {
          TmemTransfer x;
          x.shape = static_cast<TmemShape>(s);
          x.num = num;
          x.pack = pack;
          x.warp = warp;
          x.address = 0;
          if (x.shape == TmemShape::s16x32bx2) x.half_split_offset = 16u << 16;
          if (!check_tmem_transfer(x).has_error()) visit(x);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_load_sees_the_cells_of_the_map_and_a_store_puts_them_back) {
  const TensorMemory source = marked_memory();
  std::size_t count = 0;
  for_each_transfer([&](const TmemTransfer& x) {
    std::vector<std::uint32_t> registers(std::size_t{x.registers()} * 32, 0xFFFFFFFF);
    tmem_load(source, x, registers);
    for (std::uint32_t r = 0; r < x.registers(); ++r) {
      for (std::uint32_t t = 0; t < 32; ++t) {
        const TmemOffset low = tmem_cell(x, t, r, 0);
        std::uint32_t want = mark(low.lane, low.column);
        if (x.pack) {
          const TmemOffset high = tmem_cell(x, t, r, 1);
          want = (want & 0xFFFF) | mark(high.lane, high.column) << 16;
        }
        BOOST_TEST_REQUIRE(registers[r * 32 + t] == want);
      }
    }
    TensorMemory target;
    target.allocate(512, 1);
    tmem_store(target, x, registers);
    std::vector<std::uint32_t> back(registers.size());
    tmem_load(target, x, back);
    BOOST_TEST_REQUIRE((back == registers));
    ++count;
  });
  BOOST_TEST(count > 400u);
}

BOOST_AUTO_TEST_CASE(a_warp_reaches_its_own_lanes_and_allocated_columns_only) {
  TensorMemory memory;
  memory.allocate(32, 1);
  std::vector<std::uint32_t> registers(32 * 32);
  TmemTransfer x;
  x.num = 32;
  const auto rule = [&] { return rule_broken([&] { tmem_load(memory, x, registers); }); };
  BOOST_TEST(rule() == "");
  x.address = 1;
  BOOST_TEST(rule() == "tmem.unallocated");
  x.address = 500;
  BOOST_TEST(rule() == "tmem.transfer-columns");
  x.address = 16u << 16;
  BOOST_TEST(rule() == "tmem.transfer-base");
  x.address = 32u << 16;
  BOOST_TEST(tmem_load(memory, x, registers).count ==
             1u);  // a warning: the warp reaches lanes 0 ..
  x.warp = 1;
  BOOST_TEST(tmem_load(memory, x, registers).count == 0u);
  x.num = 3;
  BOOST_TEST(rule() == "tmem.num");
  x.num = 16;
  BOOST_TEST(rule() == "tmem.registers");
}

BOOST_AUTO_TEST_CASE(copies_bring_every_byte_to_every_place) {
  SharedMemory shared(0x4000);
  for (std::uint32_t i = 0; i < 0x4000; ++i) {
    *shared.bytes(0x400 + i, 1, 1, Access::write) = static_cast<std::byte>(i * 37 + i / 256);
  }
  for (std::size_t s = 0; s < kTmemCopyShapeCount; ++s) {
    for (const Swizzle swizzle : kOperandSwizzles) {
      const TmemCopyRow shape = tmem_copy_row(static_cast<TmemCopyShape>(s));
      const std::uint32_t span = swizzle_row(swizzle).span;
      const SmemDescriptor d{0x400, 4096, 8 * span, 0, LboMode::relative, swizzle};
      TensorMemory memory;
      memory.allocate(32, 1);
      TmemCopy copy;
      copy.shape = shape.shape;
      copy.descriptor = encode_smem_descriptor(Arch::sm_100, d);
      copy.address = 3;
      tmem_copy(memory, shared, copy);
      const OperandLayout rows = operand_layout(d, Major::k, Element::u8);
      for (std::uint32_t r = 0; r < shape.rows; ++r) {
        for (std::uint32_t b = 0; b < shape.bytes; ++b) {
          const auto want = std::to_integer<std::uint32_t>(*shared.bytes(rows.address(r, b), 1, 1));
          for (std::uint32_t c = 0; c < shape.copies; ++c) {
            const std::uint32_t lane = tmem_copy_lane(shape.shape, r, c);
            const std::uint32_t cell = memory.read(lane, 3 + b / 4);
            BOOST_TEST_REQUIRE((cell >> 8 * (b % 4) & 0xFF) == want, shape.name);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(decompression_makes_a_byte_of_every_code) {
  for (const auto& [format, bits, shift] :
       {std::tuple{TmemDecompression::b6x16_p32, 6u, 1u}, {TmemDecompression::b4x16_p64, 4u, 2u}}) {
    SharedMemory shared(512);
    for (std::uint32_t chunk = 0; chunk < 32; ++chunk) {
      for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t code = (chunk * 5 + i * 3) & ((1u << bits) - 1);
        for (std::uint32_t b = 0; b < bits; ++b) {
          const std::uint32_t at = i * bits + b;
          std::byte& byte = *shared.bytes(0x400 + 16 * chunk + at / 8, 1, 1, Access::write);
          byte |= static_cast<std::byte>((code >> b & 1) << at % 8);
        }
      }
    }
    TensorMemory memory;
    memory.allocate(32, 1);
    TmemCopy copy;
    copy.shape = TmemCopyShape::c32x128b;
    copy.format = format;
    copy.descriptor =
        encode_smem_descriptor(Arch::sm_100, {0x400, 16, 128, 0, LboMode::relative, Swizzle::none});
    tmem_copy(memory, shared, copy);
    for (std::uint32_t lane = 0; lane < 128; ++lane) {
      for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t code = (lane % 32 * 5 + i * 3) & ((1u << bits) - 1);
        BOOST_TEST_REQUIRE((memory.read(lane, i / 4) >> 8 * (i % 4) & 0xFF) == code << shift);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(bad_copies_are_faults) {
  SharedMemory shared(512);
  TensorMemory memory;
  memory.allocate(32, 1);
  const auto rule = [&](std::uint64_t descriptor, std::uint32_t address) {
    TmemCopy copy;
    copy.shape = TmemCopyShape::c32x128b;
    copy.descriptor = descriptor;
    copy.address = address;
    return rule_broken([&] { tmem_copy(memory, shared, copy); });
  };
  const std::uint64_t good =
      encode_smem_descriptor(Arch::sm_100, {0x400, 16, 128, 0, LboMode::relative, Swizzle::none});
  BOOST_TEST(rule(good, 0) == "");
  BOOST_TEST(rule(good, 29) == "tmem.unallocated");
  BOOST_TEST(rule(good, 510) == "tmem.out-of-bounds");
  BOOST_TEST(rule(good, 16u << 16) == "tmem.out-of-bounds");
  BOOST_TEST(rule(good + 1, 0) == "shared.out-of-bounds");
  BOOST_TEST(rule(good | std::uint64_t{3} << 61, 0) == "smem_descriptor.swizzle-code");
}

BOOST_AUTO_TEST_CASE(a_shift_moves_31_rows_of_one_sub_partition) {
  TensorMemory memory = marked_memory();
  tmem_shift(memory, 32u << 16 | 16);
  for (std::uint32_t lane = 0; lane < kTmemLanes; ++lane) {
    for (std::uint32_t c = 0; c < 40; ++c) {
      const bool moved = lane >= 32 && lane < 63 && c >= 16 && c < 24;
      BOOST_TEST_REQUIRE(memory.read(lane, c) == mark(moved ? lane + 1 : lane, c));
    }
  }
  BOOST_TEST(rule_broken([&] { tmem_shift(memory, 16u << 16); }) == "tmem.shift-lane");
  BOOST_TEST(rule_broken([&] { tmem_shift(memory, 508); }) == "tmem.out-of-bounds");
}

BOOST_AUTO_TEST_SUITE_END()
