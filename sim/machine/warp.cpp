#include "sim/machine/warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/machine/address_map.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"

namespace lc::machine {
namespace {

/// A fragment that could run is passed over for at most so many instructions of another.
constexpr std::uint64_t kPatience = 4096;
/// … which then goes first for so many.
constexpr std::uint32_t kFavour = 256;
constexpr std::uint32_t kMaxCallDepth = 1024;

bool runs_before(const Fragment& a, const Fragment& b) {
  if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
  return a.pc < b.pc;
}

}  // namespace

Warp::Warp(Cta& cta, std::uint32_t number, LaneMask lanes)
    : cta_(cta), number_(number), born_(lanes), live_(lanes) {
  const Program& program = cta.cluster().program();
  auto frame = std::make_shared<Frame>();
  frame->code = &program.entry();
  frame->lanes = lanes;
  frame->registers.assign(program.entry().frame_bytes / 8, 0);
  local_.reserve(program.entry().local_bytes);
  specials_.assign((program.specials_bytes + 7) / 8, 0);
  fill_specials();
  blocks_[static_cast<std::size_t>(Ref::Block::constants)] = reinterpret_cast<std::byte*>(
      const_cast<std::uint64_t*>(program.constants.data()));  // sources only: out32 takes frames
  blocks_[static_cast<std::size_t>(Ref::Block::specials)] =
      reinterpret_cast<std::byte*>(specials_.data());
  Fragment first;
  first.lanes = lanes;
  first.frame = std::move(frame);
  fragments_.push_back(std::move(first));
  select(0);
}

Cluster& Warp::cluster() {
  return cta_.cluster();
}

Actor Warp::actor(std::uint32_t lane) const {
  return {Unit::thread, cta_.rank(), static_cast<std::int32_t>(number_),
          static_cast<std::int32_t>(lane)};
}

Place Warp::place(int lane) const {
  Place p;
  if (executing_ != nullptr) p.line = static_cast<int>(executing_->line);
  std::copy(cta_.index().begin(), cta_.index().end(), p.cta);
  p.warp = static_cast<int>(number_);
  p.lane = lane;
  return p;
}

void Warp::select(std::size_t index) {
  current_ = index;
  blocks_[0] = reinterpret_cast<std::byte*>(fragments_[index].frame->registers.data());
}

/// The lanes in `leaving` become a fragment of their own at `pc`; the index of the current one
/// stays.
std::size_t Warp::split(LaneMask leaving, std::uint32_t pc) {
  Fragment other;
  other.lanes = leaving;
  other.pc = pc;
  other.frame = fragment().frame;
  fragment().lanes &= ~leaving;
  fragments_.push_back(std::move(other));
  return fragments_.size() - 1;
}

Flow Warp::branch(LaneMask active, std::uint32_t target) {
  if (active != fragment().lanes) split(fragment().lanes & ~active, fragment().pc + 1);
  fragment().pc = target;
  return Flow::jump;
}

Flow Warp::call(LaneMask active, std::uint32_t function) {
  if (active != fragment().lanes) split(fragment().lanes & ~active, fragment().pc + 1);
  Fragment& f = fragment();
  const FunctionCode& code = cta_.cluster().program().functions[function];
  std::shared_ptr<Frame> callee;
  // Lanes that called from here before and are still there share the frame, so that all can meet.
  for (const Fragment& other : fragments_) {
    for (const std::shared_ptr<Frame>* at = &other.frame; *at; at = &(*at)->caller) {
      if ((*at)->caller == f.frame && (*at)->return_to == f.pc + 1 && (*at)->code == &code &&
          ((*at)->lanes & f.lanes) == 0) {
        callee = *at;
      }
    }
  }
  if (!callee) {
    if (f.frame->depth >= kMaxCallDepth) {
      throw Fault(FaultKind::out_of_memory, "call.depth",
                  "calls are nested " + std::to_string(kMaxCallDepth) + " deep");
    }
    callee = std::make_shared<Frame>();
    callee->code = &code;
    callee->caller = f.frame;
    callee->return_to = f.pc + 1;
    callee->depth = f.frame->depth + 1;
    callee->local_base = (f.frame->local_base + f.frame->code->local_bytes + 15) / 16 * 16;
    callee->registers.assign(code.frame_bytes / 8, 0);
    local_.reserve(callee->local_base + code.local_bytes);
  }
  local_.clear(f.lanes, callee->local_base, code.local_bytes);
  callee->lanes |= f.lanes;
  f.frame = std::move(callee);
  f.pc = 0;
  select(current_);
  return Flow::jump;
}

Flow Warp::return_from(LaneMask active) {
  if (!fragment().frame->caller) return exit(active);
  if (active != fragment().lanes) split(fragment().lanes & ~active, fragment().pc + 1);
  Fragment& f = fragment();
  f.frame->lanes &= ~f.lanes;
  f.pc = f.frame->return_to;
  f.frame = std::shared_ptr<Frame>(f.frame->caller);
  select(current_);
  return Flow::jump;
}

Flow Warp::exit(LaneMask active) {
  if (active != fragment().lanes) split(fragment().lanes & ~active, fragment().pc + 1);
  Fragment& f = fragment();
  const LaneMask gone = f.lanes;
  for (Frame* frame = f.frame.get(); frame != nullptr; frame = frame->caller.get()) {
    frame->lanes &= ~gone;
  }
  f.lanes = 0;
  live_ &= ~gone;
  // Those that waited for them may now be all that is left of a group.
  for (Fragment& other : fragments_) {
    if (other.wait.kind == Wait::Kind::lanes) other.wait = {};
  }
  cta_.lanes_exited(number_, gone);
  return Flow::jump;
}

Flow Warp::wait(LaneMask active, const Wait& wait) {
  if (active != fragment().lanes) split(fragment().lanes & ~active, fragment().pc + 1);
  fragment().wait = wait;
  fragment().resumed = false;
  fragment().gave_up = false;
  return Flow::again;
}

Flow Warp::gather(LaneMask active, LaneMask needed) {
  const LaneMask want = needed & live_;
  if ((active & want) == want) return Flow::next;
  Wait w;
  w.kind = Wait::Kind::lanes;
  w.value = needed;
  w.what = "other lanes of the warp";
  return wait(active, w);
}

void Warp::pass(std::size_t number, LaneMask lanes) {
  Fragment& f = fragments_[number];
  f.wait = {};
  const LaneMask others = f.lanes & ~lanes;
  f.lanes = lanes;
  const std::uint32_t pc = f.pc++;
  if (others == 0) return;
  Fragment rest;
  rest.lanes = others;
  rest.pc = pc;
  rest.frame = f.frame;
  fragments_.push_back(std::move(rest));
}

bool Warp::is_over(const Fragment& f) const {
  const Wait& w = f.wait;
  switch (w.kind) {
    case Wait::Kind::none:
    case Wait::Kind::poll:
      return true;
    case Wait::Kind::mbarrier_parity:
    case Wait::Kind::mbarrier_token: {
      // The phase that was open when the wait began is what it waits for.
      const MbarrierUnit& unit = cta_.cluster().cta(w.barrier.cta_rank).mbarriers();
      return unit.state(w.barrier.offset).phase != w.phase;
    }
    case Wait::Kind::counter:
    case Wait::Kind::columns:
      return *w.counter >= w.value;
    case Wait::Kind::lanes:
      // Lanes that join make it run again; so do lanes that exit.
      return (f.lanes & w.value & live_) == (w.value & live_);
    case Wait::Kind::turn:
      return cta_.cluster().has_turn();
  }
  return false;
}

bool Warp::wake() {
  bool any = false;
  for (Fragment& f : fragments_) {
    if (f.wait.kind == Wait::Kind::none) {
      any = true;
    } else if (is_over(f)) {
      // An instruction that waited for lanes, the turn or its chance starts afresh.
      const bool again = f.wait.kind == Wait::Kind::lanes || f.wait.kind == Wait::Kind::turn;
      f.resumed = !again;
      f.polled |= f.wait.kind == Wait::Kind::poll;
      f.gave_up = false;
      f.ended = f.wait;
      f.wait = {};
      any = true;
    }
  }
  return any;
}

/// Joins fragments that stand at the same instruction of the same call.  True when the current one
/// changed.
bool Warp::join() {
  bool changed = false;
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    Fragment& a = fragments_[i];
    const auto joinable = [](const Fragment& f) {
      return !f.resumed && (f.wait.kind == Wait::Kind::none || f.wait.kind == Wait::Kind::lanes);
    };
    if (!joinable(a)) continue;
    for (std::size_t j = i + 1; j < fragments_.size();) {
      Fragment& b = fragments_[j];
      if (b.pc != a.pc || b.frame != a.frame || !joinable(b)) {
        ++j;
        continue;
      }
      a.lanes |= b.lanes;
      a.wait = {};
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
      if (current_ == j) {
        current_ = i;
      } else if (current_ > j) {
        --current_;
      }
      changed = true;
    }
  }
  if (changed) select(current_);
  return changed;
}

