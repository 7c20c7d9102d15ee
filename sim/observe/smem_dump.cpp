#include "sim/observe/smem_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/machine/cluster.h"
#include "sim/machine/operand_fetch.h"
#include "sim/machine/tensor_map_object.h"
#include "sim/machine/tma_plan.h"

namespace lc::observe {
namespace {

using machine::Access;
using machine::Space;

constexpr std::size_t kMaxTiles = 4096;
constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20;
/// A source with more bytes between its first and last row keeps the rows only.
constexpr std::int64_t kMaxSpan = std::int64_t{64} << 20;

std::string cta_text(const std::array<std::uint32_t, 3>& cta) {
  return fmt::format("cta{}.{}.{}", cta[0], cta[1], cta[2]);
}

}  // namespace

bool SmemDump::wants(const std::array<std::uint32_t, 3>& cta) const {
  return std::any_of(points_.begin(), points_.end(),
                     [&](const DumpPoint& p) { return p.cta == cta; });
}

void SmemDump::see(const machine::ClusterEvent& event) {
  const bool chosen = [&] {
    for (std::uint32_t rank = 0; rank < event.cluster->size(); ++rank) {
      if (wants(event.cluster->cta(rank).index())) return true;
    }
    return false;
  }();
  cluster_ = chosen ? event.cluster : nullptr;
  state_ = chosen ? &states_[event.cluster] : nullptr;
}

void SmemDump::see(const machine::TensorCopyEvent& event) {
  if (cluster_ == nullptr || !event.load) return;
  state_->announced.reset();
  if (event.map->im2col || event.copy->mode != machine::TmaMode::tile) {
    ++unaccounted_;
    return;
  }
  Load load;
  load.map = event.map->tiled;
  load.first = event.copy->first;
  load.box = make_tma_box(load.map, load.first, event.copy->smem_offset);
  load.rank = event.cta_rank;
  load.stage = stages_.try_emplace(event.barrier.offset, stages_.size()).first->second;
  state_->announced = load;
}

void SmemDump::see(const machine::AsyncEvent& event) {
  if (cluster_ == nullptr) return;
  if (event.stage == machine::AsyncStage::issued) {
    if (state_->announced) state_->in_flight[event.item] = *state_->announced;
    state_->announced.reset();
    return;
  }
  const auto at = state_->in_flight.find(event.item);
  if (at == state_->in_flight.end()) return;
  if (event.stage == machine::AsyncStage::read) {
    snapshot(at->second);
  } else {
    complete(event.item);
  }
}

/// Its bytes stand; the barrier is told afterwards.
void SmemDump::complete(machine::ItemId item) {
  const auto at = state_->in_flight.find(item);
  overwrite(at->second.rank, at->second.begin(), at->second.end());
  state_->loads.emplace(++load_count_, std::move(at->second));
  state_->in_flight.erase(at);
  state_->writing = item;
}

/// The bytes between the first and the last row, as far as they belong to one allocation.
void SmemDump::snapshot(Load& load) const {
  std::int64_t low = INT64_MAX, high = INT64_MIN;
  load.whole = load.box.in_begin == 0 && load.box.in_end == load.box.packed_bytes;
  for (TmaRowCursor at(load.box); !at.done(); at.next()) {
    if (at.row().outside) {
      load.whole = false;
      continue;
    }
    low = std::min(low, at.row().global_offset + std::int64_t{load.box.in_begin});
    high = std::max(high, at.row().global_offset + std::int64_t{load.box.in_end});
  }
  auto bytes = std::make_shared<std::vector<std::byte>>();
  load.low = low < high ? low : 0;
  if (low < high && high - low <= kMaxSpan) {
    bytes->resize(static_cast<std::size_t>(high - low));
    const machine::GlobalMemory& memory = cluster_->global();
    const std::uint64_t base = load.map.global_address;
    const std::uint64_t from = base + static_cast<std::uint64_t>(low);
    const auto block = memory.find(from);
    if (block && bytes->size() <= block->size - (from - block->address)) {
      std::memcpy(bytes->data(), memory.bytes(from, bytes->size(), 1, Access::read), bytes->size());
    } else {
      for (TmaRowCursor at(load.box); !at.done(); at.next()) {
        if (at.row().outside) continue;
        const std::int64_t begin = at.row().global_offset + std::int64_t{load.box.in_begin};
        const std::uint64_t count = load.box.in_end - load.box.in_begin;
        std::memcpy(bytes->data() + (begin - low),
                    memory.bytes(base + static_cast<std::uint64_t>(begin), count, 1, Access::read),
                    count);
      }
    }
  }
  load.bytes = std::move(bytes);
}

/// Something else was written there: the copy no longer says what the bytes should be.
void SmemDump::overwrite(std::uint32_t rank, std::uint64_t begin, std::uint64_t end) {
  std::erase_if(state_->loads, [&](const auto& entry) {
    const Load& load = entry.second;
    return load.rank == rank && load.begin() < end && begin < load.end();
  });
}

void SmemDump::see(const machine::WarpAccess& event) {
  if (cluster_ == nullptr || event.space != Space::shared || event.access != Access::write) return;
  if (state_->loads.empty()) return;
  machine::for_each_lane(event.lanes, [&](std::uint32_t lane) {
    const auto address = static_cast<std::uint32_t>(event.addresses[lane]);
    const std::uint64_t offset = machine::shared_offset(address);
    overwrite(machine::shared_rank(address), offset, offset + event.width);
  });
}

void SmemDump::see(const machine::UnitAccess& event) {
  if (cluster_ == nullptr || event.space != Space::shared || event.access != Access::write) return;
  if (state_->in_flight.contains(event.item)) complete(event.item);
  if (event.item != 0 && event.item == state_->writing) return;  // a tensor load itself
  const auto address = static_cast<std::uint32_t>(event.address);
  const std::uint64_t offset = machine::shared_offset(address);
  overwrite(machine::shared_rank(address), offset, offset + event.bytes);
}

const std::pair<const std::uint64_t, SmemDump::Load>* SmemDump::load_at(
    std::uint32_t rank, std::uint64_t address) const {
  for (const auto& entry : state_->loads) {
    const Load& load = entry.second;
    if (load.rank == rank && address >= load.begin() && address < load.end()) return &entry;
  }
  return nullptr;
}

void SmemDump::see(const machine::OperandRead& event) {
  using Which = machine::OperandRead::Operand;
  if (cluster_ == nullptr || event.in_tensor_memory) return;
  if (event.operand != Which::a && event.operand != Which::b) return;
  const auto& cta = cluster_->cta(event.cta_rank).index();
  if (!wants(cta)) return;
  Operand operand{event, 0};
  const auto d = decode_smem_descriptor(event.arch, event.descriptor);
  if (const auto* load = load_at(event.cta_rank, d.fields.start_address)) {
    operand.load = load->first;
  }
  state_->operands[{event.cta_rank, static_cast<int>(event.operand), event.descriptor}] = operand;
  const std::uint64_t number =
      state_->instructions.try_emplace(event.item, state_->instructions.size()).first->second;
  for (const DumpPoint& point : points_) {
    if (point.kind != DumpPoint::Kind::mma || point.cta != cta) continue;
    add_operand(operand, fmt::format("mma{}", number));
    const auto load = state_->loads.find(operand.load);
    if (load == state_->loads.end()) continue;
    // Each box once, when it is first read.
    if (boxes_told_.emplace(std::pair{event.cta_rank, operand.load}, true).second) {
      add_box(load->second, fmt::format("mma{}", number));
    }
  }
}

void SmemDump::see(const machine::StepEvent& event) {
  if (cluster_ == nullptr || event.resumed) return;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const DumpPoint& point = points_[i];
    if (point.kind != DumpPoint::Kind::line || point.line != event.inst->line ||
        point.cta != event.cta->index()) {
      continue;
    }
    // Every time the warp comes there that was there first.
    const auto warp = first_warp_.try_emplace(i, event.actor.warp).first->second;
    if (warp == event.actor.warp) {
      capture(point, fmt::format("line{}", point.line), event.actor.cta_rank);
    }
  }
}

