#include "sim/machine/tensor_core.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/fault.h"
#include "sim/machine/sparse_metadata.h"
#include "sim/machine/tmem_movement.h"
#include "sim/machine/zero_columns.h"
#include "sim/numerics/fused_tile.h"

namespace lc::machine {
namespace {

numerics::Kind kind_of(MmaKind kind) {
  using numerics::Kind;
  constexpr Kind kKinds[kMmaKindCount] = {Kind::f16,      Kind::tf32, Kind::f8f6f4,  Kind::i8,
                                          Kind::mxf8f6f4, Kind::mxf4, Kind::mxf4nvf4};
  return kKinds[static_cast<int>(kind)];
}

numerics::Format format_of(Accumulator d) {
  switch (d) {
    case Accumulator::f16:
      return numerics::Format::f16;
    case Accumulator::f32:
      return numerics::Format::f32;
    case Accumulator::s32:
      break;
  }
  return numerics::Format::s32;
}

/// Rows of D that are computed together: `rows` from `first_row` of one CTA, the columns of one
/// part of N.
struct Block {
  std::uint32_t cta = 0;
  std::uint32_t first_row = 0, rows = 0;
  std::uint32_t part = 0;
};

/// One execution.  D words wait in `results` until everything was read.
class Execution {
 public:
  Execution(const MmaRequest& request, const MmaForm& form, std::span<const MmaCta> ctas)
      : q_(request), form_(form), ctas_(ctas) {}

  void run() {
    fetch_b();
    mask_b();
    for (std::uint32_t v = 0; v < ctas_.size(); ++v) run_cta(v);
    for (const Result& r : results_) store(r);
    if (q_.shift_a) shift_a();
  }

 private:
  struct Result {
    Block block;
    std::vector<std::uint32_t> words;  ///< rows x columns of the part
  };

  std::uint32_t part_columns() const { return form_.instruction.n / form_.layout.parts; }
  std::uint32_t d_lane0() const { return q_.d_address >> 16; }
  std::uint32_t d_column0() const { return q_.d_address & 0xFFFF; }
  bool scaled() const { return mma_kind_row(q_.kind).block_scaled; }

  /// Each CTA of a pair holds half of the rows of B.
  void fetch_b() {
    const auto n = static_cast<std::uint32_t>(form_.instruction.n / ctas_.size());
    b_ = {form_.instruction.n, form_.k, {}};
    for (const MmaCta& cta : ctas_) {
      const OperandCodes half = fetch_shared(
          *cta.shared,
          {Arch::sm_100, q_.b_descriptor, form_.instruction.b_major, form_.b, form_.container}, n,
          form_.k);
      b_.codes.insert(b_.codes.end(), half.codes.begin(), half.codes.end());
    }
  }

  /// Columns of B that the mask empties, and those that the shift brings.
  void mask_b() {
    if (q_.zero_columns == 0) return;
    const ZeroColumns mask{q_.zero_columns};
    const OperandCodes from = std::exchange(b_, {b_.mn, b_.k, {}});
    b_.codes.resize(from.codes.size());
    for (std::uint32_t n = 0; n < b_.mn; ++n) {
      const std::uint32_t source = n + mask.shift();
      if (source >= b_.mn || mask.is_zero(source / part_columns(), source % part_columns()))
        continue;
      for (std::uint32_t k = 0; k < b_.k; ++k) b_.at(n, k) = from.at(source, k);
    }
  }

  OperandCodes fetch_a(std::uint32_t v, std::uint32_t part) const {
    if (q_.a_address) {
      const TmemOperand a{form_.layout, *q_.a_address, form_.a,
                          mma_kind_row(q_.kind).container_bits};
      return fetch_tmem(*ctas_[v].tensor, a, form_.layout.rows, form_.stored_k, part);
    }
    return fetch_shared(
        *ctas_[v].shared,
        {Arch::sm_100, q_.a_descriptor, form_.instruction.a_major, form_.a, form_.container},
        form_.layout.rows, form_.stored_k);
  }

  /// Scale factors are read from the sub-partition of the output lane, so those blocks have 32
  /// rows.
  void run_cta(std::uint32_t v) {
    const std::uint32_t step = scaled() ? 32 : form_.layout.rows;
    for (std::uint32_t part = 0; part < form_.layout.parts; ++part) {
      const OperandCodes a = fetch_a(v, part);
      const numerics::Operand b =
          decoded(b_, form_.b, numerics::Side::b, part * part_columns(), part_columns());
      const std::vector<std::uint16_t> positions = positions_of(v, part);
      for (std::uint32_t row = 0; row < form_.layout.rows; row += step) {
        multiply({v, row, step, part}, a, b, positions);
      }
    }
  }

  std::vector<std::uint16_t> positions_of(std::uint32_t v, std::uint32_t part) const {
    if (!q_.sparse) return {};
    const MetadataSource source{kind_of(q_.kind), form_.layout, q_.metadata_address,
                                form_.instruction.sparsity_selector, form_.k};
    return sparse_positions(*ctas_[v].tensor, source, form_.layout.rows, part);
  }