/// Selects the fragment that runs next: the deepest call, then the lowest instruction.  Once in a
/// while the next one in turn is favoured for a stretch.  False when all wait.
bool Warp::choose() {
  const std::size_t count = fragments_.size();
  const auto can_run = [&](std::size_t i) { return fragments_[i].wait.kind == Wait::Kind::none; };
  std::size_t best = count;
  if (turns_ >= kPatience) {
    turns_ = 0;
    for (std::size_t k = 1; k <= count && best == count; ++k) {
      if (can_run((current_ + k) % count)) best = (current_ + k) % count;
    }
    if (best == count) return false;
    favoured_lane_ = first_lane(fragments_[best].lanes);
    favour_left_ = kFavour;
  } else if (favour_left_ > 0) {
    --favour_left_;
    for (std::size_t i = 0; i < count; ++i) {
      if ((fragments_[i].lanes >> favoured_lane_ & 1) != 0 && can_run(i)) best = i;
    }
  }
  for (std::size_t i = 0; i < count && favour_left_ == 0; ++i) {
    if (can_run(i) && (best == count || runs_before(fragments_[i], fragments_[best]))) best = i;
  }
  if (best == count) {
    favour_left_ = 0;
    for (std::size_t i = 0; i < count && best == count; ++i) {
      if (can_run(i)) best = i;
    }
    if (best == count) return false;
  }
  if (best != current_) select(best);
  return true;
}

