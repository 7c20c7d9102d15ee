#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout/mbarrier.h"
#include "sim/layout/operand.h"
#include "sim/machine/actor.h"
#include "sim/machine/async.h"
#include "sim/machine/fault.h"
#include "sim/machine/generic_address.h"
#include "sim/machine/global_memory.h"

/// What observers see.  Addresses of shared memory are shared::cluster ones.
namespace lc::machine {

/// PTX ISA 9.0, 8.3 "Proxies".
enum class Proxy : std::uint8_t { generic, async, tensormap };

class AsyncGroups;
class Cluster;
class Cta;
struct FunctionCode;
struct Inst;
struct TensorCopy;
struct TensorMapObject;

/// What follows, until the next of these, happens in this cluster: one host thread runs all
/// clusters of a launch that is watched, in turns.
struct ClusterEvent {
  const Cluster* cluster = nullptr;
};

/// A warp is about to execute an instruction.
struct StepEvent {
  const Cluster* cluster = nullptr;
  const Cta* cta = nullptr;
  const FunctionCode* function = nullptr;
  const Inst* inst = nullptr;
  std::uint32_t lanes = 0;
  Actor actor;
  bool resumed = false;  ///< it runs again because its wait is over
};

/// A CTA, or all of a cluster, is about to end: its memory can still be read.
struct ExitEvent {
  const Cluster* cluster = nullptr;
};

/// One load, store or atomic of a warp.
struct WarpAccess {
  Space space = Space::global;
  Access access = Access::read;
  bool atomic = false;
  std::uint32_t width = 4;                   ///< bytes of one lane
  std::uint32_t lanes = 0;                   ///< active ones
  const std::uint64_t* addresses = nullptr;  ///< 32
  Actor actor;
  Place place;
};

/// A contiguous piece that a unit reads or writes.
struct UnitAccess {
  Space space = Space::shared;
  Access access = Access::read;
  Proxy proxy = Proxy::async;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  ItemId item = 0;
  Actor actor;
};

struct AsyncEvent {
  ItemId item = 0;
  AsyncStage stage = AsyncStage::issued;
  const AsyncItem* what = nullptr;
};

/// A tensor copy that was found legal and is about to be issued, for one CTA's shared memory.
struct TensorCopyEvent {
  const TensorMapObject* map = nullptr;
  const TensorCopy* copy = nullptr;
  bool load = true;
  std::uint32_t cta_rank = 0;
  BarrierKey barrier;  ///< loads
  Actor actor;
  Place place;
};

/// A thread closes a group of asynchronous items, or waits until only the `pending` last are left.
struct GroupEvent {
  enum class Kind : std::uint8_t { commit, wait, wait_all } kind = Kind::commit;
  const AsyncGroups* groups = nullptr;
  const std::vector<ItemId>* items = nullptr;  ///< commit, wait_all: not yet in a group
  std::uint64_t pending = 0;
};

/// The warp that took the last step waits for an item by its number.
struct ItemWait {
  ItemId item = 0;
};

/// Warps meet at a barrier that counts its completions: a named one, or the cluster's.
struct MeetEvent {
  const std::uint64_t* counter = nullptr;
  std::uint64_t due = 0;  ///< the completion that this is for
  bool arrives = true, waits = true;
  Actor actor;
};

struct BarrierEvent {
  BarrierKey barrier;
  MbarrierOp op = MbarrierOp::arrive;
  std::uint64_t operand = 0;
  Mbarrier before, after;
  Actor actor;
  Place place;
};

struct BarrierWait {
  BarrierKey barrier;
  std::uint32_t parity = 0;
  bool passed = false;
  Actor actor;
  Place place;
};

/// An operand of a matrix instruction: where it was read.
struct OperandRead {
  enum class Operand : std::uint8_t { a, b, scale_a, scale_b, metadata } operand = Operand::a;
  std::uint32_t cta_rank = 0;
  std::uint64_t descriptor = 0;  ///< of shared memory; for Tensor Memory the address
  bool in_tensor_memory = false;
  std::uint32_t mn = 0, k = 0;
  ItemId item = 0;
  Actor actor;
  Place place;
  // How shared memory was read.
  Arch arch = Arch::sm_100;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;
};

/// Implements what it wants to see.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void see(const ClusterEvent&) {}
  virtual void see(const StepEvent&) {}
  virtual void see(const ExitEvent&) {}
  virtual void see(const WarpAccess&) {}
  virtual void see(const UnitAccess&) {}
  virtual void see(const AsyncEvent&) {}
  virtual void see(const TensorCopyEvent&) {}
  virtual void see(const GroupEvent&) {}
  virtual void see(const ItemWait&) {}
  virtual void see(const MeetEvent&) {}
  virtual void see(const BarrierEvent&) {}
  virtual void see(const BarrierWait&) {}
  virtual void see(const OperandRead&) {}
};

/// The observers of a run; not owned.  `make` is called only when somebody watches:
///   events.emit([&] { return BarrierWait{…}; });
class Events {
 public:
  void subscribe(Observer& observer) { observers_.push_back(&observer); }
  bool watched() const { return !observers_.empty(); }

  template <class Make>
  void emit(Make&& make) const {
    if (observers_.empty()) return;
    const auto event = make();
    for (Observer* observer : observers_) observer->see(event);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace lc::machine
