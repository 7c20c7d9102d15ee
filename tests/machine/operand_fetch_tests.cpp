#include "sim/machine/operand_fetch.h"

#include <cstring>
#include <map>
#include <set>

#include "tests/golden.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(operand_fetch_tests)

namespace {

const std::map<std::string, Element> kTypes = {{"f16", Element::f16},   {"bf16", Element::bf16},
                                               {"tf32", Element::tf32}, {"e4m3", Element::e4m3},
                                               {"e5m2", Element::e5m2}, {"s8", Element::i8},
                                               {"u8", Element::u8}};

constexpr std::uint32_t kFirst = 0x400, kEnd = 0x38000;  // what the probes could tell apart

/// A window in which every 16-byte cell names itself in each of its elements.
SharedMemory named_cells(std::uint32_t bytes, bool high) {
  SharedMemory shared(kSharedLimit - kSharedReserved);
  for (std::uint32_t at = kFirst; at < kSharedLimit; at += bytes) {
    const std::uint32_t cell = at / 16;
    const std::uint32_t value = bytes == 1 ? (high ? cell >> 8 : cell & 0xFF) : cell;
    std::memcpy(shared.bytes(at, bytes, 1, Access::write), &value, bytes);
  }
  return shared;
}

/// Shared address / 16 of the cell that fed every element.
OperandCodes cells_read(const SharedOperand& operand, std::uint32_t mn, std::uint32_t k) {
  const std::uint32_t bytes = stored_bits(operand.element) / 8;
  OperandCodes cells = fetch_shared(named_cells(bytes, false), operand, mn, k);
  if (bytes == 1) {
    const OperandCodes high = fetch_shared(named_cells(bytes, true), operand, mn, k);
    for (std::size_t i = 0; i < cells.codes.size(); ++i) cells.codes[i] |= high.codes[i] << 8;
  }
  return cells;
}

}  // namespace

// A third of the records: each takes two fetches of a whole window.
BOOST_AUTO_TEST_CASE(elements_come_from_the_bytes_that_the_h200_read) {
  const auto bin = tests::read_bytes("h200/wgmma_desc.bin");
  std::size_t compared = 0, faults = 0, index = 0;
  for (const tests::CsvRow& row : tests::read_csv("h200/wgmma_desc.csv")) {
    if (row.at("result") == "ok" && ++index % 3 != 0) continue;
    const Element element = kTypes.at(row.at("dtype"));
    const Major major = row.at("major") == "K" ? Major::k : Major::mn;
    const std::uint32_t per_cell = elements_per_cell(element);
    const auto mn =
        static_cast<std::uint32_t>(row.at("operand") == "A" ? 64 : tests::word(row.at("n")));
    const std::uint32_t k = 2 * per_cell;
    const SharedOperand operand{Arch::sm_90, tests::word(row.at("desc")), major, element,
                                Container::packed};
    BOOST_TEST_CONTEXT("id " << row.at("id")) {
      if (row.at("result") != "ok") {
        BOOST_TEST_REQUIRE(rule_broken([&] { cells_read(operand, mn, k); }) ==
                           "shared.out-of-bounds");
        ++faults;
        continue;
      }
      if (row.at("format") != "granule") continue;
      const OperandCodes cells = cells_read(operand, mn, k);
      const std::size_t off = tests::word(row.at("off"));
      for (std::uint32_t i = 0; i < mn; ++i) {
        for (std::uint32_t j = 0; j < k; ++j) {
          const std::size_t granule = major == Major::k ? std::size_t{i} * 2 + j / per_cell
                                                        : std::size_t{i / per_cell} * k + j;
          const std::uint32_t want = bin.at(off + 2 * granule) | bin.at(off + 2 * granule + 1) << 8;
          if (want * 16 < kFirst || want * 16 >= kEnd) continue;
          BOOST_TEST_REQUIRE(cells.at(i, j) == want);
        }
      }
      ++compared;
    }
  }
  BOOST_TEST(compared > 200u);
  BOOST_TEST(faults > 10u);
}

BOOST_AUTO_TEST_CASE(the_cells_of_an_operand_hold_all_its_elements) {
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      const SmemDescriptor d{0x410, 2048, 1024, 1, LboMode::relative, swizzle};
      const SharedOperand operand{Arch::sm_100, encode_smem_descriptor(Arch::sm_100, d), major,
                                  Element::f16, Container::packed};
      const OperandLayout layout = operand_layout(d, major, Element::f16);
      std::set<std::uint64_t> want;
      for (std::uint32_t i = 0; i < 64; ++i) {
        for (std::uint32_t j = 0; j < 16; ++j) want.insert(layout.address(i, j) / 16 * 16);
      }
      const auto cells = operand_cells(operand, 64, 16);
      BOOST_TEST(cells.size() == 64u * 16 * 2 / 16);
      BOOST_TEST((std::set<std::uint64_t>(cells.begin(), cells.end()) == want));
    }
  }
}