/// Completes the loads of Tensor Memory whose registers the next instruction touches: a register
/// dependency holds without a wait (PTX ISA 9.0, 9.7.16.6.4.5).  Results on their way to another
/// call are there before anything else happens.
void Warp::settle_tensor_loads(const Fragment& f) {
  const FunctionCode& code = *f.frame->code;
  const std::span<const std::uint32_t> touched(
      code.touched.data() + code.touched_from[f.pc],
      code.touched_from[f.pc + 1] - code.touched_from[f.pc]);
  std::erase_if(tensor_loads, [&](const TensorLoad& load) {
    const bool meets =
        load.frame != f.frame || std::any_of(touched.begin(), touched.end(), [&](auto offset) {
          return std::any_of(load.registers.begin(), load.registers.end(),
                             [&](Ref r) { return r.offset == offset; });
        });
    if (meets) cta_.cluster().queue().finish(load.item);
    return meets;
  });
}

void Warp::step() {
  Fragment& f = fragment();
  const Inst& inst = f.frame->code->code[f.pc];
  executing_ = &inst;
  if (!tensor_loads.empty()) settle_tensor_loads(f);
  const LaneMask active = f.lanes & predicate(inst.guard);
  if (active == 0) {
    ++f.pc;
    return;
  }
  cta_.cluster().events().emit([&] {
    return StepEvent{&cta_.cluster(),           &cta_,    f.frame->code, &inst, active,
                     actor(first_lane(active)), f.resumed};
  });
  const Flow flow = inst.run(*this, inst, active);
  // The handler may have split the fragment; the current one is where it was.
  Fragment& now = fragment();
  if (flow == Flow::next) ++now.pc;
  if (flow != Flow::again) now.resumed = now.gave_up = now.polled = false;
}

void Warp::note_place(Fault& fault) const {
  if (!fault.place.known()) fault.place = place();
  if (fault.place.function.empty() && current_ < fragments_.size()) {
    fault.place.function = fragment().frame->code->name;
  }
}

void Warp::drop_empty() {
  std::erase_if(fragments_, [](const Fragment& f) { return f.lanes == 0; });
  if (!fragments_.empty()) select(0);
}

std::uint64_t Warp::run_turn() {
  std::uint64_t steps = 0;
  try {
    for (std::size_t i = 0; i < fragments_.size(); ++i) {
      if (fragments_[i].wait.kind != Wait::Kind::turn) continue;
      fragments_[i].wait = {};
      select(i);
      step();
      ++steps;
    }
    drop_empty();
  } catch (Fault& fault) {
    note_place(fault);
    throw;
  }
  return steps;
}

