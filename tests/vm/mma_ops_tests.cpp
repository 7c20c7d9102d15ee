#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "sim/isa/families.h"
#include "sim/machine/warp_mma.h"
#include "sim/numerics/minifloat.h"
#include "sim/numerics/sparse.h"
#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;
using numerics::Format;

// mma and mma.sp on small integers, which every format of the operands holds exactly.  Fragments
// are laid out here from the formulas of the ISA, element by element of a lane; the machine goes
// from the matrix to the lane.
BOOST_AUTO_TEST_SUITE(mma_ops_tests)

namespace {

struct Case {
  const char* mnemonic;
  Format a, b, d;
  std::uint32_t m, k;
  bool sparse = false;
  std::uint32_t selector = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.mnemonic << " selector " << c.selector;
}

constexpr Case kCases[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", Format::f16, Format::f16, Format::f32, 16, 8},
    {"m16n8k16.row.col.f32.f16.f16.f32", Format::f16, Format::f16, Format::f32, 16, 16},
    {"m16n8k16.row.col.f16.f16.f16.f16", Format::f16, Format::f16, Format::f16, 16, 16},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", Format::bf16, Format::bf16, Format::f32, 16, 8},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", Format::bf16, Format::bf16, Format::f32, 16, 16},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", Format::tf32, Format::tf32, Format::f32, 16, 4},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", Format::tf32, Format::tf32, Format::f32, 16, 8},
    {"m16n8k16.row.col.f32.e4m3.e5m2.f32", Format::e4m3, Format::e5m2, Format::f32, 16, 16},
    {"m16n8k32.row.col.f16.e5m2.e4m3.f16", Format::e5m2, Format::e4m3, Format::f16, 16, 32},
    {"m8n8k16.row.col.s32.s8.u8.s32", Format::s8, Format::u8, Format::s32, 8, 16},
    {"m16n8k16.row.col.s32.u8.s8.s32", Format::u8, Format::s8, Format::s32, 16, 16},
    {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", Format::s8, Format::s8, Format::s32, 16, 32},
    {"m8n8k32.row.col.s32.s4.u4.s32", Format::s4, Format::u4, Format::s32, 8, 32},
    {"m16n8k32.row.col.s32.u4.s4.s32", Format::u4, Format::s4, Format::s32, 16, 32},
    {"m16n8k64.row.col.s32.s4.s4.s32", Format::s4, Format::s4, Format::s32, 16, 64},
    {"m8n8k128.row.col.s32.b1.b1.s32.and.popc", Format::b1, Format::b1, Format::s32, 8, 128},
    {"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", Format::b1, Format::b1, Format::s32, 16, 128},
    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", Format::b1, Format::b1, Format::s32, 16, 256},
    {"m16n8k16.row.col.f32.f16.f16.f32", Format::f16, Format::f16, Format::f32, 16, 16, true, 3},
    {"m16n8k32.row.col.f32.f16.f16.f32", Format::f16, Format::f16, Format::f32, 16, 32, true, 1},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", Format::tf32, Format::tf32, Format::f32, 16, 8, true, 2},
    {"m16n8k16.row.col.f32.tf32.tf32.f32", Format::tf32, Format::tf32, Format::f32, 16, 16, true,
     1},
    {"m16n8k64.row.col.f32.e4m3.e4m3.f32", Format::e4m3, Format::e4m3, Format::f32, 16, 64, true},
    {"m16n8k32.row.col.s32.s8.s8.s32", Format::s8, Format::s8, Format::s32, 16, 32, true, 1},
    {"m16n8k64.row.col.s32.u8.s8.s32", Format::u8, Format::s8, Format::s32, 16, 64, true},
    {"m16n8k64.row.col.s32.s4.s4.s32", Format::s4, Format::s4, Format::s32, 16, 64, true, 1},
    {"m16n8k128.row.col.s32.u4.s4.s32", Format::u4, Format::s4, Format::s32, 16, 128, true},
};

using Matrix = std::vector<int>;  ///< row-major

