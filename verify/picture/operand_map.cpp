#include "verify/picture/operand_map.h"

namespace lc::verify {

OperandMap map_of_tile(const OperandTile& tile) {
  OperandMap map;
  map.slice_k = tile_geometry(tile).slice_k;
  map.mn = tile.mn;
  map.k = tile.k;
  map.major = tile.major;
  map.bits = stored_bits(tile.element, tile.container);
  for (std::uint64_t i = 0; i * map.slice_k < tile.k; ++i) {
    map.slices.push_back(
        operand_layout(slice_descriptor(tile, i), tile.major, tile.element, tile.container));
  }
  return map;
}

OperandMap map_of_descriptor(const SmemDescriptor& descriptor, Major major, Element element,
                             Container container, std::uint64_t mn, std::uint64_t k) {
  OperandMap map;
  map.slices = {operand_layout(descriptor, major, element, container)};
  map.slice_k = k;
  map.mn = mn;
  map.k = k;
  map.major = major;
  map.bits = stored_bits(element, container);
  return map;
}

}  // namespace lc::verify