void Warp::run(std::uint64_t& budget) {
  try {
    while (budget > 0) {
      if (fragments_.size() > 1) {
        join();
        if (!choose()) return;
      } else if (fragments_.front().wait.kind != Wait::Kind::none) {
        return;
      }
      // One fragment alone runs on without a look at others.
      do {
        step();
        --budget;
        ++turns_;
      } while (budget > 0 && fragments_.size() == 1 &&
               fragments_.front().wait.kind == Wait::Kind::none && fragments_.front().lanes != 0);
      if (fragment().lanes == 0) {
        drop_empty();
        if (fragments_.empty()) return;
      }
    }
  } catch (Fault& fault) {
    note_place(fault);
    throw;
  }
}

void Warp::fill_specials() {
  const Cluster& cluster = std::as_const(cta_).cluster();
  const Launch& launch = cluster.launch();
  const Program& program = *launch.program;
  for (const SpecialUse& use : program.specials) {
    std::byte* at = reinterpret_cast<std::byte*>(specials_.data()) + use.offset;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const std::uint64_t value = special_value(use, lane);
      if (use.width == LaneWidth::predicate) {
        *reinterpret_cast<std::uint32_t*>(at) = value != 0 ? kAllLanes : 0;
      } else if (use.width == LaneWidth::b32) {
        reinterpret_cast<std::uint32_t*>(at)[lane] = static_cast<std::uint32_t>(value);
      } else {
        reinterpret_cast<std::uint64_t*>(at)[lane] = value;
      }
    }
  }
}

AsyncGroups& Warp::groups(Groups kind, std::uint32_t lane) {
  auto& all = groups_[static_cast<std::size_t>(kind)];
  if (!all) all = std::make_unique<std::array<AsyncGroups, kWarpLanes>>();
  return (*all)[lane];
}

std::byte* Warp::global(std::uint64_t address, std::uint32_t bytes, std::uint32_t alignment,
                        Access access) {
  GlobalMemory& memory = cta_.cluster().global();
  if (access == Access::write && is_constant_address(address)) {
    throw Fault(FaultKind::illegal_address, "global.read-only",
                "write of " + std::to_string(bytes) + " bytes at " + hex(address) +
                    ", which belongs to constants",
                address);
  }
  if (view_.version == memory.version() && (address & (alignment - 1)) == 0) {
    if (std::byte* p = view_.bytes(address, bytes, access == Access::write)) return p;
  }
  std::byte* p = memory.bytes(address, bytes, alignment, access);
  view_ = memory.view(address);
  return p;
}

std::byte* Warp::at(Window window, std::uint64_t address, std::uint32_t bytes,
                    std::uint32_t alignment, Access access, std::uint32_t lane) {
  try {
    if (window == Window::generic) {
      const SpaceAddress a = from_generic(address);
      window = a.space == Space::shared  ? Window::shared_cluster
               : a.space == Space::local ? Window::local
                                         : Window::global;
      address = a.address;
    }
    switch (window) {
      case Window::shared_cta:
      case Window::shared_cluster: {
        const auto place = cta_.cluster().shared_place(
            address, cta_.rank(),
            window == Window::shared_cta ? SharedWindow::cta : SharedWindow::cluster);
        return place.cta->shared().bytes(place.offset, bytes, alignment, access);
      }
      case Window::local:
        return local_.bytes(lane, address, bytes, alignment);
      default:
        return global(address, bytes, alignment, access);
    }
  } catch (Fault& fault) {
    if (!fault.place.known()) fault.place = place(static_cast<int>(lane));
    throw;
  }
}

void Warp::note_access(Window window, Access access, bool atomic, std::uint32_t width,
                       LaneMask lanes, const std::uint64_t* addresses) {
  if (!cta_.cluster().events().watched() || lanes == 0) return;
  std::array<std::uint64_t, kWarpLanes> in_space{};
  std::copy_n(addresses, kWarpLanes, in_space.begin());
  // A generic access counts as one of the space its first lane names.
  Space space = window == Window::global  ? Space::global
                : window == Window::local ? Space::local
                                          : Space::shared;
  if (window == Window::generic) {
    space = from_generic(addresses[first_lane(lanes)]).space;
    for (std::uint64_t& a : in_space) a = from_generic(a).address;
  }
  cta_.cluster().events().emit([&] {
    return WarpAccess{
        space, access, atomic, width, lanes, in_space.data(), actor(first_lane(lanes)), place()};
  });
}

}  // namespace lc::machine