void SmemDump::see(const machine::BarrierEvent& event) {
  if (cluster_ == nullptr || event.after.phase == event.before.phase) return;
  for (const DumpPoint& point : points_) {
    if (point.kind == DumpPoint::Kind::mbarrier && point.barrier == event.barrier.offset &&
        point.phase == event.before.phase &&
        point.cta == cluster_->cta(event.barrier.cta_rank).index()) {
      capture(point, fmt::format("mbarrier0x{:x}.{}", point.barrier, point.phase),
              event.barrier.cta_rank);
    }
  }
}

void SmemDump::see(const machine::ExitEvent& event) {
  if (cluster_ == nullptr || cluster_ != event.cluster) return;
  for (std::uint32_t rank = 0; rank < event.cluster->size(); ++rank) {
    for (const DumpPoint& point : points_) {
      if (point.kind == DumpPoint::Kind::exit && point.cta == event.cluster->cta(rank).index()) {
        capture(point, "exit", rank);
      }
    }
  }
  states_.erase(event.cluster);
  cluster_ = nullptr;
  state_ = nullptr;
}

/// All boxes of a CTA that still stand, and every operand that was read from them.
void SmemDump::capture(const DumpPoint&, const std::string& at, std::uint32_t rank) {
  const std::uint32_t count = moments_[at + cta_text(cluster_->cta(rank).index())]++;
  const std::string moment = count == 0 ? at : fmt::format("{}.{}", at, count + 1);
  for (const auto& [number, load] : state_->loads) {
    if (load.rank == rank) add_box(load, moment);
  }
  for (const auto& [key, operand] : state_->operands) {
    if (std::get<0>(key) == rank && state_->loads.contains(operand.load))
      add_operand(operand, moment);
  }
}

