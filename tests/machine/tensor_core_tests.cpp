#include "sim/machine/tensor_core.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "sim/machine/zero_columns.h"
#include "sim/numerics/minifloat.h"
#include "sim/numerics/sparse.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(tensor_core_tests)

namespace {

constexpr std::uint64_t kAStart = 0x400, kBStart = 0x8400;
constexpr std::uint32_t kDColumn = 0, kAColumn = 256, kScaleA = 320, kScaleB = 328, kMeta = 352;

/// Small whole numbers, so that every order of summation gives the same word.
int value_a(std::uint32_t m, std::uint32_t k) {
  return static_cast<int>((m * 5 + k * 3) % 5) - 2;
}
int value_b(std::uint32_t n, std::uint32_t k) {
  return static_cast<int>((n * 7 + k) % 3) - 1;
}
int value_c(std::uint32_t m, std::uint32_t n) {
  return static_cast<int>((m * 3 + n) % 17) - 8;
}

/// -2 .. 2 in any element type.
std::uint32_t code_of(Element element, int value) {
  const numerics::Format format = format_of(element);
  if (!numerics::is_float(format)) return static_cast<std::uint32_t>(value) & 0xFF;
  return numerics::encode(format, value, numerics::Rounding::nearest_even);
}

void put_bits(std::byte* bytes, std::uint64_t bit, std::uint32_t width, std::uint32_t code) {
  for (std::uint32_t b = 0; b < width; ++b) {
    std::byte& byte = bytes[(bit + b) / 8];
    const auto one = static_cast<std::byte>(1u << (bit + b) % 8);
    byte = (code >> b & 1) != 0 ? byte | one : byte & ~one;
  }
}

/// A problem and where it lies: one CTA or a pair.
struct Problem {
  MmaKind kind = MmaKind::f16;
  Element a = Element::f16, b = Element::f16;
  Accumulator d = Accumulator::f32;
  std::uint32_t m = 128, n = 64;
  std::uint32_t cta_group = 1;
  bool ws = false;
  Major a_major = Major::k, b_major = Major::k;
  bool a_in_tensor_memory = false;
  bool sparse = false;
  bool negate_a = false;
  ScaleType scale_type = ScaleType::ue8m0;
  std::uint32_t scale_block = 32;

  bool scaled() const { return mma_kind_row(kind).block_scaled; }
  Container container() const { return is_mxf4(kind) ? Container::packed : Container::byte; }
  std::uint32_t k() const { return mma_k(kind, sparse); }
  std::uint32_t stored_k() const { return mma_k(kind, false); }

