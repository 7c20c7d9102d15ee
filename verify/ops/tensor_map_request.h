#pragma once

#include <cstdint>
#include <string>

#include "sim/layout/im2col.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tensor_map_bits.h"
#include "sim/layout/tensor_map_nearest.h"
#include "verify/json.h"
#include "verify/request.h"

namespace lc::verify {

/// The arguments of cuTensorMapEncodeTiled, flat in the question.  The rank is the number of
/// entries of global_dim; a rank that no tensor has is kept for the rules to refuse, and then the
/// lengths of the other lists do not matter.
TensorMap read_tensor_map(const Request& request);

/// The arguments of the im2col encoders.
Im2colMap read_im2col_map(const Request& request);

/// One 32-bit coordinate per dimension of a tensor of legal rank.
Coordinates read_coordinates(const Request& request, int rank, const char* field = "coordinates");

/// An address in the CTA's shared window.
std::uint64_t read_smem_address(const Request& request);

/// The fields of a tensor map as a question spells them, box_dim included.
Answer to_json(const TensorMap& map);

/// `[{"field", "from", "to"}…]`, enumerations by name.
Answer to_json(const TensorMapChanges& changes);

/// 256 hex digits, byte 0 first.
std::string hex_of(const TensorMapWords& words);

}  // namespace lc::verify
