#include "sim/isa/builtins.h"

#include <array>
#include <cstring>
#include <string>

#include "sim/isa/printf.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"

namespace lc::isa {
namespace {

using machine::Access;
using machine::Window;

template <class T>
T argument(Warp& warp, const Inst& inst, std::size_t i, std::uint32_t lane) {
  T value;
  const std::uint32_t at = warp.local_base() + info<BuiltinCall>(inst).arguments[i];
  std::memcpy(&value, warp.local().bytes(lane, at, sizeof value, 1), sizeof value);
  return value;
}

template <class T>
void answer(Warp& warp, const Inst& inst, std::uint32_t lane, T value) {
  const std::uint32_t at = warp.local_base() + info<BuiltinCall>(inst).result;
  std::memcpy(warp.local().bytes(lane, at, sizeof value, 1), &value, sizeof value);
}

/// A string of the guest, cut at 4 KiB.
std::string text_at(Warp& warp, std::uint64_t address, std::uint32_t lane) {
  std::string text;
  while (text.size() < 4096) {
    const auto c = static_cast<char>(
        *warp.at(Window::generic, address + text.size(), 1, 1, Access::read, lane));
    if (c == '\0') break;
    text += c;
  }
  return text;
}

/// int vprintf(const char* format, void* arguments)
Flow run_vprintf(Warp& warp, const Inst& inst, LaneMask active) {
  for_each_lane(active, [&](std::uint32_t lane) {
    const std::string format = text_at(warp, argument<std::uint64_t>(warp, inst, 0, lane), lane);
    std::uint64_t next = argument<std::uint64_t>(warp, inst, 1, lane);
    PrintfSource source;
    source.take = [&](std::uint32_t bytes) {
      next = (next + bytes - 1) / bytes * bytes;
      std::uint64_t value = 0;
      std::memcpy(&value, warp.at(Window::generic, next, bytes, bytes, Access::read, lane), bytes);
      next += bytes;
      return value;
    };
    source.text = [&](std::uint64_t address) { return text_at(warp, address, lane); };
    std::string& output = warp.cluster().output;
    const std::string printed = formatted(format, source);
    // What a device's buffer would lose is cut here too: 1 MiB a cluster.
    if (output.size() < (1u << 20)) output += printed;
    answer<std::int32_t>(warp, inst, lane, static_cast<std::int32_t>(count_conversions(format)));
  });
  return Flow::next;
}

/// void __assertfail(const char* condition, const char* file, unsigned line, const char* function,
/// size_t char_size)
Flow run_assertfail(Warp& warp, const Inst& inst, LaneMask active) {
  const std::uint32_t lane = machine::first_lane(active);
  const auto text = [&](std::size_t i) {
    const std::uint64_t address = argument<std::uint64_t>(warp, inst, i, lane);
    return address == 0 ? std::string("?") : text_at(warp, address, lane);
  };
  machine::Fault fault(machine::FaultKind::trap, "assert",
                       text(1) + ":" +
                           std::to_string(argument<std::uint32_t>(warp, inst, 2, lane)) + ": " +
                           text(3) + ": assertion `" + text(0) + "` failed");
  fault.place = warp.place(static_cast<int>(lane));
  throw fault;
}

Flow run_malloc(Warp& warp, const Inst& inst, LaneMask active) {
  if (!warp.cluster().has_turn()) {
    machine::Wait w;
    w.kind = machine::Wait::Kind::turn;
    return warp.wait(active, w);
  }
  for_each_lane(active, [&](std::uint32_t lane) {
    const auto size = argument<std::uint64_t>(warp, inst, 0, lane);
    answer<std::uint64_t>(warp, inst, lane, warp.cluster().global().allocate(size).value_or(0));
  });
  return Flow::next;
}

Flow run_free(Warp& warp, const Inst& inst, LaneMask active) {
  if (!warp.cluster().has_turn()) {
    machine::Wait w;
    w.kind = machine::Wait::Kind::turn;
    return warp.wait(active, w);
  }
  for_each_lane(active, [&](std::uint32_t lane) {
    const auto address = argument<std::uint64_t>(warp, inst, 0, lane);
    if (address == 0 || warp.cluster().global().free(address)) return;
    throw machine::Fault(machine::FaultKind::illegal_address, "free.not-allocated",
                         "free of " + machine::hex(address) + ", where no allocation starts",
                         address);
  });
  return Flow::next;
}

constexpr std::array kBuiltins{
    Builtin{"vprintf", 2, true, run_vprintf},
    Builtin{"__assertfail", 5, false, run_assertfail},
    Builtin{"malloc", 1, true, run_malloc},
    Builtin{"free", 1, false, run_free},
};

}  // namespace

const Builtin* builtin(std::string_view name) {
  for (const Builtin& b : kBuiltins) {
    if (b.name == name) return &b;
  }
  return nullptr;
}

}  // namespace lc::isa
