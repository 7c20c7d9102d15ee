#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/load.h"
#include "sim/machine/launch.h"
#include "sim/ptx/parser.h"

namespace lc {

/// A device with one module, for tests: parse, load, launch, look at memory.
///
///     Guest guest(entry("k", ".param .u64 out", "… st.global …"));
///     const auto out = guest.buffer<std::uint32_t>(32);
///     guest.run({32}, {out});
///     guest.read<std::uint32_t>(out, 32)
class Guest {
 public:
  explicit Guest(const std::string& ptx, machine::RunOptions options = {});

  /// Bytes of zeros; its address.
  std::uint64_t buffer(std::uint64_t bytes);
  template <class T>
  std::uint64_t buffer(std::size_t count) {
    return buffer(count * sizeof(T));
  }
  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t at = buffer<T>(values.size());
    std::memcpy(memory.bytes(at, values.size() * sizeof(T), 1, machine::Access::write),
                values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.bytes(address, count * sizeof(T), 1, machine::Access::read),
                count * sizeof(T));
    return values;
  }

  /// A launch of the module's first entry; parameters are 64-bit words.
  machine::Launch launch(std::array<std::uint32_t, 3> block,
                         const std::vector<std::uint64_t>& parameters = {});
  machine::RunResult run(const machine::Launch& launch);
  /// One CTA of `threads`; throws the Fault of a run that stopped.
  machine::RunResult run(std::uint32_t threads, const std::vector<std::uint64_t>& parameters = {});

  machine::GlobalMemory memory;
  machine::RunOptions options;
  std::unique_ptr<isa::LoadedModule> module;
};

/// A module for sm_100a with one kernel `k`.
std::string kernel(const std::string& parameters, const std::string& body,
                   const std::string& before = "");

}  // namespace lc