void SmemDump::add_box(const Load& load, const std::string& moment) {
  if (load.bytes == nullptr || load.bytes->empty()) {
    ++unaccounted_;
    return;
  }
  DumpTile tile;
  tile.stage = load.stage;
  tile.map = load.map;
  tile.coordinates = load.first;
  tile.source = load.bytes;
  tile.source_offset = -load.low;
  add(std::move(tile), "box", moment, load.rank, load.begin(), load.end());
}

/// Where the operand's elements stand in the tensor, by the copy that its first byte came with.
bool SmemDump::find_source(const machine::OperandRead& read, const Load& load,
                           DumpTile& tile) const {
  const std::uint32_t bits = element_format(read.element).bits;
  if (bits < 8 || load.map.rank < 2 || !load.whole || load.box.interleaved) return false;
  if (data_type_row(load.map.data_type).tf32 || load.box.cell_bytes != 16) return false;
  const auto d = decode_smem_descriptor(read.arch, read.descriptor);
  const OperandLayout layout = operand_layout(d.fields, read.major, read.element, read.container);
  // As TMA wrote it, not as the descriptor reads it: only the start counts.
  const TmaElement first = element_at(load.box, layout.start);
  if (!first.present || !first.inside) return false;
  const std::int64_t along = bits / 8;
  const auto across =
      static_cast<std::int64_t>(load.map.global_stride[0] * load.map.element_stride[1]);
  const bool k_major = read.major == Major::k;
  tile.mn_stride = k_major ? across : along;
  tile.k_stride = k_major ? along : across;
  // Neighbouring copies of the same tensor hold the rest of a wide operand.
  std::int64_t low = load.low, high = load.low + static_cast<std::int64_t>(load.bytes->size());
  std::vector<const Load*> parts;
  for (const auto& [number, other] : state_->loads) {
    if (other.rank != load.rank || other.bytes == nullptr || other.bytes->empty()) continue;
    if (other.map.global_address != load.map.global_address || other.stage != load.stage) continue;
    parts.push_back(&other);
    low = std::min(low, other.low);
    high = std::max(high, other.low + static_cast<std::int64_t>(other.bytes->size()));
  }
  const std::int64_t last =
      first.global_offset + (read.mn - 1) * tile.mn_stride + (read.k - 1) * tile.k_stride + along;
  if (last > high || high - low > kMaxSpan) return false;
  // A third dimension of the box must go on where the first one ends.
  const std::int64_t inner = k_major ? read.k * along : read.mn * along;
  const std::int64_t into = first.global_offset >= 0 && load.box.step_count > 0
                                ? (first.coordinates[0] - load.first[0]) * along
                                : 0;
  if (inner + into > load.box.inner_bytes && load.map.rank > 2 && load.map.box_dim[2] > 1 &&
      load.map.global_stride[1] != load.box.packed_bytes) {
    return false;
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(high - low));
  for (const Load* part : parts) {
    std::memcpy(bytes->data() + (part->low - low), part->bytes->data(), part->bytes->size());
  }
  tile.source = parts.size() == 1 ? load.bytes : std::move(bytes);
  tile.source_offset = first.global_offset - low;
  return true;
}