  void multiply(const Block& block, const OperandCodes& a_all, const numerics::Operand& b_plain,
                const std::vector<std::uint16_t>& positions) {
    numerics::Operand a = decoded(a_all, form_.a, numerics::Side::a, block.first_row, block.rows);
    numerics::Operand b = b_plain;
    if (scaled()) set_scales(block, a, b);
    const InstructionDescriptor& x = form_.instruction;
    const numerics::DotRule* rule = numerics::find_dot_rule(
        numerics::Family::tcgen05, kind_of(q_.kind), a.format(), b.format(), format_of(*x.d));
    if (rule == nullptr) {
      throw Fault(FaultKind::illegal_instruction, "mma.types",
                  "the matrix instruction has no arithmetic for these types");
    }
    numerics::TileOptions options;
    options.negate_a = x.negate_a;
    options.negate_b = x.negate_b;
    options.saturate = x.saturate;
    options.read_c = q_.read_d;
    options.c_shift = q_.d_shift;
    if (q_.sparse) {
      options.positions = positions.data() + std::size_t{block.first_row} * form_.stored_k;
    }
    Result result{block, load(block)};
    numerics::fused_tile(*rule, a, b, {result.words.data(), part_columns()}, options);
    results_.push_back(std::move(result));
  }

  void set_scales(const Block& block, numerics::Operand& a, numerics::Operand& b) const {
    const InstructionDescriptor& x = form_.instruction;
    const TensorMemory& memory = *ctas_[block.cta].tensor;
    const std::uint32_t dense_k = q_.sparse ? form_.k / 2 : form_.k;
    const std::uint32_t per_row = dense_k / q_.scale_block;
    const std::uint32_t lane = d_lane(form_.layout, block.first_row, block.part);
    const auto format =
        x.scale_type == ScaleType::ue8m0 ? numerics::Format::ue8m0 : numerics::Format::ue4m3;
    // The replica in the output lane's own sub-partition: lanes lane / 32 * 32 ...
    const auto factors = [&](std::uint32_t address, std::uint32_t id, std::uint32_t first,
                             std::uint32_t count) {
      std::vector<std::uint8_t> bytes;
      for (std::uint32_t i = first; i < first + count; ++i) {
        const std::uint32_t cell =
            memory.read(lane / 32 * 32 + i % 32, (address & 0xFFFF) + i / 32);
        for (std::uint32_t j = 0; j < per_row; ++j) {
          bytes.push_back(static_cast<std::uint8_t>(cell >> 8 * ((id + j) % 4)));
        }
      }
      return bytes;
    };
    a.set_scales(format, per_row, factors(q_.sfa_address, x.sfa_id, block.first_row, block.rows));
    b.set_scales(format, per_row, factors(q_.sfb_address, x.sfb_id, 0, part_columns()));
  }

  std::uint32_t* cells(const Block& block, std::uint32_t row) const {
    const std::uint32_t lane = d_lane(form_.layout, block.first_row + row, block.part, d_lane0());
    return ctas_[block.cta].tensor->row(lane, d_column0(), part_columns());
  }

  std::vector<std::uint32_t> load(const Block& block) const {
    const std::uint32_t columns = part_columns();
    const bool f16 = *form_.instruction.d == Accumulator::f16;
    std::vector<std::uint32_t> words(std::size_t{block.rows} * columns);
    for (std::uint32_t i = 0; i < block.rows; ++i) {
      const std::uint32_t* from = cells(block, i);  // checks that D is allocated
      if (q_.read_d) std::copy_n(from, columns, words.data() + std::size_t{i} * columns);
    }
    if (f16) {
      for (std::uint32_t& word : words) word &= 0xFFFF;
    }
    return words;
  }

  /// An f16 fills the low half of its cell and clears the high one (not documented).
  void store(const Result& r) const {
    for (std::uint32_t i = 0; i < r.block.rows; ++i) {
      const std::uint32_t lane =
          d_lane(form_.layout, r.block.first_row + i, r.block.part, d_lane0());
      if ((q_.disabled_lanes[r.block.cta][lane / 32] >> lane % 32 & 1) != 0) continue;
      std::copy_n(r.words.data() + std::size_t{i} * part_columns(), part_columns(),
                  cells(r.block, i));
    }
  }

  void shift_a() const {
    if (!q_.a_address) return;
    for (const MmaCta& cta : ctas_) {
      for (std::uint32_t lane = 0; lane < kTmemLanes; lane += 32) {
        tmem_shift(*cta.tensor, lane << 16 | (*q_.a_address & 0xFFFF));
      }
    }
  }

  const MmaRequest& q_;
  const MmaForm& form_;
  std::span<const MmaCta> ctas_;
  OperandCodes b_;
  std::vector<Result> results_;
};

}  // namespace

void execute_mma(const MmaRequest& request, std::span<const MmaCta> ctas) {
  if (ctas.size() != request.cta_group) {
    throw Fault(FaultKind::illegal_instruction, "mma.cta-group",
                "cta_group::" + std::to_string(request.cta_group) + " with " +
                    std::to_string(ctas.size()) + " CTAs");
  }
  const MmaForm form = decode_mma(request);
  for (const MmaCta& cta : ctas) cta.tensor->use_cta_group(request.cta_group);
  Execution(request, form, ctas).run();
}

}  // namespace lc::machine