std::uint32_t code(Format format, int value) {
  const numerics::FormatRow row = numerics::format_row(format);
  if (row.is_float()) {
    return numerics::encode(format, value, numerics::Rounding::nearest_even);
  }
  const std::uint64_t mask = (std::uint64_t{1} << row.bits) - 1;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) & mask);
}

/// A small value the format has.
int value(Format format, std::uint32_t seed) {
  const int raw = static_cast<int>(seed * 2654435761u >> 20) % 5;
  if (format == Format::b1) return raw & 1;
  return numerics::format_row(format).is_signed ? raw - 2 : raw;
}

/// The matrix element that element i of a lane's A fragment is: {row, column}.
std::pair<std::uint32_t, std::uint32_t> a_element(std::uint32_t lane, std::uint32_t i,
                                                  std::uint32_t bits, std::uint32_t m) {
  const std::uint32_t e = 32 / bits, group = lane >> 2, thread = lane & 3;
  const bool lower = m == 16 && (i / e) % 2 == 1;
  return {group + (lower ? 8 : 0), thread * e + i % e + (i >= 2 * e ? 4 * e : 0)};
}

/// {k, column} of element i of B.
std::pair<std::uint32_t, std::uint32_t> b_element(std::uint32_t lane, std::uint32_t i,
                                                  std::uint32_t bits) {
  const std::uint32_t e = 32 / bits;
  return {(lane & 3) * e + i % e + i / e * 4 * e, lane >> 2};
}

/// Registers [reg * 32 + lane] of a fragment whose element i is `at(lane, i)`.
std::vector<std::uint32_t> packed(
    std::uint32_t registers, std::uint32_t bits,
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& at) {
  std::vector<std::uint32_t> words(registers * 32);
  const std::uint32_t e = 32 / bits;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t i = 0; i < registers * e; ++i) {
      words[i / e * 32 + lane] |= at(lane, i) << (i % e * bits);
    }
  }
  return words;
}

std::string list(const char* prefix, std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? "," : "", prefix, i);
  return "{" + text + "}";
}

std::string loads(const char* prefix, std::uint32_t count, int pointer, std::uint32_t bytes) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += fmt::format("ld.global.b{} %{}{}, [%rd{}+{}];\n", bytes * 8, prefix, i, pointer,
                        i * 32 * bytes);
  }
  return text;
}

/// Loads fragments, multiplies, stores D over C.  Parameters: a, b, c, metadata.
std::string program(const std::string& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t d, bool sparse, std::uint32_t selector, std::uint32_t bytes = 4) {
  const std::uint32_t bits = bytes * 8;
  std::string body = fmt::format(
      ".reg .b{0} %a<{1}>; .reg .b{0} %b<{2}>; .reg .b{0} %c<{3}>; .reg .b32 %r<4>;\n"
      ".reg .b64 %rd<8>;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, {4};\n",
      bits, a, b, d, bytes);
  for (int i = 1; i <= 4; ++i) {
    body += fmt::format("ld.param.u64 %rd{0}, [p{0}];\nadd.u64 %rd{0}, %rd{0}, %rd0;\n", i);
  }
  body += loads("a", a, 1, bytes) + loads("b", b, 2, bytes) + loads("c", d, 3, bytes);
  if (sparse) body += "ld.global.b32 %r1, [%rd4];\n";
  body += fmt::format("{} {}, {}, {}, {}{};\n", instruction, list("c", d), list("a", a),
                      list("b", b), list("c", d), sparse ? fmt::format(", %r1, {}", selector) : "");
  for (std::uint32_t i = 0; i < d; ++i) {
    body += fmt::format("st.global.b{} [%rd3+{}], %c{};\n", bits, i * 32 * bytes, i);
  }
  return kernel(".param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4", body + "exit;");
}

/// Metadata words of a warp and the position in B of every stored element, from nibbles drawn for
/// each row and group, by the words of the ISA: which lanes contribute.
struct Sparsity {
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(32);
  std::vector<std::uint32_t> position;  ///< [row][stored k]
};