  InstructionDescriptor instruction() const {
    InstructionDescriptor x;
    x.kind = kind;
    x.d = d;
    x.a = a;
    x.b = b;
    x.m = m;
    x.n = n;
    x.a_major = a_major;
    x.b_major = b_major;
    x.sparse = sparse;
    x.negate_a = negate_a;
    x.scale_type = scale_type;
    return x;
  }
  DLayoutRow layout() const { return d_layout_row(*find_d_layout(m, cta_group, ws, sparse)); }
};

/// The position in B of stored element `k` of row `m` of a sparse A, and the nibble that says so.
std::uint32_t nibble_of(MmaKind kind, std::uint32_t m, std::uint32_t group) {
  constexpr std::uint32_t kLegal[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
  if (kind == MmaKind::tf32) return (m + group) % 2 == 0 ? 0x4 : 0xE;
  return kLegal[(m + group) % 6];
}

class World {
 public:
  explicit World(const Problem& problem) : p_(problem) {
    for (std::uint32_t v = 0; v < p_.cta_group; ++v) {
      shared_.emplace_back(0x10000);
      tensor_.emplace_back();
      tensor_.back().allocate(512, p_.cta_group);
    }
    for (std::uint32_t v = 0; v < p_.cta_group; ++v) fill(v);
    request.kind = p_.kind;
    request.cta_group = p_.cta_group;
    request.weight_stationary = p_.ws;
    request.sparse = p_.sparse;
    request.instruction = encode(p_.instruction());
    request.d_address = kDColumn;
    if (p_.a_in_tensor_memory) request.a_address = kAColumn;
    request.a_descriptor =
        encode_smem_descriptor(Arch::sm_100, descriptor(p_.a, p_.a_major, kAStart));
    request.b_descriptor =
        encode_smem_descriptor(Arch::sm_100, descriptor(p_.b, p_.b_major, kBStart));
    request.metadata_address = kMeta;
    request.sfa_address = kScaleA;
    request.sfb_address = kScaleB;
    request.scale_block = p_.scale_block;
  }

  void run() {
    std::vector<MmaCta> ctas;
    for (std::uint32_t v = 0; v < p_.cta_group; ++v) ctas.push_back({&shared_[v], &tensor_[v]});
    execute_mma(request, ctas);
  }

  std::uint32_t d_word(std::uint32_t m, std::uint32_t n) const {
    const TmemCell cell = d_cell(p_.layout(), p_.n, m, n);
    return tensor_[cell.cta].read(cell.lane, kDColumn + cell.column);
  }
  double d(std::uint32_t m, std::uint32_t n) const {
    const std::uint32_t word = d_word(m, n);
    if (p_.d == Accumulator::s32) return static_cast<std::int32_t>(word);
    const auto format = p_.d == Accumulator::f16 ? numerics::Format::f16 : numerics::Format::f32;
    return numerics::to_double(format, word);
  }

  /// Straight from the definition.
  double expected(std::uint32_t m, std::uint32_t n, bool read_c = true) const {
    double sum = 0;
    for (std::uint32_t k = 0; k < p_.stored_k(); ++k) {
      const std::uint32_t kb = p_.sparse ? position(m, k) : k;
      sum += value_a(m, k) * value_b(n, kb) * scale(m, n, k);
    }
    return (p_.negate_a ? -sum : sum) + (read_c ? value_c(m, n) : 0);
  }

  MmaRequest request;

  TensorMemory& tensor(std::uint32_t v) { return tensor_[v]; }

 private:
  /// Panels of one span after the other, 16-byte cells of 8 rows where there is no swizzle.
  SmemDescriptor descriptor(Element element, Major major, std::uint64_t start) const {
    const std::uint32_t bits = stored_bits(element, p_.container());
    if (major == Major::k) {
      // A sparse instruction reads 64 bytes of every row of B.
      if (p_.sparse && start == kBStart)
        return {start, 16, 512, 0, LboMode::relative, Swizzle::b64};
      return {start, 16, 256, 0, LboMode::relative, Swizzle::b32};
    }
    if (bits == 32) return {start, 2048, 512, 0, LboMode::relative, Swizzle::b128_32b};
    return {start, 8192, 1024, 0, LboMode::relative, Swizzle::b128};
  }

  std::uint32_t position(std::uint32_t m, std::uint32_t k) const {
    const auto kind = static_cast<numerics::Kind>(
        p_.kind == MmaKind::f16
            ? numerics::Kind::f16
            : (p_.kind == MmaKind::tf32 ? numerics::Kind::tf32 : numerics::Kind::f8f6f4));
    const numerics::SparseForm form = numerics::sparse_form(kind);
    std::uint16_t places[4] = {};
    const std::uint32_t g = k / form.stored;
    numerics::expand_nibble(kind, g, nibble_of(p_.kind, m % p_.layout().rows, g), places);
    return places[k % form.stored];
  }

  /// Powers of two that differ between rows and blocks.
  static int exponent_a(std::uint32_t m, std::uint32_t block) { return (m + block) % 3; }
  static int exponent_b(std::uint32_t n, std::uint32_t block) { return (n / 2 + block) % 2; }
  double scale(std::uint32_t m, std::uint32_t n, std::uint32_t k) const {
    if (!p_.scaled()) return 1;
    const std::uint32_t block = k / p_.scale_block;
    return 1 << (exponent_a(m, block) + exponent_b(n, block));
  }
  std::uint8_t scale_code(int exponent) const {
    return static_cast<std::uint8_t>(p_.scale_type == ScaleType::ue8m0 ? 127 + exponent
                                                                       : (7 + exponent) << 3);
  }

  void put_operand(SharedMemory& shared, Element element, Major major, std::uint64_t start,
                   std::uint32_t mn, std::uint32_t k,
                   const std::function<int(std::uint32_t, std::uint32_t)>& value) {
    const OperandLayout layout =
        operand_layout(descriptor(element, major, start), major, element, p_.container());
    const std::uint32_t bits = element_format(element).bits;
    for (std::uint32_t i = 0; i < mn; ++i) {
      for (std::uint32_t j = 0; j < k; ++j) {
        const std::uint64_t at = layout.bit_address(i, j);
        std::uint64_t bit = at;
        if (bits < 8 && p_.container() == Container::byte) {
          bit = at / 128 * 128 + at / 8 % 16 * bits;
        }
        std::byte* cell = shared.bytes(bit / 128 * 16, 16, 16, Access::write);
        put_bits(cell, bit % 128, bits, code_of(element, value(i, j)));
      }
    }
  }

  void fill(std::uint32_t v) {
    const DLayoutRow layout = p_.layout();
    const std::uint32_t rows = layout.rows, half_n = p_.n / p_.cta_group;
    put_operand(shared_[v], p_.a, p_.a_major, kAStart, rows, p_.stored_k(),
                [&](std::uint32_t i, std::uint32_t j) { return value_a(v * rows + i, j); });
    put_operand(shared_[v], p_.b, p_.b_major, kBStart, half_n, p_.k(),
                [&](std::uint32_t i, std::uint32_t j) { return value_b(v * half_n + i, j); });
    fill_tensor_memory(v);
  }

  void fill_tensor_memory(std::uint32_t v) {
    const DLayoutRow layout = p_.layout();
    TensorMemory& t = tensor_[v];
    for (std::uint32_t lane = 0; lane < kTmemLanes; ++lane) {
      for (std::uint32_t c = kAColumn; c < kTmemColumns; ++c) t.write(lane, c, 0);
    }
    const std::uint32_t width = mma_kind_row(p_.kind).container_bits;
    for (std::uint32_t i = 0; i < layout.rows; ++i) {
      const std::uint32_t m = v * layout.rows + i;
      for (std::uint32_t n = 0; n < p_.n; ++n) {
        const TmemCell cell = d_cell(layout, p_.n, m, n);
        const double c = value_c(m, n);
        const std::uint32_t word =
            p_.d == Accumulator::s32
                ? static_cast<std::uint32_t>(value_c(m, n))
                : numerics::encode(
                      p_.d == Accumulator::f16 ? numerics::Format::f16 : numerics::Format::f32, c,
                      numerics::Rounding::nearest_even);
        t.write(cell.lane, kDColumn + cell.column, word);
      }
      for (std::uint32_t k = 0; k < p_.stored_k() && p_.a_in_tensor_memory; ++k) {
        const std::uint32_t shift = element_format(p_.a).bits < width ? a_code_shift(p_.a) : 0;
        for (std::uint32_t copy = 0; copy < a_copies(layout); ++copy) {
          const TmemBits at = a_bits(layout, width, i, k, copy);
          const std::uint32_t cell = t.read(at.lane, kAColumn + at.column);
          t.write(at.lane, kAColumn + at.column,
                  cell | code_of(p_.a, value_a(m, k)) << (at.bit + shift));
        }
      }
      if (p_.sparse) put_metadata(t, i);
    }
    if (p_.scaled()) put_scales(t, v);
  }

  void put_metadata(TensorMemory& t, std::uint32_t i) {
    const bool tf32 = p_.kind == MmaKind::tf32;
    const bool wide = tf32 || p_.kind == MmaKind::f16;
    const std::uint32_t group = tf32 ? 2 : 4;
    for (std::uint32_t copy = 0; copy < p_.layout().parts; ++copy) {
      for (std::uint32_t k = 0; k < p_.k(); k += group) {
        // As the table of metadata layouts says it, for 128 rows a CTA.
        std::uint32_t lane = i + p_.layout().rows * copy, column = k / group / 8;
        std::uint32_t bit = k / group % 8 * 4;
        if (wide) {
          const std::uint32_t half = tf32 ? 8 : 16;
          lane = p_.layout().rows * copy + i % 8 + 16 * (i / 16) + 8 * (k / half);
          column = 0;
          bit = 16 * (i / 8 % 2) + (tf32 ? 2 * (k % 8) : k % 16);
        }
        const std::uint32_t old = t.read(lane, kMeta + column);
        t.write(lane, kMeta + column, old | nibble_of(p_.kind, i, k / group) << bit);
      }
    }
  }

  void put_scales(TensorMemory& t, std::uint32_t v) {
    const std::uint32_t blocks = p_.k() / p_.scale_block, rows = p_.layout().rows;
    const auto put = [&](std::uint32_t base, TmemByte at, int exponent) {
      const std::uint32_t old = t.read(at.lane, base + at.column);
      t.write(at.lane, base + at.column,
              old | static_cast<std::uint32_t>(scale_code(exponent)) << 8 * at.byte);
    };
    const bool split = p_.layout().parts == 2;
    const ScaleSpread b_spread = split ? ScaleSpread::two_by_two : ScaleSpread::four_by_one;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t copy = 0; copy < 4; ++copy) {
          put(kScaleA, scale_byte(ScaleSpread::four_by_one, rows, i, block, copy),
              exponent_a(v * rows + i, block));
        }
      }
      for (std::uint32_t n = 0; n < p_.n; ++n) {
        for (std::uint32_t copy = 0; copy < scale_copies(b_spread); ++copy) {
          put(kScaleB, scale_byte(b_spread, p_.n, n, block, copy), exponent_b(n, block));
        }
      }
    }
  }

  Problem p_;
  std::vector<SharedMemory> shared_;
  std::vector<TensorMemory> tensor_;
};

