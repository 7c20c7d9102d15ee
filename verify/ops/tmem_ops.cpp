#include <nlohmann/json.hpp>
#include <optional>

#include "sim/layout/tmem.h"
#include "sim/layout/tmem_operands.h"
#include "sim/layout/tmem_transfer.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"

namespace lc::verify {
namespace {

std::uint32_t u32(const Request& request, const char* field) {
  return static_cast<std::uint32_t>(request.number(field, 0, UINT32_MAX));
}

std::uint32_t u32_or(const Request& request, const char* field, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(request.number_or(field, fallback, 0, UINT32_MAX));
}

/// A map, empty when the question breaks a rule.
Answer with_map(Answer map, const Findings& findings) {
  return {{"map", std::move(map)}, {"findings", to_json(findings)}};
}

/// The offset is an immediate that is added as 32 bits, so it may be written negative.
std::uint32_t read_split(const Request& request, TmemShape shape) {
  if (shape != TmemShape::s16x32bx2 && !request.has("half_split_offset")) return 0;
  const std::int64_t offset = request.integer("half_split_offset");
  if (offset < INT32_MIN || offset > std::int64_t{UINT32_MAX}) {
    request.fail("half_split_offset", "the offset does not fit 32 bits", "lane * 65536 + column");
  }
  return static_cast<std::uint32_t>(offset);
}

Answer load_map(const Request& request) {
  TmemTransfer x;
  x.shape = request.choice<TmemShape>("shape");
  x.num = u32(request, "num");
  x.pack = request.flag_or("pack", false);
  x.half_split_offset = read_split(request, x.shape);
  x.address = u32_or(request, "address", 0);
  x.warp = u32_or(request, "warp", 0);
  const Findings findings = check_tmem_transfer(x);
  Answer map = Answer::array();
  if (findings.has_error()) return with_map(std::move(map), findings);
  for (std::uint32_t t = 0; t < 32; ++t) {
    for (std::uint32_t r = 0; r < x.registers(); ++r) {
      for (std::uint32_t half = 0; half < x.halves(); ++half) {
        const TmemOffset cell = tmem_cell(x, t, r, half);
        map.push_back({cell.lane, cell.column});
      }
    }
  }
  Answer answer = with_map(std::move(map), findings);
  answer["registers"] = x.registers();
  return answer;
}

/// What the D and A maps have in common.
struct TileForm {
  std::uint32_t m, cta_group;
  bool weight_stationary, sparse;
  std::uint32_t lane_base;
};

TileForm read_form(const Request& request) {
  return {u32(request, "m"), u32_or(request, "cta_group", 1), request.flag_or("ws", false),
          request.flag_or("sparse", false), u32_or(request, "lane_base", 0)};
}

DLayoutRow layout_of(const TileForm& f) {
  return d_layout_row(
      find_d_layout(f.m, f.cta_group, f.weight_stationary, f.sparse).value_or(DLayout::d));
}

Answer d_map(const Request& request) {
  const TileForm f = read_form(request);
  const std::uint32_t n_total = u32(request, "n");
  const Findings findings =
      check_d_tile(f.m, n_total, f.cta_group, f.weight_stationary, f.sparse, f.lane_base);
  Answer map = Answer::array();
  if (findings.has_error()) return with_map(std::move(map), findings);
  const DLayoutRow row = layout_of(f);
  for (std::uint32_t m = 0; m < f.m; ++m) {
    for (std::uint32_t n = 0; n < n_total; ++n) {
      const TmemCell cell = d_cell(row, n_total, m, n, f.lane_base);
      map.push_back({cell.cta, cell.lane, cell.column});
    }
  }
  Answer answer = with_map(std::move(map), findings);
  answer["layout"] = row.name;
  answer["columns"] = d_columns(row, n_total);
  return answer;
}

Answer a_map(const Request& request) {
  const MmaKind kind = request.choice<MmaKind>("kind");
  const TileForm f = read_form(request);
  const std::uint32_t k_total = u32(request, "k");
  const Findings findings =
      check_a_tile(kind, f.m, k_total, f.cta_group, f.weight_stationary, f.sparse, f.lane_base);
  Answer map = Answer::array();
  if (findings.has_error()) return with_map(std::move(map), findings);
  const DLayoutRow row = layout_of(f);
  const std::uint32_t bits = mma_kind_row(kind).container_bits;
  for (std::uint32_t m = 0; m < f.m; ++m) {
    for (std::uint32_t k = 0; k < k_total; ++k) {
      for (std::uint32_t copy = 0; copy < a_copies(row); ++copy) {
        const TmemBits at = a_bits(row, bits, m, k, copy, f.lane_base);
        map.push_back({at.cta, at.lane, at.column, at.bit});
      }
    }
  }
  Answer answer = with_map(std::move(map), findings);
  answer["copies"] = a_copies(row);
  answer["container_bits"] = bits;
  return answer;
}

/// SFB of layout B (M = 128, cta_group::2) is split in two halves of N; all others are not.
ScaleSpread read_spread(const Request& request) {
  const std::string operand = request.has("operand") ? request.text("operand") : "a";
  if (operand != "a" && operand != "b") {
    request.fail("operand", "unknown operand", "a (SFA) or b (SFB)");
  }
  const bool pair = request.number_or("cta_group", 1, 1, 2) == 2;
  const bool layout_b = request.number_or("m", 256, 0, UINT32_MAX) == 128;
  return operand == "b" && pair && layout_b ? ScaleSpread::two_by_two : ScaleSpread::four_by_one;
}

Answer sf_map(const Request& request) {
  const MmaKind kind = request.choice<MmaKind>("kind");
  const ScaleType type = request.choice<ScaleType>("scale_type");
  const std::uint32_t mn_total = u32(request, "mn"), k_total = u32(request, "k");
  const ScaleSpread spread = read_spread(request);
  const auto block =
      static_cast<std::uint32_t>(request.number_or("block", scale_block(kind, type), 16, 32));
  if (block != scale_block(kind, type) && !(kind == MmaKind::mxf4nvf4 && block == 16)) {
    request.fail("block", "this kind and scale type have no such block", "16 or 32 elements");
  }
  const Findings findings = check_scale_tile(kind, type, block, spread, mn_total, k_total);
  Answer map = Answer::array();
  if (findings.has_error()) return with_map(std::move(map), findings);
  const std::uint32_t blocks = (k_total + block - 1) / block;
  for (std::uint32_t mn = 0; mn < mn_total; ++mn) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      for (std::uint32_t copy = 0; copy < scale_copies(spread); ++copy) {
        const TmemByte at = scale_byte(spread, mn_total, mn, b, copy);
        map.push_back({at.lane, at.column, at.byte});
      }
    }
  }
  Answer answer = with_map(std::move(map), findings);
  answer["block"] = block;
  answer["copies"] = scale_copies(spread);
  return answer;
}

