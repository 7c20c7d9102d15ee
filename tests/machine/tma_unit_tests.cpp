#include "sim/machine/tma_unit.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/layout/tma_golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tma_unit_tests)

namespace {

constexpr std::uint64_t kBase = 0x10000000;
constexpr std::byte kUntouched{0xCD};

/// Global memory as the captured copies found it.
GlobalMemory& filled_memory(const golden::Filled& source) {
  static std::map<int, std::unique_ptr<GlobalMemory>> memories;
  auto& memory = memories[source.kind];
  if (memory) return *memory;
  constexpr std::uint64_t kSize = 16 << 20;
  memory = std::make_unique<GlobalMemory>();
  BOOST_REQUIRE(memory->allocate_at(kBase, kSize));
  std::byte* at = memory->bytes(kBase, kSize, 4, Access::write);
  for (std::uint64_t i = 0; i < kSize / 4; ++i) {
    const std::uint32_t word = source.word(i);
    std::memcpy(at + 4 * i, &word, 4);
  }
  return *memory;
}

/// Through the 128 bytes: what the unit of a program sees.
TensorMapObject through_bytes(const TensorMapObject& object) {
  std::array<std::byte, 128> bytes;
  store_words(encode_object(object), bytes);
  return decode_object(words_of(bytes));
}

TensorMapObject tiled(const TensorMap& map) {
  TensorMapObject object;
  object.tiled = map;
  return through_bytes(object);
}

TensorMapObject captured_map(const golden::Row& row) {
  TensorMapObject object;
  object.tiled = golden::tensor_map(row, kBase + row.unsigned_number("goff"));
  object.im2col = row.has("pixels");
  if (object.im2col) {
    object.column.tensor = object.tiled;
    for (int i = 0; i < kMaxSpatial; ++i) {
      object.column.lower[i] = row.number(golden::indexed("lo", i));
      object.column.upper[i] = row.number(golden::indexed("hi", i));
    }
    object.column.channels_per_pixel = row.unsigned_number("channels");
    object.column.pixels_per_column = row.unsigned_number("pixels");
  }
  return through_bytes(object);
}

TensorCopy captured_copy(const golden::Row& row, const char* smem) {
  TensorCopy copy;
  copy.mode = row.has("pixels") ? TmaMode::im2col : TmaMode::tile;
  copy.rank = static_cast<int>(row.number("rank"));
  copy.first = golden::coordinates(row);
  for (int i = 0; i < kMaxSpatial && copy.mode == TmaMode::im2col; ++i) {
    copy.offsets.at[i] = static_cast<std::uint32_t>(row.unsigned_number(golden::indexed("o", i)));
  }
  // Records that faulted have no base: shared memory began at 1024 all the same.
  copy.smem_offset = kSharedReserved + row.unsigned_number(smem);
  return copy;
}

/// "ok" or the fault, as the records spell it.
std::string outcome_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Fault& fault) {
    return fault.kind == FaultKind::misaligned_address ? "misaligned_address"
                                                       : "illegal_instruction";
  }
  return "ok";
}

SharedMemory whole_window(std::byte fill) {
  return SharedMemory(kSharedLimit - kSharedReserved, fill);
}