void check_problem(const Problem& p, const char* what) {
  World w(p);
  w.run();
  BOOST_TEST_CONTEXT(what << " kind " << name_of(p.kind) << " m " << p.m << " n " << p.n
                          << " cta_group " << p.cta_group << " ws " << p.ws) {
    for (std::uint32_t m = 0; m < p.m; ++m) {
      for (std::uint32_t n = 0; n < p.n; ++n) {
        BOOST_TEST_REQUIRE(w.d(m, n) == w.expected(m, n), "D(" << m << ", " << n << ")");
      }
    }
  }
}

struct Form {
  std::uint32_t m, cta_group;
  bool ws;
};
constexpr Form kForms[] = {{128, 1, false}, {64, 1, false}, {256, 2, false}, {128, 2, false},
                           {128, 1, true},  {64, 1, true},  {32, 1, true}};

}  // namespace

BOOST_AUTO_TEST_CASE(every_d_layout_holds_the_product) {
  for (const Form& form : kForms) {
    for (const std::uint32_t n : {64u, 128u}) {
      Problem p;
      p.m = form.m;
      p.n = n;
      p.cta_group = form.cta_group;
      p.ws = form.ws;
      check_problem(p, "shared");
      p.a_in_tensor_memory = true;
      check_problem(p, "tensor memory");
    }
  }
}

