#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/tma_copy.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"
#include "verify/ops/tma_runs.h"

namespace lc::verify {
namespace {

Answer to_json(const std::vector<TmaRun>& runs) {
  Answer out = Answer::array();
  for (const TmaRun& run : runs) out.push_back({run.to, run.length, run.from});
  return out;
}

/// What a box must be for its bytes to be listed: the encoder's own size check rounds down and
/// lets boxes pass that no shared memory holds.
void require_listable(const Request& request, const TmaBox& box) {
  if (box.transaction_bytes > kMaxBoxBytes) {
    request.fail("box_dim",
                 fmt::format("the copy moves {} bytes, more than any shared memory holds",
                             box.transaction_bytes),
                 fmt::format("at most {}; the encoder counts floor(box / element stride), the "
                             "hardware rounds up",
                             kMaxBoxBytes));
  }
  if (!has_representable_offsets(box)) {
    request.fail("coordinates", "the box lies beyond any 64-bit address",
                 "smaller coordinates or strides");
  }
}

Answer load(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const TensorMap map = read_tensor_map(request);
  Coordinates first{};
  if (has_legal_rank(map)) first = read_coordinates(request, map.rank);
  const std::uint64_t smem_address = read_smem_address(request);
  const TmaVerdict verdict = check_tma_load(map, first, smem_address, arch);
  Answer answer = {{"outcome", name_of(verdict.outcome)}};
  if (verdict.outcome == TmaOutcome::ok) {
    const TmaBox box = make_tma_box(map, first, smem_address);
    require_listable(request, box);
    answer["transaction_bytes"] = box.transaction_bytes;
    answer["runs"] = to_json(load_runs(box));
  }
  answer["findings"] = verify::to_json(verdict.findings);
  return answer;
}

Answer store(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const TensorMap map = read_tensor_map(request);
  Coordinates first{};
  if (has_legal_rank(map)) first = read_coordinates(request, map.rank);
  const std::uint64_t smem_address = read_smem_address(request);
  const TmaOperation operation = request.choice_or<TmaOperation>("operation", TmaOperation::store);
  const TmaVerdict verdict = check_tma_store(map, first, smem_address, operation, arch);
  Answer answer = {{"outcome", name_of(verdict.outcome)}};
  if (verdict.outcome == TmaOutcome::ok) {
    const TmaBox box = make_tma_box(map, first, smem_address);
    require_listable(request, box);
    answer["runs"] = to_json(store_runs(box));
  }
  answer["findings"] = verify::to_json(verdict.findings);
  return answer;
}

constexpr Op kOps[] = {
    {"tma.load", "as tensor_map.check, and coordinates (innermost first), smem_address",
     "outcome (ok, refused, illegal_instruction, misaligned_address), transaction_bytes, runs: "
     "[smem_offset, length, source] sorted and maximal, source = byte offset from global_address "
     "or -1 for fill, bytes not covered are untouched (when ok); findings",
     load},
    {"tma.store", "as tma.load, and operation (store; add min max inc dec and or xor)",
     "outcome, runs: [global_offset, length, smem_offset] sorted and maximal, of a reduction the "
     "bytes it changes (when ok); findings",
     store},
};

}  // namespace

std::span<const Op> tma_ops() {
  return kOps;
}

}  // namespace lc::verify
