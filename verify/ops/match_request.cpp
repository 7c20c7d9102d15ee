#include "verify/ops/match_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verify/ops/operand_request.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

OperandAxis read_axis(const Request& request, const char* field, const OperandAxis& fallback,
                      int rank) {
  if (!request.has(field)) return fallback;
  std::vector<std::uint64_t> dimensions;
  if (request.raw(field).is_array()) {
    dimensions = request.numbers(field, kMaxRank);
  } else {
    dimensions = {request.number(field)};
  }
  if (dimensions.empty()) request.fail(field, "names no dimension", "0 to rank - 1");
  OperandAxis axis;
  axis.count = static_cast<int>(dimensions.size());
  for (int i = 0; i < axis.count; ++i) {
    const std::uint64_t d = dimensions[static_cast<std::size_t>(i)];
    if (d >= static_cast<std::uint64_t>(rank)) {
      request.fail(field, fmt::format("the tensor has no dimension {}", d),
                   fmt::format("0 to {}", rank - 1));
    }
    axis.dimension[i] = static_cast<int>(d);
  }
  return axis;
}

/// The contiguous axis takes dimensions 0, 2, 3, …, the other one dimension 1: a matrix, or one
/// whose contiguous axis was cut into groups.
OperandAxis contiguous_axis(int rank) {
  OperandAxis axis;
  for (int d = 2; d < rank; ++d) axis.dimension[axis.count++] = d;
  return axis;
}

OperandAxis row_axis(int rank) {
  OperandAxis axis;
  axis.dimension[0] = rank > 1 ? 1 : 0;
  return axis;
}

}  // namespace

MatchQuestion read_match(const Request& request) {
  MatchQuestion q;
  const Arch arch = request.choice<Arch>("arch");
  q.map = read_tensor_map(request);
  if (q.map.rank < 1 || q.map.rank > kMaxRank) {
    request.fail("global_dim", fmt::format("a tensor has no {} dimensions", q.map.rank), "1 to 5");
  }
  if (q.map.interleave != Interleave::none) {
    request.fail("interleave",
                 "an interleaved tensor keeps its channels inside the pixels of dimension 0, where "
                 "mn_dimension and k_dimension cannot point",
                 "describe the same bytes as a tensor without interleave");
  }
  q.coordinates = read_coordinates(request, q.map.rank);
  q.smem_address = read_smem_address(request);
  q.descriptor = read_descriptor(request, arch);
  q.major = request.choice<Major>("major");
  const ElementChoice e = read_element(request);
  q.element = e.element;
  q.container = e.container;
  const Extents extents = read_extents(request);
  q.mn = extents.mn;
  q.k = extents.k;
  const bool k_major = q.major == Major::k;
  const OperandAxis contiguous = contiguous_axis(q.map.rank), rows = row_axis(q.map.rank);
  q.mn_axis = read_axis(request, "mn_dimension", k_major ? rows : contiguous, q.map.rank);
  q.k_axis = read_axis(request, "k_dimension", k_major ? contiguous : rows, q.map.rank);
  bool taken[kMaxRank] = {};
  for (const OperandAxis* axis : {&q.mn_axis, &q.k_axis}) {
    for (int i = 0; i < axis->count; ++i) {
      if (taken[axis->dimension[i]] && q.map.rank > 1) {
        request.fail("k_dimension", fmt::format("dimension {} is named twice", axis->dimension[i]),
                     "each dimension belongs to mn or to k");
      }
      taken[axis->dimension[i]] = true;
    }
  }
  q.origin = request.has("operand_origin") ? read_coordinates(request, q.map.rank, "operand_origin")
                                           : q.coordinates;
  return q;
}

}  // namespace lc::verify