BOOST_AUTO_TEST_CASE(every_kind_type_and_major_multiplies) {
  struct Types {
    MmaKind kind;
    Element a, b;
    Accumulator d;
  };
  for (const Types& t : {Types{MmaKind::f16, Element::bf16, Element::bf16, Accumulator::f32},
                         {MmaKind::f16, Element::f16, Element::f16, Accumulator::f16},
                         {MmaKind::tf32, Element::tf32, Element::tf32, Accumulator::f32},
                         {MmaKind::f8f6f4, Element::e4m3, Element::e5m2, Accumulator::f32},
                         {MmaKind::f8f6f4, Element::e2m1, Element::e2m3, Accumulator::f32},
                         {MmaKind::f8f6f4, Element::e3m2, Element::e2m1, Accumulator::f16},
                         {MmaKind::i8, Element::i8, Element::i8, Accumulator::s32}}) {
    Problem p;
    p.kind = t.kind;
    p.a = t.a;
    p.b = t.b;
    p.d = t.d;
    check_problem(p, "K-major");
    p.negate_a = t.kind != MmaKind::i8;
    p.a_in_tensor_memory = true;
    check_problem(p, "tensor memory, negated");
    p.a_in_tensor_memory = false;
    if (element_format(t.a).bits < 8 || element_format(t.b).bits < 8) continue;
    p.a_major = p.b_major = Major::mn;
    check_problem(p, "MN-major");
  }
}

