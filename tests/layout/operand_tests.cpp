#include "sim/layout/operand.h"

#include <map>

#include "sim/layout/canonical.h"
#include "tests/golden.h"
#include "tests/test.h"

using namespace lc;
using namespace lc::tests;

namespace {

/// Section 5 of the descriptor rules, written out case by case: the second formulation.
std::uint64_t address_by_cases(const SmemDescriptor& d, Major major, std::uint64_t bits,
                               std::uint64_t mn, std::uint64_t k) {
  const std::uint64_t lbo = d.leading_byte_offset, sbo = d.stride_byte_offset;
  const std::uint64_t kb = k * bits / 8, mb = mn * bits / 8;
  std::uint64_t s = 16, mask = 0, unit = 4;
  if (d.swizzle == Swizzle::b32) s = 32, mask = 1;
  if (d.swizzle == Swizzle::b64) s = 64, mask = 3;
  if (d.swizzle == Swizzle::b128) s = 128, mask = 7;
  if (d.swizzle == Swizzle::b128_32b) s = 128, mask = 3, unit = 5;
  std::uint64_t off = 0;
  if (major == Major::k) {
    off = s == 16 ? (mn / 8) * sbo + (mn % 8) * 16 + (kb / 16) * lbo + kb % 16
                  : (mn / 8) * sbo + (mn % 8) * s + kb;
  } else if (s == 16) {
    off = (mb / 16) * sbo + (k / 8) * lbo + (k % 8) * 16 + mb % 16;
  } else if (unit == 5) {
    off = (mb / 128) * lbo + (k / 4) * sbo + (k % 4) * 128 + mb % 128;
  } else {
    off = (mb / s) * lbo + (k / 8) * sbo + (k % 8) * s + mb % s;
  }
  const std::uint64_t a = d.start_address + off;
  return a ^ ((((a >> 7) - (s == 16 ? 0 : d.base_offset)) & mask) << unit);
}

const std::map<std::string, Element> kWgmmaTypes = {
    {"f16", Element::f16},   {"bf16", Element::bf16}, {"tf32", Element::tf32},
    {"e4m3", Element::e4m3}, {"e5m2", Element::e5m2}, {"s8", Element::i8},
    {"u8", Element::u8}};

}  // namespace

BOOST_AUTO_TEST_SUITE(operand_tests)

