// What the host knows of the GEMM kernels: plans, refusals, and the integers that they are tried
// on.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "kernel/gemm/cp_async_tile.h"
#include "kernel/gemm/integer_data.h"
#include "kernel/gemm/plan.h"
#include "kernel/gemm/tma_tile.h"
#include "tests/test.h"

using namespace lc::kernel;

namespace {

const GemmKernel& kernel(const std::string& name) {
  for (const GemmKernel& k : gemm_kernels()) {
    if (name == k.name) return k;
  }
  throw std::runtime_error(name);
}

GemmProblem problem(GemmType type, GemmMajor a = GemmMajor::k, GemmMajor b = GemmMajor::k) {
  GemmProblem p;
  p.type = type;
  p.a_major = a, p.b_major = b;
  p.m = 200, p.n = 136, p.k = 72;
  return p;
}

const GemmOperands kOperands{0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000};

/// A plan, and the tensor maps that it asked for.
struct Planned {
  GemmPlan plan;
  std::vector<TensorMapCall> maps;
};

Planned planned(const std::string& name, const GemmProblem& p, const std::string& variant = "") {
  Planned out;
  GemmSettings settings;
  settings.variant = variant;
  out.plan = kernel(name).plan(p, kOperands, settings, [&](const TensorMapCall& call) {
    out.maps.push_back(call);
    return TensorMap{};
  });
  return out;
}

/// Empty, or which argument is refused.
std::string refused(const std::string& name, const GemmProblem& p,
                    const std::string& variant = "") {
  try {
    planned(name, p, variant);
  } catch (const GemmRefusal& e) {
    BOOST_TEST(!std::string(e.what()).empty());
    return e.where;
  }
  return "";
}

constexpr GemmType kTypes[] = {GemmType::f16,  GemmType::bf16, GemmType::tf32, GemmType::e4m3,
                               GemmType::e5m2, GemmType::s8,   GemmType::mxf8, GemmType::nvf4};
constexpr GemmMajor kMajors[] = {GemmMajor::k, GemmMajor::mn};

template <class Parameters>
Parameters parameters(const GemmPlan& plan) {
  Parameters out;
  BOOST_TEST_REQUIRE(plan.parameters.size() == sizeof out);
  std::memcpy(&out, plan.parameters.data(), sizeof out);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gemm_plan_tests)

BOOST_AUTO_TEST_CASE(a_kernel_takes_the_types_and_majors_that_its_hardware_has) {
  for (const GemmType type : kTypes) {
    for (const GemmMajor a : kMajors) {
      for (const GemmMajor b : kMajors) {
        const GemmProblem p = problem(type, a, b);
        const bool bits_16 = bits_of(type) == 16, scaled = block_scaled(type);
        const bool fp8 = type == GemmType::e4m3 || type == GemmType::e5m2;
        const bool mn = a == GemmMajor::mn || b == GemmMajor::mn;
        const bool as_stored = a == GemmMajor::k && b == GemmMajor::mn;
        BOOST_TEST_CONTEXT(static_cast<int>(type)
                           << ' ' << static_cast<int>(a) << static_cast<int>(b)) {
          BOOST_TEST(refused("tcgen05_tma", p).empty() == !scaled);
          BOOST_TEST(refused("wgmma_tma", p).empty() == (!scaled && (bits_16 || !mn)));
          BOOST_TEST(refused("tcgen05_cp_async", p).empty() == ((bits_16 || fp8) && as_stored));
          BOOST_TEST(refused("wgmma_cp_async", p).empty() == (bits_16 && as_stored));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_variant_has_a_plan_and_no_other_name_does) {
  for (const GemmKernel& k : gemm_kernels()) {
    std::set<std::string> names;
    for (const std::string& variant : k.variants) {
      BOOST_TEST(names.insert(variant).second);
      bool taken = false;
      for (const GemmType type : kTypes) {
        const GemmMajor b =
            std::string(k.name).ends_with("cp_async") ? GemmMajor::mn : GemmMajor::k;
        taken = taken || refused(k.name, problem(type, GemmMajor::k, b), variant).empty();
      }
      BOOST_TEST(taken, k.name << " " << variant);
    }
    const GemmMajor b = std::string(k.name).ends_with("cp_async") ? GemmMajor::mn : GemmMajor::k;
    BOOST_TEST(refused(k.name, problem(GemmType::f16, GemmMajor::k, b), "64C") == "variant");
  }
}

BOOST_AUTO_TEST_CASE(what_no_kernel_takes_is_refused_by_name) {
  for (const char* name : {"tcgen05_tma", "wgmma_tma"}) {
    GemmProblem p = problem(GemmType::f16);
    for (std::uint32_t* extent : {&p.m, &p.n, &p.k}) {
      const std::uint32_t was = std::exchange(*extent, 0);
      BOOST_TEST(refused(name, p) == "m, n, k");
      *extent = was;
    }
    BOOST_TEST(refused(name, p).empty());
    p.output = GemmOutput::s32;
    BOOST_TEST(refused(name, p) == "output");
    p.type = GemmType::s8;
    BOOST_TEST(refused(name, p).empty());
    p.alpha = 2;
    BOOST_TEST(refused(name, p) == "output");
    p = problem(GemmType::f16);
    p.n = 65535 * 128 + 1;
    BOOST_TEST(refused(name, p) == "n");
    GemmOperands odd = kOperands;
    odd.b += 8;
    BOOST_CHECK_THROW(kernel(name).plan(problem(GemmType::f16), odd, {}, nullptr), GemmRefusal);
  }
}

BOOST_AUTO_TEST_CASE(the_walked_through_tile_has_the_numbers_of_the_walk_through) {
  using Tile = CpAsyncTile<2, 128, 32, SmemSwizzle::b64>;
  static_assert(Tile::A_SBO == 512 && Tile::A_LBO == 16 && Tile::instructions == 2);
  static_assert(Tile::B_LBO == 1024 && Tile::B_SBO == 2048);
  static_assert(CpAsyncTile<2, 64, 32, SmemSwizzle::b64>::A_SBO == 512);
  static_assert(CpAsyncTile<2, 128, 64, SmemSwizzle::b128>::A_SBO == 1024);
  static_assert(CpAsyncTile<2, 128, 64, SmemSwizzle::b64>::A_SBO == 1024);
  static_assert(CpAsyncTile<1, 128, 32, SmemSwizzle::b32>::A_SBO == 256);
  static_assert(CpAsyncTile<2, 128, 32, SmemSwizzle::none>::A_LBO == 128);
  const Planned p =
      planned("tcgen05_cp_async", problem(GemmType::f16, GemmMajor::k, GemmMajor::mn));
  BOOST_TEST(p.plan.entry == "tcgen05_cp_async_64B");
  BOOST_TEST(p.plan.dynamic_smem == 2 * 8192 + 2 * 8192 + 64u);
  BOOST_TEST(p.maps.empty());
  // N = 128, M = 128, B N-major, f16 with f32 accumulators.
  const auto q = parameters<CpAsyncParameters>(p.plan);
  BOOST_TEST(q.instruction == (1u << 4 | 1u << 16 | 16u << 17 | 8u << 24));
  for (std::uint32_t o = 0; o < 8; ++o) {
    const std::string variant = "base128_o" + std::to_string(o);
    const Planned shifted =
        planned("wgmma_cp_async", problem(GemmType::bf16, GemmMajor::k, GemmMajor::mn), variant);
    BOOST_TEST(shifted.plan.entry == "wgmma_cp_async_base128");
    BOOST_TEST(parameters<CpAsyncParameters>(shifted.plan).base_offset == o);
    BOOST_TEST(parameters<CpAsyncParameters>(shifted.plan).bf16 == 1u);
  }
}

BOOST_AUTO_TEST_CASE(grouped_maps_show_whole_groups_only) {
  for (const GemmType type : {GemmType::f16, GemmType::tf32, GemmType::e4m3}) {
    const std::uint32_t group = 1024 / bits_of(type);
    for (const std::uint32_t k : {group - 1, group, group + 1, 3 * group}) {
      GemmProblem p = problem(type);
      p.k = k;
      const Planned made = planned("tcgen05_tma", p);
      const auto q = parameters<TmaParameters>(made.plan);
      BOOST_TEST(q.operand_a.whole == k / group * group);
      std::size_t grouped = 0;
      for (const TensorMapCall& map : made.maps) {
        if (map.global_dim.size() != 3) continue;
        ++grouped;
        BOOST_TEST(map.global_dim[0] == group);
        BOOST_TEST(map.global_dim[2] == k / group);
        BOOST_TEST(map.global_strides[1] == 128u);
        BOOST_TEST(map.box_dim[2] == 2u);
      }
      BOOST_TEST(grouped == (k < group ? 0u : 2u));
      BOOST_TEST(made.maps.size() == grouped + 3);
    }
  }
}

BOOST_AUTO_TEST_CASE(boxes_of_a_stage_are_the_bytes_that_are_announced) {
  for (const GemmType type : kTypes) {
    if (block_scaled(type)) continue;
    for (const GemmMajor major : kMajors) {
      GemmProblem p = problem(type, major, major);
      p.m = p.n = p.k = 1024;
      for (const TensorMapCall& map : planned("tcgen05_tma", p).maps) {
        if (map.global_dim.size() != 3) continue;
        const std::uint64_t elements =
            std::uint64_t{map.box_dim[0]} * map.box_dim[1] * map.box_dim[2];
        BOOST_TEST(elements * bits_of(type) / 8 == kTmaBytesA);
        BOOST_TEST(map.box_dim[1] <= 256u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(expected_values_are_sums_over_the_bytes) {
  // A second formulation for one type: the bytes of e4m3 read back, element by element.
  for (const GemmMajor a : kMajors) {
    for (const GemmMajor b : kMajors) {
      GemmProblem p = problem(GemmType::e4m3, a, b);
      p.m = 5, p.n = 7, p.k = 19;
      const GemmData data = integer_data(p, 3);
      const auto value = [](unsigned char bits) {
        const int exponent = bits >> 3 & 15, fraction = bits & 7;
        const double magnitude =
            exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
        return bits >> 7 ? -magnitude : magnitude;
      };
      const auto at = [&](const Bytes& bytes, const GemmMatrix& m, GemmMajor major,
                          std::uint64_t mn, std::uint64_t k) {
        return value(bytes[major == GemmMajor::k ? mn * m.pitch + k : k * m.pitch + mn]);
      };
      const std::vector<double> expected = expected_values(p, 3);
      for (std::uint32_t m = 0; m < p.m; ++m) {
        for (std::uint32_t n = 0; n < p.n; ++n) {
          double sum = 0;
          for (std::uint32_t k = 0; k < p.k; ++k) {
            sum += at(data.a, matrix_a(p), a, m, k) * at(data.b, matrix_b(p), b, n, k);
          }
          BOOST_TEST(expected[m * p.n + n] == sum);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_d_is_told) {
  for (const GemmOutput output : {GemmOutput::f32, GemmOutput::f16, GemmOutput::bf16}) {
    GemmProblem p = problem(GemmType::f16);
    p.output = output;
    p.m = 3, p.n = 5, p.k = 8;
    p.beta = 1;
    const std::vector<double> expected = expected_values(p, 1);
    // D = C where nothing is multiplied.
    p.alpha = 0;
    const Bytes c = integer_data(p, 1).c;
    const std::vector<double> only_c = expected_values(p, 1);
    Bytes d = c;
    const GemmMatrix matrix = matrix_d(p);
    const auto pad = [&](unsigned char value) {
      for (std::uint64_t row = 0; row < p.m; ++row) {
        const std::uint64_t end = row * matrix.pitch + p.n * bytes_of(output);
        std::fill(d.begin() + static_cast<std::ptrdiff_t>(end),
                  d.begin() + static_cast<std::ptrdiff_t>((row + 1) * matrix.pitch), value);
      }
    };
    pad(0xEE);
    BOOST_TEST(difference(p, only_c, d, 0xEE).empty());
    BOOST_TEST(!difference(p, expected, d, 0xEE).empty());
    pad(0);
    BOOST_TEST(difference(p, only_c, d, 0xEE).empty());
    pad(1);
    BOOST_TEST(difference(p, only_c, d, 0xEE).find("behind row 0") != std::string::npos);
    pad(0xEE);
    d[matrix.pitch + bytes_of(output) - 1] ^= 0x40;
    BOOST_TEST(difference(p, only_c, d, 0xEE).starts_with("D[1][0] is "));
    BOOST_TEST(difference(p, only_c, d, 0xEE).ends_with(", 1 of 15 wrong"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