// Layout B: lanes 64 .. 127 make the upper half of N from their own copy of A.
BOOST_AUTO_TEST_CASE(each_part_of_n_reads_its_own_copy_of_a) {
  Problem p;
  p.cta_group = 2;
  p.a_in_tensor_memory = true;
  World w(p);
  w.tensor(0).write(64 + 5, kAColumn, 0);  // elements 0 and 1 of row 5
  w.run();
  for (std::uint32_t n = 0; n < p.n; ++n) {
    const int lost = value_a(5, 0) * value_b(n, 0) + value_a(5, 1) * value_b(n, 1);
    BOOST_TEST_REQUIRE(w.d(5, n) == w.expected(5, n) - (n >= p.n / 2 ? lost : 0));
    BOOST_TEST_REQUIRE(w.d(6, n) == w.expected(6, n));
  }
}

// SFA is read from the output lane's own sub-partition: the copy in lanes 32 .. 63 belongs to rows
// 32 .. 63.
BOOST_AUTO_TEST_CASE(each_sub_partition_reads_its_own_scale_factors) {
  Problem p;
  p.kind = MmaKind::mxf8f6f4;
  p.a = p.b = Element::e4m3;
  World w(p);
  const auto set = [&](std::uint32_t lane, std::uint32_t column) {
    w.tensor(0).write(lane, kScaleA + column, 127 + 10);
  };
  set(32 + 7, 0);  // row 7's factor where only rows 32 .. 63 could read it
  w.run();
  BOOST_TEST(w.d(7, 3) == w.expected(7, 3));
  World hit(p);
  hit.tensor(0).write(32 + 7, kScaleA + 1, 127 + (39 + 0) % 3 + 1);  // row 39: twice as much
  hit.run();
  BOOST_TEST(hit.d(39, 4) == 2 * hit.expected(39, 4, false) + value_c(39, 4));
  BOOST_TEST(hit.expected(39, 4, false) != 0);
}

