#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/events.h"
#include "sim/machine/fault.h"
#include "sim/machine/lanes.h"
#include "sim/machine/local_memory.h"
#include "sim/machine/program.h"
#include "sim/machine/wait.h"

// A warp: 32 lanes that execute one program, together where they agree.
//
// Lanes at the same instruction of the same call form a fragment; a warp is one fragment until a
// branch parts its lanes.  The fragment deepest in calls, then the one with the lowest instruction,
// runs first, and fragments that meet at an instruction join again, so lanes reconverge where the
// program's paths do.  A fragment that waits lets the others run, and none runs for ever while
// others could: every lane makes progress.
//
//     fragments   pc   lanes
//        0        12   00000001   waits: mbarrier 0x408, parity 0
//        1        40   fffffffe   runs; joins fragment 0 should that come to 40
namespace lc::machine {

class Cta;
class Cluster;

/// The registers of one call, for all lanes that made it.
struct Frame {
  const FunctionCode* code = nullptr;
  std::shared_ptr<Frame> caller;
  std::uint32_t return_to = 0;  ///< instruction of the caller after the call
  std::uint32_t depth = 0;
  std::uint32_t local_base = 0;  ///< where this frame's thread-local bytes start
  LaneMask lanes = 0;            ///< that have not returned
  std::vector<std::uint64_t> registers;
};

struct Fragment {
  LaneMask lanes = 0;
  std::uint32_t pc = 0;
  std::shared_ptr<Frame> frame;
  Wait wait;
  bool resumed = false;  ///< the wait is over and the handler has not run again yet
  bool polled = false;   ///< the others ran since the handler first asked for it
  bool gave_up = false;  ///< … because nothing else could go on
  Wait ended;            ///< the wait that is over
};

/// What an address of a load, store or atomic counts in.
enum class Window : std::uint8_t { generic, global, shared_cta, shared_cluster, local };

class Warp {
 public:
  /// Warp `number` of the CTA with the lanes in `lanes` (fewer than 32 in a last warp).
  Warp(Cta& cta, std::uint32_t number, LaneMask lanes);

  // Who and where.
  Cta& cta() { return cta_; }
  Cluster& cluster();
  std::uint32_t number() const { return number_; }
  Actor actor(std::uint32_t lane = 0) const;
  /// Place of the instruction being executed.
  Place place(int lane = -1) const;

  // Registers.  Pointers to 32 lanes; 128-bit registers are 32 pairs, low half first.
  const std::uint32_t* in32(Ref r) const {
    return reinterpret_cast<const std::uint32_t*>(blocks_[r.block] + r.offset);
  }
  const std::uint64_t* in64(Ref r) const {
    return reinterpret_cast<const std::uint64_t*>(blocks_[r.block] + r.offset);
  }
  std::uint32_t* out32(Ref r) const {
    return reinterpret_cast<std::uint32_t*>(blocks_[0] + r.offset);
  }
  std::uint64_t* out64(Ref r) const {
    return reinterpret_cast<std::uint64_t*>(blocks_[0] + r.offset);
  }
  /// Lanes in which a predicate, or its negation, is true.
  LaneMask predicate(Ref r) const { return *in32(r) ^ (r.negated ? kAllLanes : 0); }
  void set_predicate(Ref r, LaneMask active, LaneMask value) const {
    std::uint32_t& p = *out32(r);
    p = (p & ~active) | (value & active);
  }
  /// Operand `i` of the instruction's long list.
  Ref listed(const Inst& inst, std::uint32_t i) const {
    return fragment().frame->code->refs[inst.first + i];
  }
  /// Keeps a frame alive for work that writes registers later.
  std::shared_ptr<Frame> frame() const { return fragment().frame; }

  // Control.  Handlers return what these return.
  /// The lanes in `active` go to `target`, the others of the fragment on.
  Flow branch(LaneMask active, std::uint32_t target);
  /// Those lanes become a fragment of their own that is still at this instruction.
  void leave_behind(LaneMask lanes) { split(lanes, fragment().pc); }
  /// Calls a function; its frame starts with zero registers and zero bytes.  Arguments are copied
  /// by the handler afterwards: the callee is then `frame()`, the caller `frame()->caller`.
  Flow call(LaneMask active, std::uint32_t function);
  Flow return_from(LaneMask active);
  Flow exit(LaneMask active);
  /// The lanes in `active` wait and the handler runs again for them; the others go on.
  Flow wait(LaneMask active, const Wait& wait);
  /// True in a handler that runs again because its wait is over; `gave_up`: because nothing else
  /// could go on.
  bool resumed() const { return fragment().resumed; }
  bool gave_up() const { return fragment().gave_up; }
  /// The wait that is over: a phase that it waited for stays complete for it, even if a later phase
  /// of the same parity has begun since.
  const Wait& ended() const { return fragment().ended; }
  /// True once a Wait::Kind::poll of this instruction is over, whatever it waited for since.
  bool polled() const { return fragment().polled; }
  /// Flow::next when all lanes of `needed` that have not exited are in `active`, so that the
  /// handler may go on; else what the handler returns at once.
  Flow gather(LaneMask active, LaneMask needed);
  /// Fragments that wait for each other: the executing one's number; runs `f` with the registers of
  /// another, or with others altogether.
  std::size_t current() const { return current_; }
  template <class F>
  void on_fragment(std::size_t number, F&& f) {
    on_registers(reinterpret_cast<std::byte*>(fragments_[number].frame->registers.data()), f);
  }
  template <class F>
  void on_registers(std::byte* registers, F&& f) {
    std::byte* const own = blocks_[0];
    blocks_[0] = registers;
    f();
    blocks_[0] = own;
  }
  /// Those lanes of a waiting fragment have executed its instruction; the others look at it again.
  void pass(std::size_t number, LaneMask lanes);
  /// The same for instructions with .aligned: all lanes that have not exited.
  Flow gather_all(LaneMask active) { return gather(active, kAllLanes); }

