#include <random>

#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(matrix_move_ops_tests)

namespace {

using Bytes = std::vector<std::uint8_t>;

/// 32 lines of 16 bytes, each byte of its own as far as that goes.
Bytes lines(std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  Bytes b(512);
  for (auto& x : b) x = static_cast<std::uint8_t>(random());
  return b;
}

/// Copies 512 bytes from the parameter to s, and puts a lane's line address, in a shuffled order,
/// into r1: line i is at s + 16 (5 i mod 32).
const std::string kSetup = R"(
  mul.wide.u32 d1, r0, 16; add.u64 d1, d1, d28; ld.global.v4.u32 {r4, r5, r6, r7}, [d1];
  mov.u32 r2, s; mul.lo.u32 r1, r0, 5; and.b32 r1, r1, 31; shl.b32 r1, r1, 4; add.u32 r1, r1, r2;
  st.shared.v4.u32 [r1], {r4, r5, r6, r7}; bar.warp.sync -1;
)";

struct Loaded {
  std::vector<std::uint64_t> r01, r23;
  std::uint8_t byte(std::size_t lane, std::size_t reg, std::size_t j) const {
    const std::uint64_t word = (reg < 2 ? r01 : r23)[lane] >> 32 * (reg % 2);
    return static_cast<std::uint8_t>(word >> 8 * j);
  }
};

Loaded load(const std::string& form, int registers, const Bytes& data) {
  const std::string list = registers == 1   ? "{r8}"
                           : registers == 2 ? "{r8, r9}"
                                            : "{r8, r9, r10, r11}";
  Loaded got;
  for (const bool upper : {false, true}) {
    Guest guest(lane_program("mov.u32 r8, 0; mov.u32 r9, 0; mov.u32 r10, 0; mov.u32 r11, 0;" +
                             kSetup + "ldmatrix.sync.aligned." + form + " " + list +
                             ", [r1]; mov.b64 d0, " + (upper ? "{r10, r11};" : "{r8, r9};")));
    (upper ? got.r23 : got.r01) = results_of(guest, {.parameter = guest.buffer(data)});
  }
  return got;
}

