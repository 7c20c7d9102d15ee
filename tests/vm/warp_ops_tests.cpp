#include <bit>
#include <random>

#include "tests/test.h"
#include "tests/vm/lane_program.h"

using namespace lc;

BOOST_AUTO_TEST_SUITE(warp_ops_tests)

namespace {

/// Results where lane i's r1 is a word of its own.
std::vector<std::uint64_t> on_words(const std::string& body,
                                    const std::vector<std::uint32_t>& words) {
  Guest guest(
      lane_program("mul.wide.u32 d1, r0, 4; add.u64 d1, d1, d28; ld.global.u32 r1, [d1];" + body));
  const std::uint64_t in = guest.buffer(words);
  return results_of(guest, {.threads = static_cast<std::uint32_t>(words.size()), .parameter = in});
}

std::vector<std::uint32_t> random_words(std::uint32_t seed, std::uint32_t bits = 32) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words(32);
  for (auto& w : words)
    w = static_cast<std::uint32_t>(bits == 32 ? random() : random() & ((1u << bits) - 1));
  return words;
}

/// What shfl.sync says in the words of the CUDA guide: segments of `width` lanes.
int from_lane(const std::string& mode, int lane, int b, int width) {
  const int begin = lane / width * width, end = begin + width;
  int j = mode == "up"     ? lane - b
          : mode == "down" ? lane + b
          : mode == "bfly" ? lane ^ b
                           : begin + b % width;
  if (mode == "up" && j < begin) return -1;
  if (mode != "up" && j >= end) return -1;
  return j;
}

}  // namespace

BOOST_AUTO_TEST_CASE(shuffles_stay_in_their_segments) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const int width : {32, 16, 8, 4, 2, 1}) {
      // CUDA: c = ((32 - width) << 8) | (up ? 0 : 31)
      const int c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
      std::string body = "mov.u64 d0, 0;";
      // All distances of one kernel: a checksum tells sources and predicates apart.
      for (int b = 0; b < 32; ++b) {
        body += "shfl.sync." + mode + ".b32 r2|p0, r0, " + std::to_string(b) + ", " +
                std::to_string(c) +
                ", -1; selp.u32 r3, 1, 0, p0; mad.lo.u32 r2, r3, 32, r2;"
                "cvt.u64.u32 d1, r2; mad.lo.u64 d0, d0, 1000003, d1;";
      }
      const auto got = results_of(body);
      for (int lane = 0; lane < 32; ++lane) {
        std::uint64_t want = 0;
        for (int b = 0; b < 32; ++b) {
          const int j = from_lane(mode, lane, b, width);
          want = want * 1000003 + static_cast<std::uint64_t>(j < 0 ? lane : j + 32);
        }
        BOOST_TEST_REQUIRE(got[static_cast<std::size_t>(lane)] == want,
                           mode << " width " << width << " lane " << lane);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(shuffles_take_the_distance_of_each_lane) {
  const auto got = results_of(
      "xor.b32 r2, r0, 5; shfl.sync.idx.b32 r3, r0, r2, 31, -1;"
      "cvt.u64.u32 d0, r3;");
  for (std::uint64_t lane = 0; lane < 32; ++lane) BOOST_TEST(got[lane] == (lane ^ 5));
}

BOOST_AUTO_TEST_CASE(votes) {
  const std::string setp = "and.b32 r2, r1, 1; setp.ne.u32 p0, r2, 0;";
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    std::vector<std::uint32_t> words = random_words(seed, 1);
    if (seed == 1) words.assign(32, 1);
    if (seed == 2) words.assign(32, 0);
    std::uint32_t mask = 0;
    for (std::uint32_t i = 0; i < 32; ++i) mask |= words[i] << i;
    const bool all = mask == ~0u, any = mask != 0;
    const auto flag = [&](const std::string& mode, const std::string& sign = "") {
      return on_words(
          setp + "vote.sync." + mode + ".pred p1, " + sign + "p0, -1; selp.u64 d0, 1, 0, p1;",
          words)[9];
    };
    BOOST_TEST(flag("all") == all);
    BOOST_TEST(flag("any") == any);
    BOOST_TEST(flag("uni") == (all || !any));
    BOOST_TEST(flag("all", "!") == !any);
    BOOST_TEST(on_words(setp + "vote.sync.ballot.b32 r3, p0, -1; cvt.u64.u32 d0, r3;", words)[31] ==
               mask);
  }
}

BOOST_AUTO_TEST_CASE(matches) {
  const auto words = random_words(3, 2);
  const auto any = on_words("match.any.sync.b32 r3, r1, -1; cvt.u64.u32 d0, r3;", words);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::uint32_t want = 0;
    for (std::size_t i = 0; i < 32; ++i) want |= (words[i] == words[lane] ? 1u : 0u) << i;
    BOOST_TEST(any[lane] == want);
  }
  const std::string all =
      "match.all.sync.b64 r3|p0, d2, -1; selp.u32 r4, 7, 0, p0;"
      "mov.b64 d0, {r3, r4};";
  BOOST_TEST(on_words("mov.b64 d2, {r1, r1};" + all, words)[5] == 0u);
  BOOST_TEST(on_words("mov.b64 d2, 5;" + all, words)[5] == 0x7FFFFFFFFu);
}