BOOST_AUTO_TEST_CASE(scale_factors_multiply_their_blocks) {
  struct Types {
    MmaKind kind;
    Element a, b;
    ScaleType type;
    std::uint32_t block;
  };
  for (const Types& t :
       {Types{MmaKind::mxf8f6f4, Element::e4m3, Element::e5m2, ScaleType::ue8m0, 32},
        {MmaKind::mxf8f6f4, Element::e2m1, Element::e3m2, ScaleType::ue8m0, 32},
        {MmaKind::mxf4, Element::e2m1, Element::e2m1, ScaleType::ue8m0, 32},
        {MmaKind::mxf4nvf4, Element::e2m1, Element::e2m1, ScaleType::ue8m0, 16},
        {MmaKind::mxf4nvf4, Element::e2m1, Element::e2m1, ScaleType::ue4m3, 16}}) {
    for (const Form& form : {Form{128, 1, false}, {128, 2, false}, {256, 2, false}}) {
      Problem p;
      p.kind = t.kind;
      p.a = t.a;
      p.b = t.b;
      p.scale_type = t.type;
      p.scale_block = t.block;
      p.m = form.m;
      p.cta_group = form.cta_group;
      check_problem(p, "scaled");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sparse_a_meets_the_elements_of_b_that_its_metadata_names) {
  struct Types {
    MmaKind kind;
    Element type;
    Accumulator d;
  };
  for (const Types& t : {Types{MmaKind::f16, Element::f16, Accumulator::f32},
                         {MmaKind::tf32, Element::tf32, Accumulator::f32},
                         {MmaKind::f8f6f4, Element::e4m3, Accumulator::f32},
                         {MmaKind::i8, Element::i8, Accumulator::s32}}) {
    for (const Form& form : {Form{128, 1, false}, {256, 2, false}, {64, 1, true}}) {
      Problem p;
      p.kind = t.kind;
      p.a = p.b = t.type;
      p.d = t.d;
      p.m = form.m;
      p.cta_group = form.cta_group;
      p.ws = form.ws;
      p.sparse = true;
      check_problem(p, "sparse");
      p.b_major = Major::mn;
      check_problem(p, "sparse, B MN-major");
    }
  }
}

BOOST_AUTO_TEST_CASE(d_is_left_out_or_scaled_on_request) {
  World w{Problem{}};
  w.request.read_d = false;
  w.run();
  BOOST_TEST(w.d(17, 3) == w.expected(17, 3, false));
  World scaled{Problem{}};
  scaled.request.d_shift = 1;
  scaled.run();
  BOOST_TEST(scaled.d(17, 3) == scaled.expected(17, 3, false) + value_c(17, 3) / 2.0);
}

BOOST_AUTO_TEST_CASE(disabled_lanes_stay_as_they_were) {
  Problem p;
  p.m = 128;
  p.cta_group = 2;
  World w(p);
  w.request.disabled_lanes[1][2] = 1u << 5;  // lane 69 of the odd CTA: row 64 + 5, upper half of N
  w.run();
  for (std::uint32_t m = 0; m < p.m; ++m) {
    for (std::uint32_t n = 0; n < p.n; ++n) {
      const bool kept = m == 69 && n >= p.n / 2;
      BOOST_TEST_REQUIRE(w.d(m, n) == (kept ? value_c(m, n) : w.expected(m, n)));
    }
  }
}

// The sub-mask written out as a string of runs, then cut.
BOOST_AUTO_TEST_CASE(masked_columns_of_b_are_zero_and_a_shift_brings_others) {
  const auto field = [](const BitField& f, std::uint64_t value) { return f.put(value); };
  using Z = ZeroColumns;
  for (const std::uint32_t m : {128u, 64u, 32u}) {
    for (std::uint32_t round = 0; round < 4; ++round) {
      const std::uint32_t skip = round * 3 % 5, use = round % 4, shift = m == 32 ? 0 : round % 3;
      Problem p;
      p.m = m;
      p.ws = true;
      World w(p);
      std::uint64_t word = field(Z::kNonZero, 1) | field(Z::kSkip, skip) | field(Z::kUse, use) |
                           field(Z::kShift, shift);
      const std::uint32_t parts = p.layout().parts, width = p.n / parts;
      std::string mask;
      for (std::uint32_t q = 0; q < parts; ++q) {
        const std::uint32_t start = (round + q) % 4;
        const bool ones_first = (round + q) % 2 == 0;
        word |= field(Z::kStart, start) << 8 * q | field(Z::kFirst, ones_first) << q;
        std::string runs;
        for (bool one = ones_first; runs.size() < width + start; one = !one) {
          runs += one ? std::string(skip + 1, '1') : std::string(use + 1, '0');
        }
        mask += runs.substr(start, width);
      }
      InstructionDescriptor x = p.instruction();
      x.max_shift = 8;
      w.request.instruction = encode(x);
      w.request.zero_columns = word;
      w.run();
      for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t n = 0; n < p.n; ++n) {
          const std::uint32_t source = n + shift;
          const bool zero = source >= p.n || mask[source] == '1';
          const double product = zero ? 0 : w.expected(row, source, false);
          BOOST_TEST_REQUIRE(w.d(row, n) == product + value_c(row, n));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(ashift_moves_a_after_it_was_read) {
  Problem p;
  p.a_in_tensor_memory = true;
  World w(p);
  w.request.shift_a = true;
  const std::uint32_t below = w.tensor(0).read(41, kAColumn + 2);
  const std::uint32_t last = w.tensor(0).read(63, kAColumn + 2);
  w.run();
  BOOST_TEST(w.d(40, 1) == w.expected(40, 1));
  BOOST_TEST(w.tensor(0).read(40, kAColumn + 2) == below);
  BOOST_TEST(w.tensor(0).read(63, kAColumn + 2) == last);
}

BOOST_AUTO_TEST_CASE(what_no_instruction_can_be_is_a_fault_and_changes_nothing) {
  struct Case {
    const char* rule;
    void (*break_it)(MmaRequest&);
  };
  for (const Case& c : {
           Case{"", [](MmaRequest&) {}},
           {"mma.sparse-bit", [](MmaRequest& q) { q.sparse = true; }},
           {"mma.cta-group", nullptr},
           {"mma.zero-columns-form", [](MmaRequest& q) { q.zero_columns = 1; }},
           {"mma.scale-block",
            [](MmaRequest& q) {
              q.kind = MmaKind::mxf8f6f4;
              q.scale_block = 16;
              q.instruction = 0x08A00000;  // e4m3, 128 x 128
            }},
           {"tmem.lane-base", [](MmaRequest& q) { q.d_address = 16u << 16; }},
           {"tmem.out-of-bounds", [](MmaRequest& q) { q.d_address = 480; }},
           {"smem_descriptor.swizzle-code",
            [](MmaRequest& q) { q.b_descriptor |= std::uint64_t{7} << 61; }},
           {"shared.out-of-bounds", [](MmaRequest& q) { q.a_descriptor |= 0x3FFF; }},
       }) {
    World w{Problem{}};
    if (c.break_it == nullptr) {
      w.request.cta_group = 2;  // with one CTA
      BOOST_TEST(rule_broken([&] {
                   std::vector<MmaCta> none;
                   execute_mma(w.request, none);
                 }) == c.rule);
      continue;
    }
    c.break_it(w.request);
    const std::uint32_t before = w.d_word(3, 3);
    BOOST_TEST(rule_broken([&] { w.run(); }) == c.rule);
    if (*c.rule != 0) BOOST_TEST(w.d_word(3, 3) == before);
  }
  // Random words and descriptors: a result or a Fault, nothing else.
  std::uint64_t state = 9;
  const auto next = [&] { return state = state * 6364136223846793005 + 1442695040888963407; };
  for (int i = 0; i < 150; ++i) {
    World w{Problem{}};
    w.request.kind = static_cast<MmaKind>(next() >> 40 & 7) < MmaKind::mxf4nvf4
                         ? static_cast<MmaKind>(state >> 40 & 7)
                         : MmaKind::f16;
    if (i % 2 == 0) w.request.instruction = static_cast<std::uint32_t>(next() >> 32);
    if (i % 3 == 0) w.request.a_descriptor = next() ^ next() >> 31;
    if (i % 5 == 0) w.request.b_descriptor = next() ^ next() >> 31;
    if (i % 7 == 0) w.request.d_address = static_cast<std::uint32_t>(next() >> 32);
    rule_broken([&] { w.run(); });
  }
}

BOOST_AUTO_TEST_SUITE_END()