std::uint8_t unpacked(const Bytes& data, std::size_t line, std::size_t i, unsigned bits,
                      unsigned shift) {
  unsigned code = 0;
  for (unsigned k = 0; k < bits; ++k) {
    const std::size_t bit = i * bits + k;
    code |= (data[line * 16 + bit / 8] >> bit % 8 & 1u) << k;
  }
  return static_cast<std::uint8_t>(code << shift);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_go_to_four_lanes_each) {
  const Bytes data = lines();
  for (const int num : {1, 2, 4}) {
    const Loaded got = load("m8n8.x" + std::to_string(num) + ".shared.b16", num, data);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t reg = 0; reg < 4; ++reg) {
        for (std::size_t j = 0; j < 4; ++j) {
          const std::size_t line = 8 * reg + lane / 4, byte = 4 * (lane % 4) + j;
          const std::uint8_t want =
              reg < static_cast<std::size_t>(num) ? data[16 * line + byte] : 0;
          BOOST_TEST_REQUIRE(got.byte(lane, reg, j) == want);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(transposed_means_that_element_r_c_comes_from_line_c) {
  const Bytes data = lines(2);
  const Loaded got = load("m8n8.x4.trans.shared::cta.b16", 4, data);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t reg = 0; reg < 4; ++reg) {
      for (std::size_t half = 0; half < 2; ++half) {
        // The fragment holds row lane / 4, columns 2 (lane % 4) and the next.
        const std::size_t row = lane / 4, column = 2 * (lane % 4) + half;
        const std::size_t at = 16 * (8 * reg + column) + 2 * row;
        BOOST_TEST_REQUIRE(got.byte(lane, reg, 2 * half) == data[at]);
        BOOST_TEST_REQUIRE(got.byte(lane, reg, 2 * half + 1) == data[at + 1]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sixteen_columns_of_bytes_as_cute_lays_them_out) {
  // CuTe, SM100_U8x16_LDSM_T: source (2,2,4,2):(128,1024,256,2048) bits by lane, destination
  // (4,8):(256,8) by lane and (8,2,2,4):(1,128,64,1024) by bit of the registers.
  const Bytes data = lines(3);
  const Loaded got = load("m16n16.x2.trans.shared.b8", 4, data);
  std::vector<std::size_t> lane_of_chunk(32);
  for (std::size_t l = 0; l < 32; ++l) {
    lane_of_chunk[(l % 2) + 8 * (l / 2 % 2) + 2 * (l / 4 % 4) + 16 * (l / 16)] = l;
  }
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t v = 0; v < 16; ++v) {
      const std::size_t bit =
          256 * (lane % 4) + 8 * (lane / 4) + 128 * (v % 2) + 64 * (v / 2 % 2) + 1024 * (v / 4);
      const std::size_t line = lane_of_chunk[bit / 128];
      BOOST_TEST_REQUIRE(got.byte(lane, v / 4, v % 4) == data[16 * line + bit % 128 / 8]);
    }
  }
}

BOOST_AUTO_TEST_CASE(packed_elements_get_a_byte_each) {
  const Bytes data = lines(4);
  const struct {
    const char* name;
    unsigned bits, shift;
  } formats[] = {{"b8x16.b4x16_p64", 4, 2}, {"b8x16.b6x16_p32", 6, 1}};
  for (const auto& f : formats) {
    const Loaded rows = load(std::string("m8n16.x4.shared.") + f.name, 4, data);
    const Loaded columns = load(std::string("m16n16.x1.trans.shared.") + f.name, 2, data);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t q = lane % 4, g = lane / 4;
      for (std::size_t j = 0; j < 4; ++j) {
        BOOST_TEST_REQUIRE(rows.byte(lane, 2, j) ==
                           unpacked(data, 16 + g, 4 * q + j, f.bits, f.shift));
        BOOST_TEST_REQUIRE(columns.byte(lane, 1, j) ==
                           unpacked(data, 4 * q + 2 + j % 2, g + 8 * (j / 2), f.bits, f.shift));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_stmatrix_stores_ldmatrix_loads) {
  for (const std::string form : {"m8n8.x4.shared.b16", "m8n8.x4.trans.shared.b16"}) {
    const std::string body =
        "mul.lo.u32 r4, r0, 3; add.u32 r5, r0, 0x10000; not.b32 r6, r0; mov.u32 r7, 77;"
        "mov.u32 r2, s; shl.b32 r1, r0, 4; add.u32 r1, r1, r2;"
        "stmatrix.sync.aligned." +
        form +
        " [r1], {r4, r5, r6, r7};"
        "ldmatrix.sync.aligned." +
        form +
        " {r8, r9, r10, r11}, [r1];"
        "xor.b32 r8, r8, r4; xor.b32 r9, r9, r5; xor.b32 r10, r10, r6;"
        "xor.b32 r11, r11, r7; or.b32 r8, r8, r9; or.b32 r8, r8, r10;"
        "or.b32 r8, r8, r11; cvt.u64.u32 d0, r8;";
    for (const std::uint64_t r : results_of(body)) BOOST_TEST_REQUIRE(r == 0u);
  }
}

BOOST_AUTO_TEST_CASE(bytes_are_stored_by_column) {
  // e0, e1: row lane / 4, columns 2 (lane % 4) and the next; e2, e3: eight rows further down.
  const std::string body =
      "shl.b32 r4, r0, 2; mul.lo.u32 r4, r4, 0x01010101; add.u32 r4, r4, 0x03020100;"
      "mov.u32 r2, s; shl.b32 r1, r0, 4; add.u32 r1, r1, r2;"
      "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [r1], {r4}; bar.warp.sync -1;"
      "shl.b32 r5, r0, 2; add.u32 r5, r5, r2; ld.shared.u32 d0, [r5];";
  const auto got = results_of(body);
  for (std::size_t column = 0; column < 8; ++column) {
    for (std::size_t row = 0; row < 16; ++row) {
      const std::size_t at = 16 * column + row;
      const std::uint64_t byte = got[at / 4] >> 8 * (at % 4) & 0xFF;
      const std::size_t lane = 4 * (row % 8) + column / 2, e = 2 * (row / 8) + column % 2;
      BOOST_TEST_REQUIRE(byte == 4 * lane + e);
    }
  }
}

BOOST_AUTO_TEST_CASE(movmatrix_transposes) {
  const Bytes data = lines(5);
  Guest guest(lane_program(kSetup + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r8}, [r1];"
                                    "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {r9}, [r1];"
                                    "movmatrix.sync.aligned.m8n8.trans.b16 r10, r8;"
                                    "xor.b32 r10, r10, r9; cvt.u64.u32 d0, r10;"));
  for (const std::uint64_t r : results_of(guest, {.parameter = guest.buffer(data)})) {
    BOOST_TEST_REQUIRE(r == 0u);
  }
}

BOOST_AUTO_TEST_CASE(lines_are_aligned_and_in_shared_memory) {
  const std::string at = "mov.u32 r2, s; shl.b32 r1, r0, 4; add.u32 r1, r1, r2;";
  const std::string x1 = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r4}, [r1];";
  BOOST_TEST(rule_of(at + "add.u32 r1, r1, 8;" + x1) == "shared.misaligned");
  // Only as many addresses count as there are lines.
  BOOST_TEST(rule_of(at + "setp.gt.u32 p0, r0, 7; @p0 mov.u32 r1, 3;" + x1) == "none");
  BOOST_TEST(rule_of(at + "setp.gt.u32 p0, r0, 6; @p0 mov.u32 r1, 3;" + x1) == "shared.misaligned");
  BOOST_TEST(rule_of("ldmatrix.sync.aligned.m8n8.x1.b16 {r4}, [d28];", {.parameter = 64}) ==
             "generic.not-shared");
  BOOST_TEST(rule_of(at + x1, {.threads = 16}) == "matrix.whole-warp");
  for (const char* body :
       {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r4}, [r1];",
        "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {r4, r5}, [r1];",
        "ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {r4, r5, r6, r7}, [r1];",
        "stmatrix.sync.aligned.m16n8.x1.shared.b8 [r1], {r4};",
        "ldmatrix.aligned.m8n8.x1.shared.b16 {r4}, [r1];"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body) == "parse");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
