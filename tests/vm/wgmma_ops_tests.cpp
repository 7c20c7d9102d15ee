#include <fmt/format.h>

#include "sim/layout/smem_descriptor.h"
#include "sim/machine/tensor_map_object.h"
#include "sim/machine/warpgroup_unit.h"
#include "sim/numerics/minifloat.h"
#include "tests/test.h"
#include "tests/vm/guest.h"

using namespace lc;

// Tensor loads, mbarriers and wgmma together: D (64 x 64) = A * B^T of small integers in bf16, with
// every major-ness and swizzle, under every schedule; and what a careless author changes.
BOOST_AUTO_TEST_SUITE(wgmma_ops_tests)

namespace {

constexpr std::uint32_t kSize = 64;  ///< M, N and K
constexpr std::uint32_t kTileBytes = kSize * kSize * 2;

struct Setup {
  Swizzle swizzle = Swizzle::b128;
  Major a = Major::k, b = Major::k;
  // Mistakes.
  bool skip_barrier_wait = false;
  bool skip_wgmma_wait = false;
  std::uint32_t parity = 0;
  std::uint32_t expected = 2 * kTileBytes;
  std::uint32_t descriptor_shift = 0;  ///< bytes
  Swizzle descriptor_swizzle = Swizzle::b128;
};

int value(std::uint32_t mn, std::uint32_t k, std::uint32_t salt) {
  return static_cast<int>((mn * 5 + k * 3 + salt * (mn ^ k)) % 7) - 3;
}

std::uint16_t bf16(int v) {
  return static_cast<std::uint16_t>(
      numerics::encode(numerics::Format::bf16, v, numerics::Rounding::nearest_even));
}

/// Bytes of the contiguous dimension that one box holds: the span, or a core matrix's 16.
std::uint32_t inner_bytes(Swizzle swizzle) {
  return swizzle == Swizzle::none ? 16 : swizzle_row(swizzle).span;
}

/// The operand in global memory, its contiguous dimension as `major` says; boxes of the whole other
/// dimension.
TensorMapWords map_of(Guest& guest, const Setup& s, Major major, std::uint32_t salt) {
  std::vector<std::uint16_t> codes(kSize * kSize);
  for (std::uint32_t mn = 0; mn < kSize; ++mn) {
    for (std::uint32_t k = 0; k < kSize; ++k) {
      codes[major == Major::k ? mn * kSize + k : k * kSize + mn] = bf16(value(mn, k, salt));
    }
  }
  machine::TensorMapObject object;
  TensorMap& map = object.tiled;
  map.data_type = DataType::bf16;
  map.rank = 2;
  map.global_address = guest.buffer(codes);
  map.global_dim = {kSize, kSize, 1, 1, 1};
  map.global_stride = {kSize * 2};
  map.box_dim = {inner_bytes(s.swizzle) / 2, kSize, 1, 1, 1};
  map.swizzle = s.swizzle;
  return machine::encode_object(object);
}

/// Start, LBO and SBO of the K step `step` (16 elements) of a tile at `tile`.
std::uint64_t descriptor_of(const Setup& s, Major major, std::uint32_t tile, std::uint32_t step) {
  const std::uint32_t inner = inner_bytes(s.swizzle), box = inner * kSize;
  SmemDescriptor d;
  d.swizzle = s.descriptor_swizzle;
  if (major == Major::k) {
    // Step 32 bytes along K: inside a box, or in a later one.
    const std::uint32_t byte = step * 32;
    d.start_address = tile + byte / inner * box + byte % inner;
    d.leading_byte_offset = s.swizzle == Swizzle::none ? box : 16;
    d.stride_byte_offset = 8 * inner;
  } else {
    d.start_address = tile + step * 16 * inner;
    if (s.swizzle == Swizzle::none) {
      d.leading_byte_offset = 8 * inner;  // along K
      d.stride_byte_offset = box;         // along MN
    } else {
      d.leading_byte_offset = box;
      d.stride_byte_offset = 8 * inner;
    }
  }
  d.start_address += s.descriptor_shift;
  return encode_smem_descriptor(Arch::sm_90, d);
}

std::string registers(std::uint32_t count) {
  std::string text = "{";
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}%f{}", i ? "," : "", i);
  return text + "}";
}

constexpr std::uint32_t kTileA = 0x800, kTileB = kTileA + kTileBytes;

std::string program(const Setup& s) {
  std::string body = fmt::format(
      ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<32>;\n"
      ".shared .align 8 .b8 bar[64];\n"
      "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pd];\n"
      "mov.u32 %r0, %tid.x;\nsetp.ne.u32 %p0, %r0, 0;\nmov.u32 %r1, bar;\n"
      "@%p0 bra READY;\nmbarrier.init.shared::cta.b64 [%r1], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {};\n",
      s.expected);
  const std::uint32_t inner = inner_bytes(s.swizzle);
  for (std::uint32_t box = 0; box < kSize * 2 / inner; ++box) {
    for (int operand = 0; operand < 2; ++operand) {
      body += fmt::format(
          "mov.u32 %r2, {};\ncp.async.bulk.tensor.2d.shared::cta.global.tile"
          ".mbarrier::complete_tx::bytes [%r2], [%rd{}, {{{}, 0}}], [%r1];\n",
          (operand == 0 ? kTileA : kTileB) + box * inner * kSize, operand, box * inner / 2);
    }
  }
  body += "READY:\nbar.sync 0;\n";
  if (!s.skip_barrier_wait) {
    body += fmt::format(
        "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], {};\n@!%p1 bra WAIT;\n",
        s.parity);
  }
  body += "wgmma.fence.sync.aligned;\n";
  for (std::uint32_t step = 0; step < kSize / 16; ++step) {
    body += fmt::format(
        "mov.b64 %rd3, {};\nmov.b64 %rd4, "
        "{};\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{}, %rd3, %rd4, {}, 1, 1, {}, {};\n",
        descriptor_of(s, s.a, kTileA, step), descriptor_of(s, s.b, kTileB, step), registers(32),
        step == 0 ? "%p3" : "%p2", s.a == Major::mn ? 1 : 0, s.b == Major::mn ? 1 : 0);
  }
  body += "wgmma.commit_group.sync.aligned;\n";
  if (!s.skip_wgmma_wait) body += "wgmma.wait_group.sync.aligned 0;\n";
  body += "mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, %rd2;\n";
  for (std::uint32_t i = 0; i < 32; ++i) {
    body += fmt::format("st.global.f32 [%rd5+{}], %f{};\n", i * 512, i);
  }
  // %p2: D is read; %p3: it is not.
  const std::string setup = "setp.eq.u32 %p2, %r0, %r0;\nsetp.ne.u32 %p3, %r0, %r0;\n";
  body.insert(body.find("setp.ne.u32 %p0"), setup);
  return ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 pa, .param .u64 pb, "
         ".param .u64 pd)\n{\n" +
         body + "exit;\n}\n";
}