Answer cp_map(const Request& request) {
  const TmemCopyRow row = tmem_copy_row(request.choice<TmemCopyShape>("shape"));
  Answer map = Answer::array();
  for (std::uint32_t r = 0; r < row.rows; ++r) {
    for (std::uint32_t byte = 0; byte < row.bytes; ++byte) {
      for (std::uint32_t copy = 0; copy < row.copies; ++copy) {
        map.push_back({tmem_copy_lane(row.shape, r, copy), tmem_copy_column(byte), byte % 4});
      }
    }
  }
  Answer answer = with_map(std::move(map), {});
  answer["rows"] = row.rows;
  answer["bytes"] = row.bytes;
  answer["copies"] = row.copies;
  return answer;
}

constexpr Op kOps[] = {
    {"tmem.load_map",
     "shape, num (N of .xN), pack (false), half_split_offset (16x32bx2 only: lane * 65536 + "
     "column, may be negative); optional: address (0: lane * 65536 + column), warp (0)",
     "map: [lane, column] per (thread, register), thread outer; with pack per (thread, register, "
     "half), low half first; empty when a rule is broken; registers per thread, findings. Stores "
     "have the same map",
     load_map},
    {"tmem.d_map",
     "m, n, cta_group (1), ws (false), sparse (false); optional: lane_base (0; 16 for the layouts "
     "that use half the lanes)",
     "map: [cta, lane, column] per (m, n), m outer; empty when a rule is broken; layout, columns, "
     "findings",
     d_map},
    {"tmem.a_map",
     "kind, m, k (stored elements), cta_group (1); optional: ws, sparse (false), lane_base (0)",
     "map: [cta, lane, column, bit] per (m, k, copy), m outer, copies of one element side by side, "
     "lowest lane first; empty when a rule is broken; copies, container_bits, findings",
     a_map},
    {"tmem.sf_map",
     "kind, scale_type, mn, k (elements); optional: block (elements per factor: 16 or 32), operand "
     "(a), m and cta_group (SFB of m 128 with cta_group 2 is split in halves of N)",
     "map: [lane, column, byte] per (mn, scale block, copy), mn outer, copies of one factor side "
     "by side, lowest lane first; further groups of four factors follow in CuTe's packing; empty "
     "when a rule is broken; block, copies, findings",
     sf_map},
    {"tmem.cp_map",
     "shape (128x256b 128x128b 4x256b 64x128b.warpx2::02_13 64x128b.warpx2::01_23 "
     "32x128b.warpx4)",
     "map: [lane, column, byte] per (row, byte, copy), row outer; rows, bytes, copies, findings",
     cp_map},
};

}  // namespace

std::span<const Op> tmem_ops() {
  return kOps;
}

}  // namespace lc::verify