Sparsity sparsity(const Case& c) {
  const std::uint32_t bits = numerics::format_row(c.a).bits;
  const std::uint32_t logical = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  constexpr std::uint32_t kPairs[] = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  Sparsity s;
  const std::uint32_t groups = c.k / logical;
  for (std::uint32_t row = 0; row < 16; ++row) {
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::uint32_t draw = (row * 7 + g * 5 + 1) % 6;
      const std::uint32_t nibble = bits == 32 ? (draw % 2 ? 0xE : 0x4) : kPairs[draw];
      const std::uint32_t first = nibble & 3, second = nibble >> 2;
      if (bits == 32) {
        s.position.push_back(g * 2 + (nibble == 0xE));
      } else if (bits == 4) {
        for (const std::uint32_t p : {first * 2, first * 2 + 1, second * 2, second * 2 + 1}) {
          s.position.push_back(g * 8 + p);
        }
      } else {
        s.position.push_back(g * 4 + first);
        s.position.push_back(g * 4 + second);
      }
      std::uint32_t lane = row % 8 * 4, shift = 0;
      if (bits >= 16) {
        lane += groups == 4 ? c.selector : 2 * c.selector + g / 4;
        shift = g % 4 * 4 + row / 8 * 16;
      } else {
        lane += 2 * c.selector + row / 8 + 2 * (g / 8);
        shift = g % 8 * 4;
      }
      s.words[lane] |= nibble << shift;
    }
  }
  return s;
}

int product(const Case& c, int a, int b) {
  if (c.a != Format::b1) return a * b;
  return std::string_view(c.mnemonic).find("xor") != std::string_view::npos ? a ^ b : a & b;
}

}  // namespace

