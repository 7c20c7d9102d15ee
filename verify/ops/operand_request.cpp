#include "verify/ops/operand_request.h"

#include <fmt/format.h>

namespace lc::verify {

ElementChoice read_element(const Request& request) {
  const Element element = request.choice<Element>("element");
  if (!request.has("container")) return {element, Container::packed};
  const std::uint64_t bits = request.number("container");
  if (bits != 8) request.fail("container", fmt::format("there is no {}-bit container", bits), "8");
  return {element, Container::byte};
}

Extents read_extents(const Request& request) {
  const Extents e{request.number("mn", 1, kMaxExtent), request.number("k", 1, kMaxExtent)};
  if (e.mn * e.k > kMaxElements) {
    request.fail("mn", fmt::format("{} x {} elements fit no shared memory", e.mn, e.k),
                 fmt::format("at most {} elements in one question", kMaxElements));
  }
  return e;
}

SmemDescriptor read_descriptor(const Request& request, Arch arch) {
  const std::uint64_t word = request.number("descriptor");
  const DecodedSmemDescriptor decoded = decode_smem_descriptor(arch, word);
  if (!decoded.swizzle_valid) {
    request.fail("descriptor",
                 fmt::format("0x{:016x} has swizzle code {}, which means nothing", word,
                             decoded.swizzle_code),
                 "0 none, 1 128B_32B, 2 128B, 4 64B, 6 32B in bits 63:61");
  }
  return decoded.fields;
}

OperandTile read_tile(const Request& request) {
  OperandTile tile;
  tile.arch = request.choice<Arch>("arch");
  const ElementChoice e = read_element(request);
  tile.element = e.element;
  tile.container = e.container;
  tile.major = request.choice<Major>("major");
  tile.swizzle = request.choice<Swizzle>("swizzle");
  tile.mn = request.number("mn", 1, kMaxExtent);
  tile.k = request.number("k", 1, kMaxExtent);
  tile.start_address = request.number_or("start_address", 0x400, 0, UINT32_MAX);
  tile.order = request.choice_or<AtomOrder>("atom_order", AtomOrder::mn_first);
  return tile;
}

}  // namespace lc::verify
