#include <fmt/format.h>

#include "sim/machine/tensor_core.h"
#include "sim/numerics/minifloat.h"
#include "tests/test.h"
#include "tests/vm/tensor_guest.h"

using namespace lc;
using namespace lc::machine;

// The units are checked against the definition in tests/machine; here the instructions are checked
// against the units, on random bits, and small products against plain sums.
BOOST_AUTO_TEST_SUITE(tcgen05_mma_ops_tests)

namespace {

constexpr std::uint32_t kA = TensorKernel::kTile, kB = kA + 0x5000;
constexpr std::uint32_t kAColumn = 256, kScaleA = 320, kScaleB = 328, kMeta = 352;

std::uint64_t k_major(std::uint32_t at) {
  return encode_smem_descriptor(Arch::sm_100, {at, 16, 256, 0, {}, Swizzle::b32});
}

/// Legal metadata in every lane: nibbles that kinds of two in four and tf32 both take.
void put_metadata(TensorKernel& k) {
  for (std::size_t i = 0; i < k.tensor.size(); ++i) {
    const std::size_t column = i % kTmemColumns;
    if (column >= kMeta) k.tensor[i] = i % 3 == 0 ? 0x4EE4E44E : 0xE44EE4E4;
  }
}

MmaRequest request(MmaKind kind, std::uint32_t m, std::uint32_t cta_group, bool ws, bool sparse) {
  MmaRequest q;
  q.kind = kind;
  q.cta_group = cta_group;
  q.weight_stationary = ws;
  q.sparse = sparse;
  InstructionDescriptor x;
  x.kind = kind;
  x.m = m;
  x.n = 64;
  x.sparse = sparse;
  constexpr Element kElements[] = {Element::bf16, Element::tf32, Element::e4m3, Element::i8,
                                   Element::e5m2, Element::e2m1, Element::e2m1};
  x.a = x.b = kElements[static_cast<int>(kind)];
  x.d = kind == MmaKind::i8 ? Accumulator::s32 : Accumulator::f32;
  q.instruction = encode(x);
  q.a_descriptor = k_major(kA);
  q.b_descriptor = encode_smem_descriptor(
      Arch::sm_100, {kB, 16, sparse ? 512u : 256u, 0, {}, sparse ? Swizzle::b64 : Swizzle::b32});
  q.metadata_address = kMeta;
  q.sfa_address = kScaleA;
  q.sfb_address = kScaleB;
  return q;
}

/// The request as text; `tail` are operands behind the predicate, `use` modifiers at the end.
std::string text(const MmaRequest& q, const std::string& tail = "", const std::string& use = "",
                 const std::string& mask = "") {
  const bool scaled = mma_kind_row(q.kind).block_scaled;
  std::string t = fmt::format("mov.b64 %b0, {}; mov.b64 %b1, {}; mov.b32 %w0, {};\n",
                              q.a_descriptor, q.b_descriptor, q.instruction);
  t += fmt::format("setp.{}.u32 %p1, %thr, 0;\n", q.read_d ? "eq" : "ne");
  t += fmt::format("tcgen05.mma{}{}.cta_group::{}.kind::{}{}{} ", q.weight_stationary ? ".ws" : "",
                   q.sparse ? ".sp" : "", q.cta_group, name_of(q.kind),
                   scaled ? ".block_scale" : "", use);
  t +=
      q.a_address ? fmt::format("[%base], [%base+{}], %b1, ", *q.a_address) : "[%base], %b0, %b1, ";
  if (q.sparse) t += fmt::format("[%base+{}], ", q.metadata_address);
  t += "%w0, " + mask;
  if (scaled) t += fmt::format("[%base+{}], [%base+{}], ", q.sfa_address, q.sfb_address);
  return t + "%p1" + tail + ";\n";
}

void run_unit(const MmaRequest& q, std::vector<TensorKernel::Memories>& all) {
  std::vector<MmaCta> ctas;
  for (auto& m : all) ctas.push_back({&m.shared, &m.tensor});
  execute_mma(q, ctas);
}

void check(TensorKernel& k, const MmaRequest& q, const std::string& body,
           const machine::RunOptions& options = {}) {
  k.body = body;
  const auto want = k.expect([&](auto& all) { run_unit(q, all); });
  BOOST_TEST_CONTEXT(body) {
    BOOST_TEST((k.run(options) == want));
    BOOST_TEST((want != k.tensor));
  }
}

struct Form {
  std::uint32_t m, cta_group;
  bool ws;
};
constexpr Form kForms[] = {{128, 1, false}, {64, 1, false}, {256, 2, false}, {128, 2, false},
                           {128, 1, true},  {64, 1, true},  {32, 1, true}};

bool exists(const MmaRequest& q) {
  try {
    decode_mma(q);
  } catch (const Fault&) {
    return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_and_form_does_what_the_unit_does) {
  int count = 0;
  for (const Form& form : kForms) {
    TensorKernel k(form.cta_group);
    put_metadata(k);
    for (int kind = 0; kind < static_cast<int>(kMmaKindCount); ++kind) {
      for (int variant = 0; variant < 4; ++variant) {
        MmaRequest q = request(static_cast<MmaKind>(kind), form.m, form.cta_group, form.ws,
                               (variant & 1) != 0);
        if ((variant & 2) != 0) q.a_address = kAColumn;
        q.read_d = (count & 1) != 0;
        const bool four = q.kind == MmaKind::mxf4nvf4;
        if (four) q.scale_block = (count & 2) != 0 ? 16 : 32;
        if (is_mxf4(q.kind) && q.sparse) continue;  // pairs of a kind need other metadata
        if (!exists(q)) continue;
        check(k, q, text(q, "", !four ? "" : q.scale_block == 16 ? ".block16" : ".scale_vec::2X"));
        ++count;
      }
    }
  }
  BOOST_TEST(count > 80);
}

BOOST_AUTO_TEST_CASE(operands_that_may_be_left_out_have_their_effect) {
  TensorKernel k, pair(2);
  MmaRequest q = request(MmaKind::f16, 128, 1, false, false);
  q.d_shift = 3;
  check(k, q, text(q, ", 3"));
  q.d_shift = 0;
  q.disabled_lanes[0] = {0x10, 0, 0xFFFF0000, 1};
  const std::string words =
      "mov.b32 %w1, 0x10; mov.b32 %w2, 0; mov.b32 %w3, 0xFFFF0000; mov.b32 %w4, 1;\n";
  check(k, q, words + text(q, "", "", "{%w1, %w2, %w3, %w4}, "));
  q.d_shift = 15;
  check(k, q, words + text(q, ", 15", ".collector::a::fill", "{%w1, %w2, %w3, %w4}, "));
  q = request(MmaKind::tf32, 256, 2, false, false);
  q.disabled_lanes = {{{0x10, 0, 0xFFFF0000, 1}, {1, 0x10, 0, 0}}};
  check(pair, q, words + text(q, "", "", "{%w1, %w2, %w3, %w4, %w4, %w1, %w2, %w2}, "));
  q = request(MmaKind::f16, 128, 1, false, false);
  q.a_address = kAColumn;
  q.shift_a = true;
  check(k, q, text(q, "", ".ashift.collector::a::lastuse"));
  q = request(MmaKind::i8, 64, 1, true, false);
  q.zero_columns = std::uint64_t{3} << 40 | std::uint64_t{2} << 48 | std::uint64_t{1} << 39 | 1;
  check(k, q,
        fmt::format("mov.b64 %b2, {};\n", q.zero_columns) +
            text(q, ", %b2", ".collector::b2::discard"));
}

// D = A * B with a swizzle of 128 bytes, four instructions along K, placed by hand: row r, chunk c
// of 16 bytes at 128 r + 16 (c ^ r % 8).
namespace {

int value_a(std::uint32_t m, std::uint32_t k) {
  return static_cast<int>((m * 5 + k * 3) % 7) - 3;
}
int value_b(std::uint32_t n, std::uint32_t k) {
  return static_cast<int>((n * 3 + k) % 5) - 2;
}

void place(TensorKernel& k, std::uint32_t v, std::uint32_t at, std::uint32_t rows,
           int (*value)(std::uint32_t, std::uint32_t)) {
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      const auto code = static_cast<std::uint16_t>(numerics::encode(
          numerics::Format::f16, value(v * rows + r, i), numerics::Rounding::nearest_even));
      const std::uint32_t byte = at + 128 * r + 16 * ((i / 8) ^ (r % 8)) + 2 * (i % 8);
      std::memcpy(&k.tile[v * TensorKernel::kTileBytes + byte], &code, 2);
    }
  }
}

TensorKernel product(std::uint32_t ctas) {
  TensorKernel k(ctas);
  for (std::uint32_t v = 0; v < ctas; ++v) {
    place(k, v, 0, 128, value_a);
    place(k, v, 0x4000, 64, value_b);
  }
  const std::uint32_t m = 128 * ctas, n = 64 * ctas;
  const std::uint64_t rest =
      std::uint64_t{64} << 32 | std::uint64_t{1} << 46 | std::uint64_t{2} << 61;
  k.body = fmt::format("mov.b64 %b0, {}; mov.b64 %b1, {}; setp.ne.u32 %p1, %thr, 0;\n",
                       rest | kA >> 4, rest | (kA + 0x4000) >> 4);
  for (int step = 0; step < 4; ++step) {
    k.body += fmt::format(
        "tcgen05.mma.cta_group::{}.kind::f16 [%base+8], %b0, %b1, {}, {};\n"
        "add.u64 %b0, %b0, 2; add.u64 %b1, %b1, 2;\n",
        ctas, 1u << 4 | n / 8 << 17 | m / 16 << 24, step == 0 ? "%p1" : "1");
  }
  return k;
}

bool is_right(const std::vector<std::uint32_t>& tensor, std::uint32_t ctas) {
  for (std::uint32_t m = 0; m < 128 * ctas; ++m) {
    for (std::uint32_t n = 0; n < 64 * ctas; ++n) {
      int want = 0;
      for (std::uint32_t i = 0; i < 64; ++i) want += value_a(m, i) * value_b(n, i);
      const std::uint32_t word = tensor[std::size_t{m} * kTmemColumns + 8 + n];
      if (numerics::to_double(numerics::Format::f32, word) != want) return false;
    }
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_product_is_right_under_every_schedule) {
  for (const std::uint32_t ctas : {1u, 2u}) {
    const TensorKernel k = product(ctas);
    for (const machine::RunOptions& options : schedules())
      BOOST_TEST(is_right(k.run(options), ctas));
  }
}

BOOST_AUTO_TEST_CASE(a_commit_that_is_missing_shows_when_work_is_late) {
  TensorKernel k = product(1);
  k.commits = false;
  BOOST_TEST(is_right(k.run(schedules()[0]), 1));
  // The instructions run when the kernel has freed the columns.
  BOOST_TEST(rule_of(k, schedules()[1]) == "tmem.unallocated");
}

BOOST_AUTO_TEST_CASE(observers_hear_where_operands_are_read) {
  struct Reads : Observer {
    std::vector<OperandRead> seen;
    using Observer::see;
    void see(const OperandRead& e) override { seen.push_back(e); }
  } reads;
  Events events;
  events.subscribe(reads);
  machine::RunOptions options;
  options.events = &events;
  product(2).run(options);
  BOOST_TEST_REQUIRE(reads.seen.size() == 16u);  // four instructions, two CTAs, A and B
  const OperandRead &a = reads.seen[0], &b = reads.seen[3];
  BOOST_TEST((a.operand == OperandRead::Operand::a && a.mn == 128u && a.k == 16u));
  BOOST_TEST((b.operand == OperandRead::Operand::b && b.mn == 64u && b.cta_rank == 1u));
  BOOST_TEST((a.descriptor & 0x3FFF) == kA >> 4);
  BOOST_TEST((a.item != 0 && a.item == b.item && reads.seen[4].item > a.item));
  BOOST_TEST((a.place.line > 0 && a.actor.unit == Unit::tensor_core && a.actor.lane == 0));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_matrix_instruction_is_a_fault) {
  TensorKernel k, pair(2);
  const auto rule = [](TensorKernel& kernel, const MmaRequest& q,
                       const std::string& base = "[%base]") {
    kernel.body = text(q);
    kernel.body.replace(kernel.body.find("[%base]"), 7, base);
    return rule_of(kernel);
  };
  const MmaRequest good = request(MmaKind::f16, 128, 1, false, false);
  BOOST_TEST(rule(k, good) == "none");
  BOOST_TEST(rule(k, good, "[%base+327680]") == "tmem.lane-base");  // lane 5
  BOOST_TEST(rule(k, good, "[%base+500]") == "tmem.out-of-bounds");
  BOOST_TEST(rule(pair, good) == "tmem.mixed-cta-group");
  MmaRequest q = request(MmaKind::f16, 256, 2, false, false);
  BOOST_TEST(rule(k, q) == "tmem.no-pair");
  q = good;
  q.instruction |= 4;
  BOOST_TEST(rule(k, q) == "mma.sparse-bit");
  q = good;
  q.a_descriptor |= std::uint64_t{7} << 61;
  BOOST_TEST(rule(k, q) == "smem_descriptor.swizzle-code");
  q = request(MmaKind::f16, 64, 1, false, false);
  q.a_address = kAColumn;
  k.body = text(q, "", ".ashift");
  BOOST_TEST(rule_of(k) == "mma.ashift");
}

BOOST_AUTO_TEST_SUITE_END()
