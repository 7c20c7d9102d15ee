#include <array>
#include <cstring>
#include <span>

#include "sim/isa/copy_operands.h"
#include "sim/isa/families.h"
#include "sim/machine/cta.h"
#include "sim/machine/tensor_map_object.h"

// tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.0, 9.7.9.28 and 9.7.13.16).
namespace lc::isa {
namespace {

using machine::Access;
using machine::ReplaceField;
using machine::Window;

constexpr std::uint32_t kMapBytes = 128, kMapAlignment = 64;

struct FieldRow {
  std::string_view name;
  ReplaceField field;
  bool has_ordinal;
  bool immediate;
};

constexpr FieldRow kFields[] = {
    {"global_address", ReplaceField::global_address, false, false},
    {"rank", ReplaceField::rank, false, false},
    {"box_dim", ReplaceField::box_dim, true, false},
    {"global_dim", ReplaceField::global_dim, true, false},
    {"global_stride", ReplaceField::global_stride, true, false},
    {"element_stride", ReplaceField::element_stride, true, false},
    {"elemtype", ReplaceField::elemtype, false, true},
    {"interleave_layout", ReplaceField::interleave_layout, false, true},
    {"swizzle_mode", ReplaceField::swizzle_mode, false, true},
    {"swizzle_atomicity", ReplaceField::swizzle_atomicity, false, true},
    {"fill_mode", ReplaceField::fill_mode, false, true},
};

struct Replacement {
  Address map;
  Window window = Window::generic;
  ReplaceField field = ReplaceField::rank;
  std::uint32_t ordinal = 0;
  Ref value;
  bool wide = false;
};

Flow replace(Warp& warp, const Inst& inst, LaneMask active) {
  const Replacement& r = info<Replacement>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    std::byte* at =
        warp.at(r.window, r.map.of(warp, lane), kMapBytes, kMapAlignment, Access::write, lane);
    const std::span<std::byte, kMapBytes> bytes(at, kMapBytes);
    TensorMapWords words = machine::words_of(bytes);
    const std::uint64_t value = r.wide ? warp.in64(r.value)[lane] : warp.in32(r.value)[lane];
    machine::replace_field(words, r.field, r.ordinal, value);
    machine::store_words(words, bytes);
  });
  warp.cluster().changed();
  return Flow::next;
}

void bind_replace(Binder& b) {
  const std::string_view name = b.modifiers["field"];
  const FieldRow* row = std::begin(kFields);
  while (row->name != name) ++row;
  Replacement& r = b.keep(Replacement{});
  r.map = b.address(0);
  const std::string_view space = b.modifiers["space"];
  if (space == "global") r.window = Window::global;
  if (space.starts_with("shared")) r.window = Window::shared_cta;
  r.field = row->field;
  if (b.count() != (row->has_ordinal ? 3u : 2u)) {
    b.fail(row->has_ordinal ? "the ordinal of the dimension and its new value are expected"
                            : "this field takes one value");
  }
  if (row->has_ordinal) r.ordinal = static_cast<std::uint32_t>(b.immediate_in(1, 0, 4));
  const std::size_t value = b.count() - 1;
  if (row->immediate) b.immediate_in(value, 0, 15);
  const bool takes_64 =
      row->field == ReplaceField::global_address || row->field == ReplaceField::global_stride;
  r.wide = b.modifiers["type"] == "b64";
  if (r.wide != takes_64) {
    b.fail(std::string("the type of this field is .") + (takes_64 ? "b64" : "b32"));
  }
  r.value = b.in(value, r.wide ? Type::b64 : Type::b32);
  b.run(replace);
}

struct MapCopy {
  Address to, from;
};

Flow copy_and_fence(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  const MapCopy& copy = info<MapCopy>(inst);
  each_lane_as_thread(warp, active, [&](std::uint32_t lane) {
    const std::byte* from = warp.at(Window::shared_cta, copy.from.of(warp, lane), kMapBytes,
                                    kMapAlignment, Access::read, lane);
    std::byte* to = warp.at(Window::global, copy.to.of(warp, lane), kMapBytes, kMapAlignment,
                            Access::write, lane);
    std::memcpy(to, from, kMapBytes);
  });
  warp.cluster().changed();
  return Flow::next;
}

void bind_copy(Binder& b) {
  MapCopy& copy = b.keep(MapCopy{});
  copy.to = b.address(0, NameSpace::global);
  copy.from = b.address(1, NameSpace::shared);
  b.immediate_in(2, kMapBytes, kMapBytes);
  b.run(copy_and_fence);
}

constexpr std::array kOps{
    Op{"tensormap",
       "replace tile "
       "field=global_address|rank|box_dim|global_dim|global_stride|element_stride|elemtype|"
       "interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode "
       "[space=global|shared::cta|shared] b1024 type=b32|b64",
       "[a], v, w?", bind_replace},
    Op{"tensormap",
       "cp_fenceproxy global shared::cta tensormap::generic release cta|cluster|gpu|sys sync "
       "aligned",
       "[d], [a], n", bind_copy},
};

}  // namespace

std::span<const Op> tensor_map_ops() {
  return kOps;
}

}  // namespace lc::isa
