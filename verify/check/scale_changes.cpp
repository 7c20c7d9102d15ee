#include <fmt/format.h>

#include "verify/check/hypothesis.h"

/// Changes of scale factors in blocks of 128 x 4.
namespace lc::verify {
namespace {

void propose_block_orders(const Subject& s, Hypotheses& out) {
  TileDescription changed = s.description();
  changed.scale.order =
      changed.scale.order == AtomOrder::k_first ? AtomOrder::mn_first : AtomOrder::k_first;
  out.push_back(
      {"block-order",
       fmt::format("has its blocks of 128 x 4 in the order {}", name_of(changed.scale.order)),
       "order the blocks as the copy to Tensor Memory walks them", image_of(changed),
       changed.source, 1});
}

/// The blocks are where they should be, but rows follow each other inside.
void propose_plain_blocks(const Subject& s, Hypotheses& out) {
  Hypothesis h{"plain-blocks",
               "has plain rows of 4 bytes in each block of 128 x 4",
               "a block holds row mn at (mn % 32) * 16 + mn / 32 * 4",
               s.image,
               s.description().source,
               2};
  h.image.axis[0].step = 4;
  h.image.axis[1].step = 32 * 4;
  out.push_back(std::move(h));
}

constexpr Generator kGenerators[] = {
    {"block-order", propose_block_orders},
    {"plain-blocks", propose_plain_blocks},
};

}  // namespace

std::span<const Generator> scale_generators() {
  return kGenerators;
}

}  // namespace lc::verify