BOOST_AUTO_TEST_CASE(two_formulations_agree) {
  const std::uint64_t offsets[] = {0, 16, 128, 512, 1024, 4112};
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const Element element : {Element::e4m3, Element::f16, Element::tf32}) {
        for (const std::uint64_t lbo : offsets) {
          for (const std::uint64_t sbo : offsets) {
            for (std::uint32_t mbo = 0; mbo < 8; mbo += 3) {
              const SmemDescriptor d{0x4f0, lbo, sbo, mbo, LboMode::relative, swizzle};
              const OperandLayout l = operand_layout(d, major, element);
              for (std::uint64_t mn = 0; mn < 72; mn += 3) {
                for (std::uint64_t k = 0; k < 40; ++k) {
                  BOOST_TEST_REQUIRE(l.address(mn, k) == address_by_cases(d, major, l.bits, mn, k));
                }
              }
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(whole_maps_equal_single_addresses) {
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const Element element : {Element::e4m3, Element::bf16, Element::tf32, Element::e2m1}) {
        for (const std::uint64_t start : {0x400, 0x420, 0x468, 0x471}) {
          const SmemDescriptor d{start, 2048, 1024, 2, LboMode::relative, swizzle};
          const OperandLayout l = operand_layout(d, major, element);
          for (const std::uint32_t mn : {1u, 8u, 30u, 72u}) {
            for (const std::uint32_t k : {1u, 8u, 20u, 70u}) {
              std::vector<std::uint32_t> all(mn * k);
              fill_addresses(l, mn, k, all.data());
              for (std::uint32_t i = 0; i < mn * k; ++i) {
                BOOST_TEST_REQUIRE(all[i] == l.address(i / k, i % k));
              }
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(inverse_finds_every_element) {
  for (const Swizzle swizzle : kOperandSwizzles) {
    for (const Major major : {Major::k, Major::mn}) {
      for (const Element element : {Element::e4m3, Element::f16, Element::e2m1}) {
        OperandTile tile{Arch::sm_100, element, Container::packed, major, swizzle};
        tile.mn = 256;
        tile.k = 256;
        tile.start_address = 0x480;
        const SmemDescriptor d = slice_descriptor(tile, 0);
        const OperandLayout l = operand_layout(d, major, element);
        const std::uint64_t k_extent = 256 / l.bits;  // one instruction
        for (std::uint64_t mn = 0; mn < 256; mn += 7) {
          for (std::uint64_t k = 0; k < k_extent; ++k) {
            const auto found = operand_element_at(l, 256, k_extent, l.address(mn, k));
            BOOST_TEST_REQUIRE(found.has_value());
            BOOST_TEST_REQUIRE(l.address(found->mn, found->k) == l.address(mn, k));
            BOOST_TEST_REQUIRE(found->mn * (major == Major::mn ? l.bits : 8) / 8 ==
                               mn * (major == Major::mn ? l.bits : 8) / 8);
          }
        }
        BOOST_TEST(!operand_element_at(l, 256, k_extent, 0x3F000).has_value());
        BOOST_TEST(!operand_element_at(l, 256, k_extent, 0).has_value());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(wgmma_reads_measured_on_h200) {
  const std::vector<CsvRow> rows = read_csv("h200/wgmma_desc.csv");
  const std::vector<std::uint8_t> bin = read_bytes("h200/wgmma_desc.bin");
  int compared = 0, faults = 0, unreadable = 0;
  for (const CsvRow& row : rows) {
    const Element element = kWgmmaTypes.at(row.at("dtype"));
    const Major major = row.at("major") == "K" ? Major::k : Major::mn;
    const std::uint64_t bits = stored_bits(element), per_cell = 128 / bits;
    const std::uint64_t mn_extent = row.at("operand") == "A" ? 64 : word(row.at("n"));
    const std::uint64_t k_extent = 256 / bits;
    const auto decoded = decode_smem_descriptor(Arch::sm_90, word(row.at("desc")));
    const OperandLayout l = operand_layout(decoded.fields, major, element);
    BOOST_TEST_CONTEXT("id " << row.at("id") << " desc " << row.at("desc")) {
      if (row.at("result") != "ok") {
        // The launch ended in an illegal-address fault: the sum must leave the window.
        BOOST_TEST(operand_end(l, mn_extent, k_extent) > kSmemWindowEnd);
        ++faults;
        continue;
      }
      const std::size_t off = word(row.at("off"));
      const bool granule = row.at("format") == "granule";
      bool all = true;
      if (granule) {
        const std::uint64_t outer = major == Major::k ? mn_extent : mn_extent / per_cell;
        const std::uint64_t inner = major == Major::k ? k_extent / per_cell : k_extent;
        for (std::uint64_t o = 0; o < outer; ++o) {
          for (std::uint64_t i = 0; i < inner; ++i) {
            const std::size_t at = off + 2 * (o * inner + i);
            const std::uint64_t want = 16u * (bin.at(at) | bin.at(at + 1) << 8);
            const std::uint64_t got =
                major == Major::k ? l.address(o, i * per_cell) : l.address(o * per_cell, i);
            all = all && got == want;
          }
        }
      } else {
        for (std::uint64_t i = 0; i < mn_extent * k_extent; ++i) {
          const std::size_t at = off + 4 * i;
          const std::uint64_t want = bin.at(at) | bin.at(at + 1) << 8 | bin.at(at + 2) << 16 |
                                     std::uint64_t{bin.at(at + 3)} << 24;
          const std::uint64_t got = l.address(i / k_extent, i % k_extent);
          if (got < 0x400 || got >= 0x38000 || want == 0xFFFFFFFF) {
            ++unreadable;  // outside the buffer the probe had filled
          } else {
            all = all && got == want;
          }
        }
      }
      BOOST_TEST(all);
      ++compared;
    }
  }
  BOOST_TEST(compared + faults == static_cast<int>(rows.size()));
  BOOST_TEST(faults > 0);
  BOOST_TEST_MESSAGE(compared << " descriptors compared, " << faults << " faults, " << unreadable
                              << " elements outside the probe's range");
}

BOOST_AUTO_TEST_CASE(worked_examples) {
  struct Case {
    const char* what;
    Arch arch;
    std::uint64_t descriptor;
    Major major;
    Element element;
    std::uint64_t mn, k, address;
  };
  constexpr Case kCases[] = {
      {"seed A", Arch::sm_100, 0x8000402000010040, Major::k, Element::f16, 2, 8, 0x480},
      {"seed A", Arch::sm_100, 0x8000402000010040, Major::k, Element::f16, 127, 15, 0x23EE},
      {"seed A slice 1", Arch::sm_100, 0x8000402000010042, Major::k, Element::f16, 7, 0, 0x5D0},
      {"seed B", Arch::sm_100, 0x4000408000400440, Major::mn, Element::f16, 8, 1, 0x4480},
      {"seed B", Arch::sm_100, 0x4000408000400440, Major::mn, Element::f16, 64, 8, 0x5000},
      {"seed B", Arch::sm_90, 0x4000008000400440, Major::mn, Element::f16, 127, 15, 0x538E},
      {"K none", Arch::sm_100, 0x0000401000080040, Major::k, Element::f16, 9, 9, 0x592},
      {"MN none", Arch::sm_100, 0x0000400800100040, Major::mn, Element::bf16, 15, 15, 0x5FE},
      {"MN SW32", Arch::sm_100, 0xC000402000100040, Major::mn, Element::bf16, 8, 4, 0x480},
      {"tf32 128B_32B", Arch::sm_100, 0x2000402000400080, Major::mn, Element::tf32, 31, 3, 0x99C},
      {"tf32 128B_32B", Arch::sm_100, 0x2000402000400080, Major::mn, Element::tf32, 127, 7, 0x179C},
      {"e4m3", Arch::sm_100, 0x4000404000000040, Major::k, Element::e4m3, 9, 5, 0x895},
      {"e2m1", Arch::sm_100, 0x4000404000000040, Major::k, Element::e2m1, 3, 63, 0x5AF},
      {"MBO 1", Arch::sm_100, 0x8002402000010048, Major::k, Element::f16, 6, 0, 0x630},
      {"MBO 1", Arch::sm_90, 0x4002004000010048, Major::k, Element::f16, 0, 0, 0x480},
  };
  for (const Case& c : kCases) {
    BOOST_TEST_CONTEXT(c.what << " (" << c.mn << ", " << c.k << ")") {
      const auto d = decode_smem_descriptor(c.arch, c.descriptor);
      BOOST_TEST(operand_layout(d.fields, c.major, c.element).address(c.mn, c.k) == c.address);
    }
  }
  const auto e2m1 = operand_layout(decode_smem_descriptor(Arch::sm_100, 0x4000404000000040).fields,
                                   Major::k, Element::e2m1);
  BOOST_TEST(e2m1.bit_address(0, 1) == 0x400u * 8 + 4);  // high nibble
}

BOOST_AUTO_TEST_CASE(absolute_lbo_splits_at_the_128_byte_row) {
  const auto d = decode_smem_descriptor(Arch::sm_100, 0x4010404004400046);
  BOOST_TEST(d.fields.start_address == 0x460u);
  BOOST_TEST(d.fields.leading_byte_offset == 0x4400u);
  const OperandLayout l = operand_layout(d.fields, Major::k, Element::e2m1);
  BOOST_TEST(l.address(0, 0) == 0x460u);
  BOOST_TEST(l.address(0, 63) == 0x47Fu);
  BOOST_TEST(l.address(0, 64) == 0x4400u);
  BOOST_TEST(l.address(1, 64) == 0x4490u);
}

BOOST_AUTO_TEST_SUITE_END()
