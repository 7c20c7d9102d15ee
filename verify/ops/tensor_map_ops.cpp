#include <nlohmann/json.hpp>

#include "sim/layout/im2col.h"
#include "sim/layout/tensor_map_nearest.h"
#include "verify/findings.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

Answer check(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const TensorMap map = read_tensor_map(request);
  const Findings findings = check_tensor_map(map, arch);
  Answer answer = {{"accepted", !findings.has_error()}, {"findings", to_json(findings)}};
  if (findings.has_error()) {
    const TensorMap legal = nearest_legal_tensor_map(map, arch);
    Answer nearest = to_json(legal);
    nearest["changes"] = to_json(tensor_map_changes(map, legal));
    answer["nearest_legal"] = nearest;
  } else if (has_known_bits(map, arch)) {
    answer["tensor_map"] = hex_of(encode_tensor_map(map));
  }
  return answer;
}

Answer check_im2col(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const Im2colMap map = read_im2col_map(request);
  const Findings findings = check_im2col_map(map, arch);
  Answer answer = {{"accepted", !findings.has_error()}, {"findings", to_json(findings)}};
  if (!findings.has_error() && arch == Arch::sm_90) {
    answer["tensor_map"] = hex_of(encode_im2col_map(map));
  }
  return answer;
}

constexpr Op kOps[] = {
    {"tensor_map.check",
     "arch, data_type, global_address, global_dim, global_strides, box_dim, element_strides, "
     "interleave, swizzle, l2_promotion, oob_fill; lists innermost first, global_strides in bytes "
     "from dimension 1 on",
     "accepted, findings, tensor_map (256 hex digits, byte 0 first; when accepted on sm_90), "
     "nearest_legal (the fields of a call that is accepted, and its changes; when refused)",
     check},
    {"tensor_map.check_im2col",
     "as tensor_map.check with pixel_box_lower, pixel_box_upper (W first), channels_per_pixel and "
     "pixels_per_column instead of box_dim; optional: wide (im2col-wide: corners of W only), "
     "wide_128",
     "accepted, findings, tensor_map (when accepted on sm_90)", check_im2col},
};

}  // namespace

std::span<const Op> tensor_map_ops() {
  return kOps;
}

}  // namespace lc::verify