/// All words of the window from the first usable byte on.
void fill_shared(SharedMemory& shared, const golden::Filled& source) {
  std::byte* at = shared.bytes(kSharedReserved, shared.size() - kSharedReserved, 4, Access::write);
  for (std::uint32_t i = 0; i < (shared.size() - kSharedReserved) / 4; ++i) {
    const std::uint32_t word = source.word(i);
    std::memcpy(at + 4 * i, &word, 4);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_captured_load_arrives_byte_for_byte) {
  std::size_t loads = 0, faults = 0;
  for (const char* name :
       {"h200/tma_load", "h200/tma_multicast", "h200/tma_more", "h200/im2col_load"}) {
    const golden::Table table = golden::load(name);
    golden::for_each_row(table, [&](const golden::Row& row) {
      if (row.text("result") == "encode_1") return;
      const TensorMapObject map = captured_map(row);
      const TensorCopy copy = captured_copy(row, "dst");
      BOOST_TEST_CONTEXT(name << " record " << row.id()) {
        TmaPlan plan;
        const std::string outcome =
            outcome_of([&] { plan = plan_load(map, copy, Arch::sm_90, kSharedLimit); });
        BOOST_TEST_REQUIRE(outcome == row.text("result"));
        if (outcome != "ok") {
          ++faults;
          return;
        }
        ++loads;
        const char* counted = row.has("tx_counted") ? "tx_counted" : "tx";
        BOOST_TEST_REQUIRE(plan.transaction_bytes() == row.unsigned_number(counted));
        const auto packed = read_global(plan, filled_memory(golden::load_source(row)));
        const bool multicast = row.has("mask");
        const auto mask = static_cast<std::uint16_t>(multicast ? row.number("mask") : 1);
        const std::uint32_t ctas = multicast ? 2 : 1;
        std::vector<SharedMemory> shared(ctas, whole_window(kUntouched));
        for (const TmaDestination& d :
             tma_destinations(0, 0, multicast ? &mask : nullptr, 1, ctas)) {
          BOOST_TEST_REQUIRE(d.barrier_rank == d.rank);
          write_shared(plan, packed, shared[d.rank]);
        }
        const std::uint64_t size = row.unsigned_number("len") / ctas;
        for (std::uint32_t cta = 0; cta < ctas; ++cta) {
          const std::byte* got =
              shared[cta].bytes(row.unsigned_number("base"), size, 1, Access::read);
          BOOST_TEST_REQUIRE(std::memcmp(got, row.piece() + cta * size, size) == 0);
        }
      }
    });
  }
  BOOST_TEST(loads == 463u + 9u + 92u + 348u);
  BOOST_TEST(faults > 50u);
}

// Reductions included: each target is as the records found it.
BOOST_AUTO_TEST_CASE(every_captured_store_and_reduction_writes_these_bytes) {
  std::size_t stores = 0, reductions = 0;
  const golden::Table table = golden::load("h200/tma_store");
  GlobalMemory memory;
  constexpr std::uint64_t kSize = 2 << 20;
  BOOST_REQUIRE(memory.allocate_at(kBase, kSize));
  golden::for_each_row(table, [&](const golden::Row& row) {
    if (row.text("result") == "encode_1") return;
    const TmaOperation operation = *value_of<TmaOperation>(row.text("op"));
    BOOST_TEST_CONTEXT("record " << row.id() << " " << row.text("op") << " " << row.text("dtype")) {
      TmaPlan plan;
      const TensorMapObject map = captured_map(row);
      const TensorCopy copy = captured_copy(row, "src");
      const std::string outcome =
          outcome_of([&] { plan = plan_store(map, copy, operation, Arch::sm_90, kSharedLimit); });
      BOOST_TEST_REQUIRE(outcome == row.text("result"));
      if (outcome != "ok") return;
      const bool plain = operation == TmaOperation::store;
      (plain ? stores : reductions) += 1;
      const bool specials = row.text("fill") == "special";
      const auto kind = specials ? golden::Filled::specials : golden::Filled::hashes;
      const std::uint64_t size = row.unsigned_number("len");
      std::byte* window =
          memory.bytes(kBase + row.unsigned_number("win_off"), size, 1, Access::write);
      const golden::Filled target{kind, golden::kTargetSeed};
      for (std::uint64_t i = 0; i < size; ++i) {
        // The special target starts at another index of the pattern.
        const std::uint64_t skipped = specials ? 0x100003 * std::uint64_t{4} : 0;
        window[i] = plain ? kUntouched : std::byte{target.byte(i + skipped)};
      }
      SharedMemory shared = whole_window(kUntouched);
      fill_shared(shared, {kind, golden::kStoreSeed});
      write_global(plan, read_shared(plan, shared), operation, memory);
      for (std::uint64_t i = 0; i < size; ++i) {
        BOOST_TEST_REQUIRE(std::to_integer<int>(window[i]) == int{row.piece()[i]}, "byte " << i);
      }
    }
  });
  BOOST_TEST(stores == 176u);
  BOOST_TEST(reductions == 23u);
}

BOOST_AUTO_TEST_CASE(every_captured_im2col_store_writes_these_bytes) {
  std::size_t stores = 0;
  const golden::Table table = golden::load("h200/im2col_store");
  GlobalMemory memory;
  constexpr std::uint64_t kSize = 4 << 20;
  BOOST_REQUIRE(memory.allocate_at(kBase, kSize));
  SharedMemory shared = whole_window(kUntouched);
  fill_shared(shared, {golden::Filled::counting});
  golden::for_each_row(table, [&](const golden::Row& row) {
    BOOST_TEST_CONTEXT("record " << row.id()) {
      TmaPlan plan;
      const TensorMapObject map = captured_map(row);
      const TensorCopy copy = captured_copy(row, "dst");
      const std::string outcome = outcome_of(
          [&] { plan = plan_store(map, copy, TmaOperation::store, Arch::sm_90, kSharedLimit); });
      BOOST_TEST_REQUIRE(outcome == row.text("result"));
      if (outcome != "ok") return;
      ++stores;
      std::byte* all = memory.bytes(kBase, kSize, 1, Access::write);
      std::memset(all, 0xCD, kSize);
      write_global(plan, read_shared(plan, shared), TmaOperation::store, memory);
      const std::byte* window = all + row.unsigned_number("goff") - 2048;
      const std::uint64_t size = row.unsigned_number("len");
      BOOST_TEST_REQUIRE(std::memcmp(window, row.piece(), size) == 0);
    }
  });
  BOOST_TEST(stores > 80u);
}

namespace {

TensorMap small_map() {
  TensorMap map;
  map.data_type = DataType::f16;
  map.rank = 2;
  map.global_address = kBase;
  map.global_dim = {64, 20};
  map.global_stride = {128};
  map.box_dim = {64, 4};
  map.swizzle = Swizzle::b128;
  return map;
}

TensorCopy tile_copy(std::int64_t c0, std::int64_t c1, std::uint64_t smem = 0x400) {
  TensorCopy copy;
  copy.rank = 2;
  copy.first = {c0, c1};
  copy.smem_offset = smem;
  return copy;
}

}  // namespace

// Four tiled copies of one row, one under the other, are the other way to say it.
BOOST_AUTO_TEST_CASE(a_gather_is_four_rows_of_a_tile_and_a_scatter_puts_them_back) {
  GlobalMemory& memory = filled_memory({golden::Filled::counting});
  TensorMap one_row = small_map();
  one_row.box_dim[1] = 1;
  const std::int64_t rows[4] = {7, 2, 30, 2};
  TensorCopy gather = tile_copy(0, 0);
  gather.mode = TmaMode::gather4;
  std::copy(rows, rows + 4, gather.rows);
  const TmaPlan plan = plan_load(tiled(one_row), gather, Arch::sm_100, kSharedLimit);
  BOOST_TEST(plan.transaction_bytes() == 512u);
  SharedMemory gathered(0x1000), piecewise(0x1000);
  write_shared(plan, read_global(plan, memory), gathered);
  for (int i = 0; i < 4; ++i) {
    const TmaPlan row = plan_load(tiled(one_row), tile_copy(0, rows[i], 0x400 + 128u * i),
                                  Arch::sm_100, kSharedLimit);
    write_shared(row, read_global(row, memory), piecewise);
  }
  BOOST_TEST(std::memcmp(gathered.window().data(), piecewise.window().data(), 0x1400) == 0);

  GlobalMemory target;
  BOOST_REQUIRE(target.allocate_at(kBase, 20 * 128));
  const TmaPlan scatter =
      plan_store(tiled(one_row), gather, TmaOperation::store, Arch::sm_100, kSharedLimit);
  write_global(scatter, read_shared(scatter, gathered), TmaOperation::store, target);
  for (std::uint64_t row = 0; row < 20; ++row) {
    const std::byte* got = target.bytes(kBase + row * 128, 128, 1, Access::read);
    const std::byte* want = memory.bytes(kBase + row * 128, 128, 1, Access::read);
    std::byte zero[128] = {};
    const bool moved = row == 7 || row == 2;
    BOOST_TEST(std::memcmp(got, moved ? want : zero, 128) == 0);
  }
  gather.rows[3] = -1;
  BOOST_TEST(rule_broken([&] {
               plan_store(tiled(one_row), gather, TmaOperation::store, Arch::sm_100, kSharedLimit);
             }) == "tma.store-negative");
  BOOST_TEST(rule_broken([&] {
               plan_load(tiled(small_map()), gather, Arch::sm_100, kSharedLimit);
             }) == "tma.gather-box");
}

BOOST_AUTO_TEST_CASE(a_copy_that_leaves_memory_faults_and_its_neighbour_does_not) {
  GlobalMemory memory;
  BOOST_REQUIRE(memory.allocate_at(kBase, 64 * 2 * 4));  // 4 of the 20 rows that the map claims
  const TensorMapObject map = tiled(small_map());
  const auto load = [&](std::int64_t row, std::uint64_t smem, std::uint32_t window) {
    return rule_broken([&] {
      SharedMemory shared(window - kSharedReserved);
      const TmaPlan plan = plan_load(map, tile_copy(0, row, smem), Arch::sm_90, window);
      write_shared(plan, read_global(plan, memory), shared);
    });
  };
  BOOST_TEST(load(0, 0x400, 0x600) == "");
  BOOST_TEST(load(1, 0x400, 0x600) == "global.out-of-bounds");
  BOOST_TEST(load(20, 0x400, 0x600) == "");  // all of it is fill
  BOOST_TEST(load(0, 0x480, 0x600) == "shared.out-of-bounds");
  BOOST_TEST(load(0, 0x380, 0x600) == "shared.reserved");
  BOOST_TEST(load(0, 0x440, 0x1000) == "tma.smem-alignment");
}

BOOST_AUTO_TEST_CASE(a_prefetch_knows_the_rules_of_a_load_but_moves_nothing) {
  const auto rule = [&](const TensorCopy& copy) {
    return rule_broken([&] { check_prefetch(tiled(small_map()), copy, Arch::sm_90); });
  };
  BOOST_TEST(rule(tile_copy(8, -100)) == "");
  BOOST_TEST(rule(tile_copy(4, 0)) == "tma.coordinate-alignment");
}

BOOST_AUTO_TEST_CASE(the_map_the_mode_and_the_rank_must_agree) {
  const TensorMapObject map = tiled(small_map());
  TensorCopy copy = tile_copy(0, 0);
  copy.rank = 3;
  const auto rule = [&] {
    return rule_broken([&] { plan_load(map, copy, Arch::sm_90, kSharedLimit); });
  };
  BOOST_TEST(rule() == "tma.rank");
  copy.rank = 2;
  BOOST_TEST(rule() == "");
  copy.mode = TmaMode::im2col;
  BOOST_TEST(rule() == "tma.mode");
}

// The encoder's size check rounds down, so it lets boxes of 2^40 rows pass.
BOOST_AUTO_TEST_CASE(a_box_larger_than_shared_memory_is_refused_before_it_is_walked) {
  TensorMap map = small_map();
  map.rank = 5;
  map.global_dim = {64, 20, 20, 20, 20};
  map.global_stride = {128, 128, 128, 128};
  map.box_dim = {64, 256, 256, 256, 7};
  map.element_stride = {1, 1, 1, 1, 8};
  BOOST_REQUIRE(is_accepted(map, Arch::sm_90));
  TensorCopy copy = tile_copy(0, 0);
  copy.rank = 5;
  BOOST_TEST(rule_broken([&] { plan_load(tiled(map), copy, Arch::sm_90, kSharedLimit); }) ==
             "shared.out-of-bounds");
}

// 6-bit codes spread over bytes come back packed: byte i of a cell is code i.
BOOST_AUTO_TEST_CASE(a_store_of_6_bit_elements_packs_them) {
  TensorMap map = small_map();
  map.data_type = DataType::u6x16_align16b;
  map.global_dim = {128, 2};
  map.global_stride = {96};
  map.box_dim = {128, 1};
  const TensorMapObject object = tiled(map);
  BOOST_TEST((object.tiled.data_type == map.data_type));
  SharedMemory shared(0x400);
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uint64_t at = swizzled(map.swizzle, 0x480 + i);
    *shared.bytes(at, 1, 1, Access::write) = static_cast<std::byte>(0xC0 | (i * 7 & 63));
  }
  GlobalMemory memory;
  BOOST_REQUIRE(memory.allocate_at(kBase, 192));
  const TmaPlan plan =
      plan_store(object, tile_copy(0, 0, 0x480), TmaOperation::store, Arch::sm_100, shared.size());
  write_global(plan, read_shared(plan, shared), TmaOperation::store, memory);
  const std::byte* got = memory.bytes(kBase, 96, 1, Access::read);
  for (std::uint32_t i = 0; i < 128; ++i) {
    std::uint32_t code = 0;
    for (std::uint32_t bit = 0; bit < 6; ++bit) {
      const std::uint32_t at = 6 * i + bit;
      code |= (std::to_integer<std::uint32_t>(got[at / 8]) >> at % 8 & 1) << bit;
    }
    BOOST_TEST_REQUIRE(code == (i * 7 & 63));
  }
}