  /// Lanes that have not exited, and those that exist at all.
  LaneMask live() const { return live_; }
  LaneMask born() const { return born_; }
  bool finished() const { return live_ == 0; }

  // Memory.
  /// Checked host pointer for one lane; throws Fault.
  std::byte* at(Window window, std::uint64_t address, std::uint32_t bytes, std::uint32_t alignment,
                Access access, std::uint32_t lane);
  /// Host pointer to a range, or nullptr where it does not lie in one allocation or in the
  /// executing CTA's shared memory, may not be accessed so, or is thread-local: then `at` says why.
  std::byte* piece(Window window, std::uint64_t first, std::uint64_t bytes, Access access);
  /// Whether the instruction being executed went to the same address among the last few that asked,
  /// as a loop that tests something does.
  bool comes_back_to(std::uint64_t address);
  LocalMemory& local() { return local_; }
  const LocalMemory& local() const { return local_; }
  /// Address of the current frame's thread-local bytes, in the local window.
  std::uint32_t local_base() const { return fragment().frame->local_base; }
  /// Tells observers; `addresses` has 32 entries.
  void note_access(Window window, Access access, bool atomic, std::uint32_t width, LaneMask lanes,
                   const std::uint64_t* addresses);

  /// Tells observers that the warp arrives at a barrier which counts its completions, waits there
  /// for completion `due`, or both.
  void note_meeting(const std::uint64_t& completed, std::uint64_t due, bool arrives, bool waits);

  /// The groups of a thread, made when first asked for.
  enum class Groups : std::uint8_t { cp_async, bulk, warpgroup };
  AsyncGroups& groups(Groups kind, std::uint32_t lane);
  bool has_groups(Groups kind) const { return groups_[static_cast<std::size_t>(kind)] != nullptr; }

  /// Work that this warp's tcgen05.wait::ld, ::st wait for.
  struct TensorLoad {
    ItemId item = 0;
    std::shared_ptr<const Frame> frame;  ///< whose registers it will write
    std::span<const Ref> registers;
  };
  std::vector<TensorLoad> tensor_loads;
  std::vector<ItemId> tensor_stores;
  /// What each lane gave the tensor core last; what it gave before is done earlier.
  std::array<ItemId, kWarpLanes> tensor_core_work{};

  // For the scheduler.
  /// Runs until every fragment waits, the warp is finished, or `budget` instructions ran; counts
  /// down the budget.
  void run(std::uint64_t& budget);
  /// Lets every fragment that waits for the turn execute its instruction; how many did.
  std::uint64_t run_turn();
  /// Whether a fragment could run now; ends waits that are over.
  bool wake();
  std::vector<Fragment>& fragments() { return fragments_; }
  const std::vector<Fragment>& fragments() const { return fragments_; }

 private:
  const Fragment& fragment() const { return fragments_[current_]; }
  Fragment& fragment() { return fragments_[current_]; }
  void select(std::size_t index);
  bool choose();
  bool join();
  void step();
  std::size_t split(LaneMask leaving, std::uint32_t pc);
  void note_place(Fault& fault) const;
  void drop_empty();
  void fill_specials();
  void settle_tensor_loads(const Fragment& f);
  std::uint64_t special_value(const SpecialUse& use, std::uint32_t lane) const;
  bool is_over(const Fragment& fragment) const;
  std::byte* global(std::uint64_t address, std::uint32_t bytes, std::uint32_t alignment,
                    Access access);

  Cta& cta_;
  std::uint32_t number_;
  LaneMask born_, live_;
  std::vector<Fragment> fragments_;
  std::size_t current_ = 0;
  const Inst* executing_ = nullptr;
  std::array<std::byte*, 4> blocks_{};  ///< by Ref::Block
  std::vector<std::uint64_t> specials_;
  LocalMemory local_;
  std::uint64_t turns_ = 0;  ///< instructions since another fragment had its chance
  std::uint32_t favoured_lane_ = 0, favour_left_ = 0;
  std::array<std::unique_ptr<std::array<AsyncGroups, kWarpLanes>>, 3> groups_;
  GlobalMemory::View view_;  ///< the allocation touched last

  /// What `comes_back_to` was asked lately.
  struct Visit {
    const Inst* inst = nullptr;
    std::uint64_t address = 0;
    bool operator==(const Visit&) const = default;
  };
  std::array<Visit, 32> visits_{};
  std::size_t next_visit_ = 0;
};

}  // namespace lc::machine