/// "right", "wrong", or the rule of the fault.
std::string outcome(const Setup& s, const machine::Schedule& schedule) {
  machine::RunOptions options;
  options.arch = Arch::sm_90;
  options.schedule = schedule;
  Guest guest(program(s), options);
  const TensorMapWords a = map_of(guest, s, s.a, 1), b = map_of(guest, s, s.b, 2);
  const auto buffer_of = [&](const TensorMapWords& words) {
    std::vector<std::byte> bytes(128);
    machine::store_words(words, std::span<std::byte, 128>(bytes));
    return guest.buffer(bytes);
  };
  const auto d = guest.buffer<float>(kSize * kSize);
  machine::Launch launch = guest.launch({128, 1, 1}, {buffer_of(a), buffer_of(b), d});
  launch.dynamic_shared_bytes = 0x400 + 2 * kTileBytes;
  try {
    guest.run(launch);
  } catch (const machine::Fault& fault) {
    return fault.rule;
  }
  const auto got = guest.read<float>(d, kSize * kSize);
  for (std::uint32_t t = 0; t < 128; ++t) {
    for (std::uint32_t i = 0; i < 32; ++i) {
      // PTX ISA 9.7.15.5.1: row and column of element i of a thread.
      const std::uint32_t m = t / 32 * 16 + t % 32 / 4 + (i / 2 % 2) * 8;
      const std::uint32_t n = i / 4 * 8 + t % 4 * 2 + i % 2;
      int want = 0;
      for (std::uint32_t k = 0; k < kSize; ++k) want += value(m, k, 1) * value(n, k, 2);
      if (got[i * 128 + t] != static_cast<float>(want)) return "wrong";
    }
  }
  return "right";
}

std::vector<machine::Schedule> schedules() {
  using Kind = machine::Schedule::Kind;
  return {{Kind::eager, 0}, {Kind::lazy, 0}, {Kind::random, 1}, {Kind::random, 2}};
}

bool is_caught(const Setup& s) {
  for (const machine::Schedule& schedule : schedules()) {
    if (outcome(s, schedule) != "right") return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_major_and_swizzle_is_right_under_every_schedule) {
  for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    for (const Major a : {Major::k, Major::mn}) {
      for (const Major b : {Major::k, Major::mn}) {
        Setup s;
        s.swizzle = s.descriptor_swizzle = swizzle;
        s.a = a;
        s.b = b;
        for (const machine::Schedule& schedule : schedules()) {
          BOOST_TEST_CONTEXT(swizzle_row(swizzle).span << " " << name_of(a) << " " << name_of(b)
                                                       << " " << to_text(schedule)) {
            BOOST_TEST(outcome(s, schedule) == "right");
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_mistake_shows_under_some_schedule) {
  Setup s;
  s.skip_barrier_wait = true;
  BOOST_TEST(is_caught(s));
  s = {};
  s.skip_wgmma_wait = true;
  BOOST_TEST(outcome(s, {machine::Schedule::Kind::lazy, 0}) == "wrong");
  s = {};
  s.parity = 1;
  BOOST_TEST(is_caught(s));
  s = {};
  s.expected = kTileBytes;
  BOOST_TEST(is_caught(s));
  s = {};
  s.expected = 4 * kTileBytes;
  BOOST_TEST(outcome(s, {}) == "deadlock");
  s = {};
  s.descriptor_shift = 16;
  BOOST_TEST(is_caught(s));
  s = {};
  s.descriptor_swizzle = Swizzle::b64;
  BOOST_TEST(is_caught(s));
}

BOOST_AUTO_TEST_CASE(metadata_is_read_from_the_lanes_that_the_selector_names) {
  std::array<std::uint32_t, machine::kWarpgroupThreads> metadata{};
  metadata.fill(0x44444444);
  // Row 16 + 8 + 3 of warp 1, selector 1, second half of K: lane 12 + 3, high half.
  metadata[32 + 12 + 3] = 0x444E4444;
  const auto positions = machine::warpgroup_positions(Element::f16, 1, metadata);
  for (std::uint32_t m = 0; m < 64; ++m) {
    for (std::uint32_t j = 0; j < 16; ++j) {
      const bool moved = m == 27 && j / 2 == 4;
      BOOST_TEST(positions[m * 16 + j] == j / 2 * 4 + j % 2 + (moved ? 2 : 0));
    }
  }
  metadata[0] = 0x44444440;
  BOOST_CHECK_THROW(machine::warpgroup_positions(Element::e4m3, 0, metadata), machine::Fault);
}

BOOST_AUTO_TEST_SUITE_END()