// A row of 32 bytes under a 128-byte span leaves gaps, which the swizzle moves about.
BOOST_AUTO_TEST_CASE(a_barrier_is_overwritten_exactly_where_bytes_land) {
  TensorMap map = small_map();
  map.box_dim = {16, 4};
  const TmaPlan plan = plan_load(tiled(map), tile_copy(0, 0), Arch::sm_90, kSharedLimit);
  std::uint64_t bytes = 0;
  for (const SharedPiece& piece : shared_pieces(plan)) bytes += piece.bytes;
  BOOST_TEST(bytes == plan.transaction_bytes());
  for (std::uint32_t at = 0x400; at < 0x620; at += 8) {
    SharedMemory shared(0x400);
    MbarrierUnit barriers;
    barriers.init(shared, at, 1);
    const std::uint64_t row = (at - 0x400) / 128, linear = swizzled(map.swizzle, at);
    const bool hit = row < 4 && linear % 128 < 32;
    BOOST_TEST(overwritten_barriers(plan, barriers).size() == (hit ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(destinations_follow_the_mask_and_the_pair) {
  using List = std::vector<TmaDestination>;
  const std::uint32_t one = shared_address(1, 0x400), two = shared_address(2, 0x400);
  const std::uint16_t mask = 0b1101;
  BOOST_TEST((tma_destinations(one, one, nullptr, 1, 4) == List{{1, 1}}));
  BOOST_TEST((tma_destinations(one, 0x400, nullptr, 2, 4) == List{{1, 0}}));
  BOOST_TEST((tma_destinations(0, 0, &mask, 1, 4) == List{{0, 0}, {2, 2}, {3, 3}}));
  BOOST_TEST((tma_destinations(0, 0, &mask, 2, 4) == List{{0, 0}, {2, 2}, {3, 2}}));
  BOOST_TEST((tma_destinations(0, one, &mask, 2, 4) == List{{0, 1}, {2, 3}, {3, 3}}));
  const std::uint16_t none = 0;
  BOOST_TEST(tma_destinations(0, 0, &none, 1, 4).empty());
  const auto rule = [](std::uint32_t to, std::uint32_t barrier, const std::uint16_t* m, int group,
                       std::uint32_t size) {
    return rule_broken([&] { tma_destinations(to, barrier, m, group, size); });
  };
  BOOST_TEST(rule(one, 0x400, nullptr, 1, 4) == "tma.barrier-cta");
  BOOST_TEST(rule(one, two, nullptr, 2, 4) == "tma.barrier-cta");
  BOOST_TEST(rule(two, two, nullptr, 1, 2) == "shared.no-such-cta");
  BOOST_TEST(rule(0, 0, &mask, 1, 2) == "tma.multicast-mask");
}

BOOST_AUTO_TEST_SUITE_END()