BOOST_DATA_TEST_CASE(integers_multiply_exactly, boost::unit_test::data::make(kCases), c) {
  const std::uint32_t a_bits = numerics::format_row(c.a).bits;
  const std::uint32_t b_bits = numerics::format_row(c.b).bits;
  const std::uint32_t stored = c.sparse ? c.k / 2 : c.k;
  const std::uint32_t na = c.m * stored * a_bits / 1024, nb = 8 * c.k * b_bits / 1024;
  const bool half = c.d == Format::f16;
  const std::uint32_t nd = c.m / (half ? 8 : 4);
  const auto a_at = [&](std::uint32_t row, std::uint32_t k) {
    return value(c.a, row * 37 + k * 11 + 5);
  };
  const auto b_at = [&](std::uint32_t k, std::uint32_t n) {
    return value(c.b, k * 13 + n * 101 + 9);
  };
  const Sparsity sparse = c.sparse ? sparsity(c) : Sparsity{};
  Guest guest(program(
      fmt::format("mma{}.sync.aligned.{}", c.sparse ? ".sp::ordered_metadata" : "", c.mnemonic), na,
      nb, nd, c.sparse, c.selector));
  const auto a = guest.buffer(packed(na, a_bits, [&](std::uint32_t lane, std::uint32_t i) {
    const auto [row, k] = a_element(lane, i, a_bits, c.m);
    return code(c.a, a_at(row, k));
  }));
  const auto b = guest.buffer(packed(nb, b_bits, [&](std::uint32_t lane, std::uint32_t i) {
    const auto [k, n] = b_element(lane, i, b_bits);
    return code(c.b, b_at(k, n));
  }));
  const std::uint32_t d_bits = half ? 16 : 32;
  const auto d_element = [&](std::uint32_t lane, std::uint32_t i) {
    return std::pair{(lane >> 2) + (i >= 2 ? 8 : 0), (lane & 3) * 2 + (i & 1)};
  };
  const auto d = guest.buffer(packed(nd, d_bits, [&](std::uint32_t lane, std::uint32_t i) {
    const auto [row, n] = d_element(lane, i);
    return code(c.d, static_cast<int>(row * 8 + n) - 40);
  }));
  guest.run(32, {a, b, d, guest.buffer(sparse.words)});

  const auto got = guest.read<std::uint32_t>(d, nd * 32);
  const auto want = packed(nd, d_bits, [&](std::uint32_t lane, std::uint32_t i) {
    const auto [row, n] = d_element(lane, i);
    int sum = static_cast<int>(row * 8 + n) - 40;
    for (std::uint32_t k = 0; k < stored; ++k) {
      const std::uint32_t in_b = c.sparse ? sparse.position[row * stored + k] : k;
      sum += product(c, a_at(row, k), b_at(in_b, n));
    }
    return code(c.d, sum);
  });
  BOOST_TEST(got == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(f64_is_a_chain_of_fused_multiply_adds) {
  struct F64 {
    const char* shape;
    std::uint32_t m, k;
  };
  for (const F64 c : {F64{"m8n8k4", 8, 4}, F64{"m16n8k4", 16, 4}, F64{"m16n8k8", 16, 8},
                      F64{"m16n8k16", 16, 16}}) {
    BOOST_TEST_CONTEXT(c.shape) {
      const auto at = [](std::uint32_t i, std::uint32_t j) { return 1.0 / (1 + i * 17 + j * 3); };
      const std::uint32_t na = c.m * c.k / 32, nb = c.k / 4, nd = c.m / 4;
      Guest guest(program(fmt::format("mma.sync.aligned.{}.row.col.f64.f64.f64.f64", c.shape), na,
                          nb, nd, false, 0, 8));
      std::vector<double> a(na * 32), b(nb * 32), d(nd * 32), want(nd * 32);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t i = 0; i < na; ++i) {
          const auto [row, k] = a_element(lane, i, 32, c.m);
          a[i * 32 + lane] = at(row, k + 1);
        }
        // The ISA's formula for more than four registers of A goes on in steps of 4 columns.
        for (std::uint32_t i = 4; i < na; ++i) {
          a[i * 32 + lane] = at((lane >> 2) + (i % 2 ? 8 : 0), (i / 2) * 4 + (lane & 3) + 1);
        }
        for (std::uint32_t i = 0; i < nb; ++i) {
          const auto [k, n] = b_element(lane, i, 32);
          b[i * 32 + lane] = at(n + 30, k);
        }
        for (std::uint32_t i = 0; i < nd; ++i) {
          const std::uint32_t row = (lane >> 2) + (i >= 2 ? 8 : 0), n = (lane & 3) * 2 + (i & 1);
          double sum = d[i * 32 + lane] = at(row, n);
          for (std::uint32_t k = 0; k < c.k; ++k)
            sum = std::fma(at(row, k + 1), at(n + 30, k), sum);
          want[i * 32 + lane] = sum;
        }
      }
      const auto out = guest.buffer(d);
      guest.run(32, {guest.buffer(a), guest.buffer(b), out, out});
      BOOST_TEST(guest.read<double>(out, nd * 32) == want, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(metadata_that_names_no_places_is_a_fault) {
  machine::WarpMma mma;
  mma.a = mma.b = Format::f16;
  mma.k = 32;
  mma.sparse = true;
  std::vector<std::uint32_t> words(32, 0x44444444);
  BOOST_TEST(machine::warp_positions(mma, words).size() == 16u * 16);
  words[4] = 0x44445444;
  BOOST_CHECK_THROW(machine::warp_positions(mma, words), machine::Fault);
}

BOOST_AUTO_TEST_CASE(what_is_not_modelled_says_so_at_load) {
  const auto refusal = [](const std::string& instruction) -> std::string {
    try {
      Guest guest(kernel(
          "", ".reg .b32 %r<20>; .reg .f32 %f<4>; .reg .f64 %d<20>;\n" + instruction + ";\nexit;"));
      guest.launch({32, 1, 1});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "taken";
  };
  BOOST_TEST(refusal("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3,%r4,%r5,"
                     "%r6,%r7}, {%r0,%r1}, {%r2,%r3}, {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}")
                 .find("sm_70") != std::string::npos);
  BOOST_TEST(refusal("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 "
                     "{%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r0,%r1,%r2,%r3}")
                 .find("sm_120") != std::string::npos);
  BOOST_TEST(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1,%r2,%r3}, "
                     "{%r0,%r1,%r2}, {%r4,%r5}, {%r0,%r1,%r2,%r3}")
                 .find("4 registers") != std::string::npos);
  BOOST_TEST(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%r0,%r1,%r2,%r3}, "
                     "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r0,%r1}")
                 .find("same type") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