BOOST_AUTO_TEST_CASE(reductions_over_the_warp) {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const auto words = random_words(seed);
    const auto fold = [&](auto f) {
      std::uint32_t sum = words[0];
      for (std::size_t i = 1; i < 32; ++i) sum = f(sum, words[i]);
      return sum;
    };
    const auto got = [&](const std::string& op) {
      return static_cast<std::uint32_t>(
          on_words("redux.sync." + op + " r3, r1, -1; cvt.u64.u32 d0, r3;", words)[17]);
    };
    BOOST_TEST(got("add.u32") == fold([](auto a, auto b) { return a + b; }));
    BOOST_TEST(got("add.s32") == fold([](auto a, auto b) { return a + b; }));
    BOOST_TEST(got("min.u32") == fold([](auto a, auto b) { return std::min(a, b); }));
    BOOST_TEST(got("max.u32") == fold([](auto a, auto b) { return std::max(a, b); }));
    BOOST_TEST(got("min.s32") == fold([](std::uint32_t a, std::uint32_t b) {
                 return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
               }));
    BOOST_TEST(got("max.s32") == fold([](std::uint32_t a, std::uint32_t b) {
                 return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
               }));
    BOOST_TEST(got("and.b32") == fold([](auto a, auto b) { return a & b; }));
    BOOST_TEST(got("or.b32") == fold([](auto a, auto b) { return a | b; }));
    BOOST_TEST(got("xor.b32") == fold([](auto a, auto b) { return a ^ b; }));
  }
}

BOOST_AUTO_TEST_CASE(float_reductions_know_signs_of_zero_and_nans) {
  const auto got = [&](const std::string& op, std::uint32_t rest, std::uint32_t one) {
    std::vector<std::uint32_t> words(32, rest);
    words[11] = one;
    return static_cast<std::uint32_t>(
        on_words("redux.sync." + op + ".f32 r3, r1, -1; cvt.u64.u32 d0, r3;", words)[0]);
  };
  constexpr std::uint32_t kNan = 0x7FC12345, kMinus2 = 0xC0000000, k1 = 0x3F800000;
  BOOST_TEST(got("min", 0, 0x80000000) == 0x80000000u);
  BOOST_TEST(got("max", 0x80000000, 0) == 0u);
  BOOST_TEST(got("min", k1, kMinus2) == kMinus2);
  BOOST_TEST(got("min.abs", k1, kMinus2) == k1);
  BOOST_TEST(got("max.abs", k1, kMinus2) == 0x40000000u);
  BOOST_TEST(got("max", k1, kNan) == k1);
  BOOST_TEST(got("max.NaN", k1, kNan) == 0x7FFFFFFFu);
  BOOST_TEST(got("min.abs.NaN", k1, kNan) == 0x7FFFFFFFu);
  BOOST_TEST(got("min", kNan, kNan) == 0x7FFFFFFFu);
}

