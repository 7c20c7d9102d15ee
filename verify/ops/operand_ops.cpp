#include <nlohmann/json.hpp>

#include "sim/layout/canonical.h"
#include "sim/layout/operand.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/tile_box.h"
#include "verify/findings.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

Answer addresses(const Request& request) {
  const Arch arch = request.choice<Arch>("arch");
  const ElementChoice e = read_element(request);
  const Major major = request.choice<Major>("major");
  const Extents n = read_extents(request);
  const SmemDescriptor d = read_descriptor(request, arch);
  const OperandLayout layout = operand_layout(d, major, e.element, e.container);
  const std::uint32_t bits = element_format(e.element).bits;
  Answer answer;
  if (layout.bits < 8) {
    std::vector<std::uint64_t> out;
    out.reserve(n.mn * n.k);
    for (std::uint64_t i = 0; i < n.mn * n.k; ++i) {
      out.push_back(layout.bit_address(i / n.k, i % n.k));
    }
    answer["bit_addresses"] = std::move(out);
  } else if (operand_end(layout, n.mn, n.k) > UINT32_MAX) {
    std::vector<std::uint64_t> out;
    out.reserve(n.mn * n.k);
    for (std::uint64_t i = 0; i < n.mn * n.k; ++i) {
      out.push_back(layout.address(i / n.k, i % n.k));
    }
    answer["addresses"] = std::move(out);
  } else {
    std::vector<std::uint32_t> out(n.mn * n.k);
    fill_addresses(layout, static_cast<std::uint32_t>(n.mn), static_cast<std::uint32_t>(n.k),
                   out.data());
    answer["addresses"] = std::move(out);
  }
  if (bits < 8 && e.container == Container::byte) {
    // Where the bits really are: densely from the start of the 16-byte cell, the rest is padding.
    std::vector<std::uint64_t> dense(n.mn * n.k);
    for (std::uint64_t i = 0; i < dense.size(); ++i) {
      const std::uint64_t byte = layout.address(i / n.k, i % n.k);
      dense[i] = byte / 16 * 128 +
                 bit_in_byte_container_cell(e.element, static_cast<std::uint32_t>(byte % 16));
    }
    answer["container"] = 8;
    answer["bit_addresses"] = std::move(dense);
  }
  answer["findings"] = to_json(check_operand(arch, d, major, e.element, e.container, n.mn, n.k));
  return answer;
}

/// The copies that fill the tile from a packed matrix; null where no single map does.
Answer boxes_json(const OperandTile& tile) {
  constexpr std::uint64_t kSomewhere = 0x10000000;
  const TileBoxes b = tile_boxes(tile, kSomewhere);
  if (!b.legal) return nullptr;
  Answer copies = Answer::array();
  for (std::uint64_t i = 0; i < b.count(); ++i) {
    Answer coordinates = Answer::array();
    const Coordinates c = b.coordinates(i);
    for (int d = 0; d < b.map.rank; ++d) coordinates.push_back(c[d]);
    copies.push_back(
        {{"coordinates", coordinates}, {"smem_address", tile.start_address + i * b.smem_step}});
  }
  return {{"tensor_map", to_json(b.map)},
          {"copies", copies},
          {"transaction_bytes", make_tma_box(b.map, {}, 0x400).transaction_bytes * b.count()}};
}

Answer describe(const Request& request) {
  const OperandTile tile = read_tile(request);
  const Findings findings = check_tile(tile);
  Answer answer;
  const TileGeometry g = tile_geometry(tile);
  const bool exists = tile.arch == Arch::sm_100 || swizzle_row(tile.swizzle).code_sm90 >= 0;
  const bool laid_out =
      exists && g.atom_elements != 0 && 256 % stored_bits(tile.element, tile.container) == 0;
  if (laid_out) {
    Answer slices = Answer::array();
    for (std::uint64_t i = 0; i < slice_count(tile); ++i) {
      slices.push_back(hex64(encode_smem_descriptor(tile.arch, slice_descriptor(tile, i))));
    }
    answer["descriptor"] = slices.empty() ? Answer(nullptr) : slices.front();
    answer["k_slices"] = std::move(slices);
    answer["footprint_bytes"] = g.footprint;
    answer["tma"] = findings.has_error() ? Answer(nullptr) : boxes_json(tile);
  } else {
    answer["descriptor"] = nullptr;
    answer["k_slices"] = Answer::array();
  }
  answer["findings"] = to_json(findings);
  return answer;
}

constexpr Op kOps[] = {
    {"operand.addresses",
     "arch, descriptor, major, element, mn, k; optional: container (8 for 6- and 4-bit elements in "
     "byte cells)",
     "addresses: mn * k byte addresses, mn outer, k inner, not wrapped; packed elements under 8 "
     "bits: bit_addresses (byte * 8 + bit); with container 8 the byte of the element's place in "
     "the cell, and bit_addresses where its bits are; findings",
     addresses},
    {"operand.describe",
     "arch, element, major, swizzle, mn, k, start_address (0x400), atom_order (mn_first); "
     "optional: container",
     "descriptor (the first of k_slices), k_slices (one per 32-byte K step), footprint_bytes, tma "
     "(a tensor_map, the copies of its box and their transaction_bytes that fill the tile from a "
     "packed matrix; null where no single map does), findings",
     describe},
};

}  // namespace

std::span<const Op> operand_ops() {
  return kOps;
}

}  // namespace lc::verify
