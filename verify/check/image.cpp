#include "verify/check/image.h"

#include "sim/layout/operand.h"

namespace lc::verify {

Image image_of_box(const TensorMap& map, const Coordinates& first, std::uint64_t smem_address,
                   std::uint64_t source_offset) {
  const TmaBox box = make_tma_box(map, first, smem_address);
  const DataTypeRow type = data_type_row(map.data_type);
  Image image;
  image.start = smem_address;
  image.permutation.row = box.swizzle;
  image.fill = map.oob_fill;
  if (box.interleaved) {
    image.inner_count = box.packed_bytes;
  } else {
    image.element_bits = type.bits;
    image.stored_bits = type.bits * 16 / type.cell_bytes;
    image.inner_count = map.box_dim[0];
    image.inner_bounds = {first[0], 1, map.global_dim[0]};
  }
  image.inner_source_bits = image.element_bits;
  if (type.tf32) image.change = Change::round_tf32;
  std::uint64_t offset = static_cast<std::uint64_t>(box.first_inner) * box.element_bits;
  std::uint64_t pitch = box.row_pitch;
  for (int s = 0; s < box.step_count; ++s) {
    const TmaStep& step = box.step[s];
    offset += static_cast<std::uint64_t>(step.first) * step.stride * 8;
    RowAxis axis;
    axis.count = step.count;
    axis.step = pitch;
    axis.source_bits = static_cast<std::uint64_t>(step.advance) * step.stride * 8;
    axis.bounds = {step.first, step.advance, step.size};
    image.add_axis(axis);
    pitch *= step.count;
  }
  image.source_bit = source_offset * 8 + offset;
  return image;
}

Image image_of_operand(const TileDescription& d) {
  const OperandLayout layout = operand_layout(d.descriptor, d.major, d.element, d.container);
  const bool k_major = d.major == Major::k;
  const std::uint64_t bits = element_format(d.element).bits;
  std::uint64_t mn_bits = d.k * bits, k_bits = bits;  // dense: row after row of k
  if (d.source_strides) {
    mn_bits = static_cast<std::uint64_t>(d.source_strides->mn) * 8;
    k_bits = static_cast<std::uint64_t>(d.source_strides->k) * 8;
  }
  Image image;
  image.start = layout.start;
  image.source_bit = d.source_offset * 8;
  image.inner_count = k_major ? d.k : d.mn;
  image.inner_source_bits = k_major ? k_bits : mn_bits;
  image.element_bits = static_cast<std::uint32_t>(bits);
  image.stored_bits = layout.bits;
  // A swizzled K-major row has no column step: it runs on.
  if (!k_major || d.descriptor.swizzle == Swizzle::none) {
    image.width = layout.width, image.column_step = layout.column_step;
  }
  image.absolute = layout.absolute, image.second_part = layout.second_part;
  image.permutation.row = layout.swizzle;
  image.permutation.base_offset = layout.base_offset;
  RowAxis rows;
  rows.count = k_major ? d.mn : d.k;
  rows.block = layout.rows;
  rows.step = layout.pitch;
  rows.block_step = layout.group_step;
  rows.source_bits = k_major ? mn_bits : k_bits;
  if (d.source_bounds) {
    const TileDescription::Bounds& b = *d.source_bounds;
    const Bounds mn{b.mn_first, 1, static_cast<std::uint64_t>(b.mn_size)};
    const Bounds k{b.k_first, 1, static_cast<std::uint64_t>(b.k_size)};
    image.inner_bounds = k_major ? k : mn;
    rows.bounds = k_major ? mn : k;
  }
  image.add_axis(rows);
  return image;
}

Image image_of_scales(const TileDescription& d) {
  const std::uint64_t mn_bits =
      (d.source_strides ? static_cast<std::uint64_t>(d.source_strides->mn) : d.scale.k) * 8;
  Image image;
  image.start = d.destination;
  image.source_bit = d.source_offset * 8;
  image.inner_count = d.scale.k;
  image.inner_source_bits =
      (d.source_strides ? static_cast<std::uint64_t>(d.source_strides->k) : 1) * 8;
  image.width = ScaleTile::kBlockK, image.column_step = d.scale.k_step();
  RowAxis axis;
  axis.count = 32, axis.step = 16, axis.source_bits = mn_bits;
  image.add_axis(axis);
  axis.count = 4, axis.step = 4, axis.source_bits = 32 * mn_bits;
  image.add_axis(axis);
  axis.count = d.scale.mn / ScaleTile::kBlockMn, axis.step = d.scale.mn_step();
  axis.source_bits = ScaleTile::kBlockMn * mn_bits;
  image.add_axis(axis);
  return image;
}

Image image_of(const TileDescription& d) {
  switch (d.kind) {
    case TileDescription::Kind::descriptor:
      return image_of_operand(d);
    case TileDescription::Kind::scale_factors:
      return image_of_scales(d);
    case TileDescription::Kind::tensor_map:
      break;
  }
  return image_of_box(d.map, d.coordinates, d.destination, d.source_offset);
}

}  // namespace lc::verify