BOOST_AUTO_TEST_CASE(narrow_elements_come_from_their_cells_or_nibbles) {
  for (const auto& [element, container] : {std::pair{Element::e2m1, Container::packed},
                                           {Element::e2m1, Container::byte},
                                           {Element::e2m3, Container::byte},
                                           {Element::e3m2, Container::byte}}) {
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b64, Swizzle::b128}) {
      const std::uint32_t bits = element_format(element).bits;
      const std::uint32_t k = 256 / stored_bits(element, container),
                          span = swizzle_row(swizzle).span;
      const SmemDescriptor d{0x400, 4096, 8 * span, 0, LboMode::relative, swizzle};
      const OperandLayout layout = operand_layout(d, Major::k, element, container);
      SharedMemory shared(0x2400);
      const auto code = [&](std::uint32_t i, std::uint32_t j) {
        return (i * 11 + j * 7) & ((1u << bits) - 1);
      };
      for (std::uint32_t i = 0; i < 16; ++i) {
        for (std::uint32_t j = 0; j < k; ++j) {
          // Bit by bit: a cell of 16 elements, or of 32 nibbles.
          const std::uint64_t cell = layout.address(i, j) / 16 * 16;
          const std::uint32_t in_cell = container == Container::packed ? j % 32 : j % 16;
          for (std::uint32_t b = 0; b < bits; ++b) {
            const std::uint32_t at = in_cell * bits + b;
            *shared.bytes(cell + at / 8, 1, 1, Access::write) |=
                static_cast<std::byte>((code(i, j) >> b & 1) << at % 8);
          }
        }
      }
      const OperandCodes got = fetch_shared(
          shared,
          {Arch::sm_100, encode_smem_descriptor(Arch::sm_100, d), Major::k, element, container}, 16,
          k);
      for (std::uint32_t i = 0; i < 16; ++i) {
        for (std::uint32_t j = 0; j < k; ++j) BOOST_TEST_REQUIRE(got.at(i, j) == code(i, j));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(descriptors_that_mean_nothing_are_faults) {
  const SharedMemory shared(0x1000);
  const auto rule = [&](Arch arch, std::uint64_t descriptor, Major major, Element element) {
    return rule_broken([&] {
      fetch_shared(shared, {arch, descriptor, major, element, Container::packed}, 8, 8);
    });
  };
  const std::uint64_t good = 0x0000401000100040;
  BOOST_TEST(rule(Arch::sm_100, good, Major::k, Element::f16) == "");
  BOOST_TEST(rule(Arch::sm_100, good | std::uint64_t{5} << 61, Major::k, Element::f16) ==
             "smem_descriptor.swizzle-code");
  BOOST_TEST(rule(Arch::sm_90, good, Major::mn, Element::e4m3) == "operand.mn-major-16-bit-only");
  BOOST_TEST(rule(Arch::sm_90, good, Major::mn, Element::bf16) == "");
  BOOST_TEST(rule(Arch::sm_100, good | 0x3FFF, Major::k, Element::f16) == "shared.out-of-bounds");
}

BOOST_AUTO_TEST_CASE(an_operand_in_tensor_memory_fills_columns_from_the_lowest_bit) {
  TensorMemory memory;
  memory.allocate(32, 1);
  for (std::uint32_t lane = 0; lane < kTmemLanes; ++lane) {
    for (std::uint32_t c = 0; c < 32; ++c) memory.write(lane, c, lane << 16 | c << 8 | (lane ^ c));
  }
  for (const DLayout layout : {DLayout::d, DLayout::f, DLayout::b, DLayout::g}) {
    const DLayoutRow row = d_layout_row(layout);
    for (const auto& [element, width] : {std::pair{Element::f16, 16u},
                                         {Element::tf32, 32u},
                                         {Element::e4m3, 8u},
                                         {Element::e2m1, 8u},
                                         {Element::e3m2, 8u},
                                         {Element::e2m1, 4u}}) {
      const std::uint32_t k = 256 / width, bits = element_format(element).bits;
      const std::uint32_t shift = bits < width ? a_code_shift(element) : 0;
      for (std::uint32_t copy = 0; copy < a_copies(row); ++copy) {
        const OperandCodes got = fetch_tmem(memory, {row, 5, element, width}, row.rows, k, copy);
        for (std::uint32_t i = 0; i < row.rows; ++i) {
          for (std::uint32_t j = 0; j < k; ++j) {
            const TmemBits at = a_bits(row, width, i, j, copy);
            const std::uint64_t cell = memory.read(at.lane, 5 + at.column);
            const std::uint64_t want = cell >> (at.bit + shift) & ((std::uint64_t{1} << bits) - 1);
            BOOST_TEST_REQUIRE(got.at(i, j) == want);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