void SmemDump::add_operand(const Operand& operand, const std::string& moment) {
  const machine::OperandRead& read = operand.read;
  const auto load = state_->loads.find(operand.load);
  DumpTile tile;
  if (load == state_->loads.end() || !find_source(read, load->second, tile)) {
    ++unaccounted_;
    return;
  }
  tile.is_operand = true;
  tile.stage = load->second.stage;
  tile.arch = read.arch;
  tile.descriptor = read.descriptor;
  tile.major = read.major;
  tile.element = read.element;
  tile.container = read.container;
  tile.mn = read.mn;
  tile.k = read.k;
  const auto cells = machine::operand_cells(
      {read.arch, read.descriptor, read.major, read.element, read.container}, read.mn, read.k);
  if (cells.empty()) return;
  const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
  const bool is_a = read.operand == machine::OperandRead::Operand::a;
  add(std::move(tile), is_a ? "A" : "B", moment, read.cta_rank, *low, *high + 16);
}

void SmemDump::add(DumpTile tile, const std::string& what, const std::string& moment,
                   std::uint32_t rank, std::uint64_t begin, std::uint64_t end) {
  const machine::Cta& cta = cluster_->cta(rank);
  const auto window = cta.shared().window();
  end = std::min<std::uint64_t>(end, window.size());
  if (begin >= end) return;
  const std::uint64_t bytes = end - begin + tile.source->size();
  if (tiles_.size() >= kMaxTiles || kept_ + bytes > kMaxBytes) {
    incomplete_ = fmt::format("the first {} tiles are here; more would pass {} tiles or {} MiB",
                              tiles_.size(), kMaxTiles, kMaxBytes >> 20);
    return;
  }
  kept_ += bytes;
  tile.cta = cta.index();
  tile.smem_address = static_cast<std::uint32_t>(begin);
  tile.bytes.assign(window.begin() + static_cast<std::ptrdiff_t>(begin),
                    window.begin() + static_cast<std::ptrdiff_t>(end));
  for (const std::uint32_t barrier : cta.mbarriers().live_in(begin, end)) {
    tile.barriers.push_back(barrier);
  }
  tile.name = fmt::format("{}.0x{:x}/{}/{}", what, begin, moment, cta_text(tile.cta));
  const std::uint32_t same = names_[tile.name]++;
  if (same != 0) tile.name += fmt::format("/{}", same + 1);
  tiles_.push_back(std::move(tile));
}

}  // namespace lc::observe
