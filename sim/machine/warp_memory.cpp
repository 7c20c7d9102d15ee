#include <algorithm>

#include "sim/machine/address_map.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"
#include "sim/machine/warp.h"

namespace lc::machine {
namespace {

std::byte* shared_piece(SharedMemory& shared, std::uint64_t offset, std::uint64_t bytes,
                        Access access) {
  if (bytes > shared.size() || offset > shared.size() - bytes) return nullptr;
  if (access == Access::write && offset < kSharedReserved) return nullptr;
  return shared.bytes(offset, bytes, 1, access);
}

}  // namespace

std::byte* Warp::piece(Window window, std::uint64_t first, std::uint64_t bytes, Access access) {
  if (window == Window::generic) {
    const SpaceAddress a = from_generic(first);
    if (a.space == Space::local) return nullptr;
    window = a.space == Space::shared ? Window::shared_cluster : Window::global;
    first = a.address;
  }
  switch (window) {
    case Window::shared_cta:
    case Window::shared_cluster: {
      const std::uint64_t rank = first >> kSharedRankShift;
      if (rank != cta_.rank()) return nullptr;
      return shared_piece(cta_.shared(), first - (rank << kSharedRankShift), bytes, access);
    }
    case Window::global: {
      const GlobalMemory& memory = cta_.cluster().global();
      const bool write = access == Access::write;
      // The host may write constants, a kernel may not.
      if (write && is_constant_address(first)) return nullptr;
      if (view_.version == memory.version()) {
        if (std::byte* p = view_.bytes(first, bytes, write)) return p;
      }
      view_ = memory.view(first);
      return view_.bytes(first, bytes, write);
    }
    default:
      return nullptr;
  }
}

void Warp::note_meeting(const std::uint64_t& completed, std::uint64_t due, bool arrives,
                        bool waits) {
  cta_.cluster().events().emit(
      [&] { return MeetEvent{&completed, due, arrives, waits, actor()}; });
}

bool Warp::comes_back_to(std::uint64_t address) {
  const Visit visit{executing_, address};
  if (std::find(visits_.begin(), visits_.end(), visit) != visits_.end()) return true;
  visits_[next_visit_] = visit;
  next_visit_ = (next_visit_ + 1) % visits_.size();
  return false;
}

}  // namespace lc::machine