BOOST_AUTO_TEST_CASE(one_lane_is_elected) {
  const auto got = results_of("elect.sync r1|p0, -1; selp.u32 r2, 1, 0, p0; mov.b64 d0, {r2, r1};");
  int leaders = 0;
  for (const std::uint64_t r : got) leaders += static_cast<int>(r & 1);
  BOOST_TEST(leaders == 1);
  BOOST_TEST(got[0] == 1u);
  const auto part = results_of(
      "mov.u64 d0, 0; setp.lt.u32 p1, r0, 20; @p1 bra DONE;"
      "elect.sync _|p0, 0xFFF00000; selp.u64 d0, 1, 0, p0; DONE:");
  for (std::size_t lane = 0; lane < 32; ++lane) BOOST_TEST(part[lane] == (lane == 20 ? 1u : 0u));
}

BOOST_AUTO_TEST_CASE(activemask_is_of_the_lanes_that_are_there) {
  const auto got = results_of(
      "mov.u32 r1, 0; setp.lt.u32 p0, r0, 5; @p0 activemask.b32 r1;"
      "cvt.u64.u32 d0, r1;");
  BOOST_TEST(got[0] == 31u);
  BOOST_TEST(got[5] == 0u);
}

BOOST_AUTO_TEST_CASE(lanes_of_a_mask_wait_for_one_another) {
  // Odd lanes take a detour before the same instruction.
  const std::string body =
      "and.b32 r1, r0, 1; setp.eq.u32 p0, r1, 0; mov.u32 r2, r0; @p0 bra MEET;"
      "add.u32 r2, r2, 100; nanosleep.u32 5;"
      "MEET: shfl.sync.bfly.b32 r3, r2, 1, 31, -1; cvt.u64.u32 d0, r3;";
  const auto got = results_of(body);
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    BOOST_TEST(got[lane] == (lane % 2 == 0 ? lane + 1 + 100 : lane - 1));
  }
}

BOOST_AUTO_TEST_CASE(masks_may_differ_between_lanes) {
  const auto got = results_of(
      "shr.u32 r1, r0, 3; mul.lo.u32 r1, r1, 8; mov.u32 r2, 0xFF;"
      "shl.b32 r2, r2, r1; redux.sync.add.u32 r3, r0, r2;"
      "cvt.u64.u32 d0, r3;");
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    BOOST_TEST(got[lane] == lane / 8 * 64 + 28);
  }
}

BOOST_AUTO_TEST_CASE(a_lane_is_in_its_own_mask_and_lanes_that_never_come_are_told) {
  BOOST_TEST(rule_of("vote.sync.any.pred p0, p1, 1;") == "membermask.self");
  BOOST_TEST(rule_of("setp.eq.u32 p0, r0, 0; @p0 exit; bar.warp.sync -1;") == "none");
  BOOST_TEST(rule_of("setp.eq.u32 p0, r0, 0; @p0 bra OTHER; bar.warp.sync -1; bra DONE;"
                     "OTHER: bar.sync 0; DONE:") == "warp.missing-lanes");
}

BOOST_AUTO_TEST_CASE(forms_without_sync_are_refused_with_a_hint) {
  try {
    results_of("shfl.down.b32 r1, r0, 1, 31;");
    BOOST_ERROR("accepted");
  } catch (const ptx::ParseError& error) {
    BOOST_TEST(std::string(error.what()).find("shfl.sync") != std::string::npos);
  }
  for (const char* body :
       {"vote.all.pred p0, p1;", "vote.ballot.b32 r1, p1;", "shfl.sync.left.b32 r1, r0, 1, 31, -1;",
        "redux.sync.add.f32 r1, r0, -1;", "match.any.sync.b32 r1|p0, r0, -1;",
        "elect.sync r1, -1;"}) {
    BOOST_TEST_CONTEXT(body) {
      BOOST_TEST(rule_of(body) == "parse");
    }
  }
}

