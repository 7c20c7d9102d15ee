#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/machine/schedule.h"

namespace lc::runtime {

/// How the virtual GPU behaves in a process; read once from the environment, where `layout-check
/// run` puts it.
///
///   LC_DEVICE             auto | b200 | h200   auto: what the program's PTX is for, else b200
///   LC_SCHEDULE           eager | lazy | random:SEED      when asynchronous work completes
///   LC_MEMORY_LIMIT       BYTES, with K, M, G             of device memory; default: the device's
///   LC_INSTRUCTION_LIMIT  N, with K, M, G                 of one launch, warp-wide; default: none
///   LC_HOST_THREADS       N                               default: all cores
///   LC_FRESH_SHARED       BYTE                            what fresh shared memory holds
///   LC_FRESH_GLOBAL       BYTE                            what fresh device memory holds
///   LC_TRACE              1                               one line a launch, to stderr
///   LC_KEEP_PTX           DIRECTORY                       write the PTX of loaded modules there
struct Options {
  enum class Device : std::uint8_t { automatic, b200, h200 } device = Device::automatic;
  machine::Schedule schedule;
  std::optional<std::uint64_t> memory_limit;
  std::uint64_t instruction_limit = 0;
  unsigned host_threads = 0;
  std::byte fresh_shared{0}, fresh_global{0};
  bool trace = false;
  std::string ptx_directory;
};

/// Reads the variables through `variable`, which returns nullptr for one that is not set.  What
/// cannot be understood is told in `problem` and left at its default.
Options read_options(const std::function<const char*(const char*)>& variable, std::string& problem);

/// "64M" -> 67108864; nothing for text that is no such number.
std::optional<std::uint64_t> parse_amount(std::string_view text);

}  // namespace lc::runtime
