#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verify/dump/description.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

void add_box(const TileDescription& d, Answer& out) {
  out["tensor_map"] = to_json(d.map);
  out["coordinates"] = std::vector<std::int64_t>(d.coordinates.at, d.coordinates.at + d.map.rank);
  out["destination"] = d.destination;
}

void add_operand(const TileDescription& d, Answer& out) {
  out["descriptor"] = hex64(d.descriptor_word);
  out["major"] = name_of(d.major);
  out["element"] = name_of(d.element);
  if (d.container == Container::byte) out["container"] = 8;
  out["mn"] = d.mn;
  out["k"] = d.k;
}

void add_scales(const TileDescription& d, Answer& out) {
  out["scale_factors"] = {
      {"mn", d.scale.mn}, {"k", d.scale.k}, {"block_order", name_of(d.scale.order)}};
  out["destination"] = d.destination;
}

Answer source_of(const TileDescription& d) {
  Answer out;
  if (d.source.kind == Source::Kind::mix32) {
    out["pattern"] = "mix32";
    out["seed"] = hex32(d.source.seed);
  } else {
    out["tensor"] = d.source_name;
  }
  out["byte_offset"] = static_cast<std::int64_t>(d.source_offset);
  return out;
}

}  // namespace

std::string description_text(const TileDescription& d) {
  Answer out = {{"arch", name_of(d.arch)}, {"smem_address", d.smem_address}};
  switch (d.kind) {
    case TileDescription::Kind::tensor_map:
      add_box(d, out);
      break;
    case TileDescription::Kind::descriptor:
      add_operand(d, out);
      break;
    case TileDescription::Kind::scale_factors:
      add_scales(d, out);
      break;
  }
  out["source"] = source_of(d);
  if (d.source_strides) {
    out["source_strides"] = Answer::array({d.source_strides->mn, d.source_strides->k});
  }
  if (d.source_bounds) {
    const TileDescription::Bounds& b = *d.source_bounds;
    out["source_bounds"] = Answer::array({b.mn_first, b.mn_size, b.k_first, b.k_size});
  }
  if (d.untouched) out["untouched"] = *d.untouched;
  if (!d.barriers.empty()) out["barriers"] = d.barriers;
  for (const auto& [key, text] :
       {std::pair("kernel", &d.kernel), std::pair("device", &d.device),
        std::pair("command", &d.command), std::pair("obtained", &d.obtained)}) {
    if (!text->empty()) out[key] = *text;
  }
  if (!d.cta.empty()) out["cta"] = d.cta;
  out["stage"] = d.stage;
  return out.dump();
}

}  // namespace lc::verify