namespace {

/// Lanes below 20 execute `low`, the others `high`, in the order that `low_first` says.
std::string parted(const std::string& low, const std::string& high, bool low_first) {
  const std::string first = low_first ? low : high, second = low_first ? high : low;
  return "setp.lt.u32 p0, r0, 20; mov.u64 d0, 0; mov.u32 r9, 0; @" +
         std::string(low_first ? "!" : "") + "p0 bra SECOND; mul.lo.u32 r2, r0, 3;" + first +
         "bra DONE; SECOND: mul.lo.u32 r5, r0, 5;" + second + "DONE:";
}

/// What lane `lane` brings to the parted instruction.
std::uint32_t brought(std::uint32_t lane, bool low_first) {
  return lane * ((lane < 20) == low_first ? 3 : 5);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shuffles_meet_from_different_places) {
  for (const bool low_first : {false, true}) {
    const std::string first = "shfl.sync.bfly.b32 r3, r2, 31, 31, -1; cvt.u64.u32 d0, r3;";
    const std::string second = "shfl.sync.bfly.b32 r4, r5, 31, 31, 0xffffffff; cvt.u64.u32 d0, r4;";
    const auto got =
        results_of(parted(low_first ? first : second, low_first ? second : first, low_first));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      BOOST_TEST(got[lane] == brought(31 - lane, low_first));
    }
  }
}

BOOST_AUTO_TEST_CASE(collectives_meet_from_different_places) {
  // Each pair: at the first place over r2, at the second over r5; -> d0
  const auto of = [](const std::string& first, const std::string& second) {
    return results_of(parted(first, second, true));
  };
  std::uint64_t sum = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) sum += brought(lane, true);
  const std::string wide = "cvt.u64.u32 d0, r3;";
  const auto sums =
      of("redux.sync.add.u32 r3, r2, -1;" + wide, "redux.sync.add.u32 r3, r5, -1;" + wide);
  const auto ballots = of("setp.eq.u32 p1, r0, 4; vote.sync.ballot.b32 r3, p1, -1;" + wide,
                          "setp.ne.u32 p2, r0, 25; vote.sync.ballot.b32 r3, !p2, -1;" + wide);
  const auto votes =
      of("setp.lt.u32 p1, r0, 32; vote.sync.all.pred p2, p1, -1; selp.u32 r3, 1, 0, p2;" + wide,
         "setp.ne.u32 p1, r0, 25; vote.sync.all.pred p2, p1, -1; selp.u32 r3, 1, 2, p2;" + wide);
  const auto matches =
      of("mov.u64 d1, 9; match.any.sync.b64 r3, d1, -1;" + wide,
         "cvt.u64.u32 d2, r0; and.b64 d2, d2, 9; match.any.sync.b64 r3, d2, -1;" + wide);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    BOOST_TEST(sums[lane] == sum);
    BOOST_TEST(ballots[lane] == (1u << 4 | 1u << 25));
    BOOST_TEST(votes[lane] == (lane < 20 ? 0 : 2));
    std::uint32_t same = 0;
    const auto value = [](std::uint32_t l) { return l < 20 ? 9 : l & 9; };
    for (std::uint32_t l = 0; l < 32; ++l) same |= value(l) == value(lane) ? 1u << l : 0;
    BOOST_TEST(matches[lane] == same);
  }
}

BOOST_AUTO_TEST_CASE(warp_barriers_meet_in_groups_and_after_exits) {
  // Masks of even and odd lanes, each group from both sides of a branch; lane 21 has exited.
  const std::string side =
      "and.b32 r6, r0, 1; setp.eq.u32 p1, r6, 0; selp.b32 r7, 0x55555555, 0xaaaaaaaa, p1;"
      "setp.eq.u32 p2, r0, 21; @p2 exit; bar.warp.sync r7; mov.u64 d0, 5;";
  const auto got = results_of(parted(side, "add.u32 r9, r9, 1;" + side, true));
  for (std::uint32_t lane = 0; lane < 32; ++lane) BOOST_TEST(got[lane] == (lane == 21 ? 0 : 5));
}

BOOST_AUTO_TEST_SUITE_END()
