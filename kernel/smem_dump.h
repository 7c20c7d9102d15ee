#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "dump_file.h"
#include "smem_dump.cuh"
#include "smem_dump_records.h"

// The host side of smem_dump.cuh: gives kernels a buffer in device memory, fetches what they
// copied, writes the dump file.
//
//   lc::kernel::SmemDumper dumper;                           // 16 MiB, 1024 tiles
//   gemm<<<grid, block, smem>>>(..., dumper.device());
//   dumper.describe("A", TileDescription::copied_by_tma(call).from({"A_global"}));
//   dumper.source("A_global", device_a, a_bytes);
//   for (const std::string& problem : dumper.write("gemm.safetensors")) std::cerr << problem;
//
// A tile that was not copied (buffer full, not in shared memory) is never half written: it is
// missing from the file and named in what write() returns, with the size that would have done.
namespace lc::kernel {

namespace detail {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw SmemDumpError(std::string(what) + ": " + cudaGetErrorName(status) + ", " +
                      cudaGetErrorString(status));
}

template <class T>
std::vector<T> fetched(const T* device, std::size_t count) {
  std::vector<T> out(count);
  if (count != 0) {
    check(cudaMemcpy(out.data(), device, count * sizeof(T), cudaMemcpyDefault), "copy of the dump");
  }
  return out;
}

}  // namespace detail

template <bool enabled>
class SmemDumperFor {
 public:
  explicit SmemDumperFor(std::uint64_t data_bytes = std::uint64_t{16} << 20,
                         std::uint32_t tiles = 1024) {
    buffer_.data_capacity = data_bytes;
    buffer_.record_capacity = tiles;
    buffer_.cta_count = ~std::uint64_t{0};
    if (!enabled) return;
    try {
      allocate(buffer_.counters, sizeof(SmemDumpCounters));
      allocate(buffer_.records, std::uint64_t{tiles} * sizeof(SmemDumpRecord));
      allocate(buffer_.data, data_bytes);
    } catch (...) {
      release();
      throw;
    }
  }
  SmemDumperFor(const SmemDumperFor&) = delete;
  SmemDumperFor& operator=(const SmemDumperFor&) = delete;
  ~SmemDumperFor() { release(); }

  /// Dump these CTAs only (numbered x fastest, then y, then z).
  SmemDumperFor& only_ctas(std::uint64_t first, std::uint64_t count) {
    buffer_.first_cta = first;
    buffer_.cta_count = count;
    return *this;
  }

  /// For kernel launches, as many as wanted.
  SmemDumpHandle<enabled> device() const { return SmemDumpHandle<enabled>(buffer_); }

  /// What all tiles of this name should hold.
  SmemDumperFor& describe(const std::string& name, TileDescription description) {
    descriptions_[name] = std::move(description);
    return *this;
  }

  /// The same for one stage only, where the source or the shape changes from stage to stage.
  SmemDumperFor& describe(const std::string& name, std::uint32_t stage,
                          TileDescription description) {
    stage_descriptions_[{name, stage}] = std::move(description);
    return *this;
  }

  /// The same for one CTA and stage, where the source also changes from CTA to CTA.
  SmemDumperFor& describe(const std::string& name, std::array<std::uint32_t, 3> cta,
                          std::uint32_t stage, TileDescription description) {
    cta_descriptions_[{name, cta, stage}] = std::move(description);
    return *this;
  }

  /// Adds a tensor of source values from host or device memory, as it is when the file is made.
  SmemDumperFor& source(const std::string& name, const void* data, std::size_t bytes) {
    sources_.push_back({name, {static_cast<const unsigned char*>(data), bytes}});
    return *this;
  }

  /// "command", "created_by", or another fact about the whole file.
  SmemDumperFor& fact(const std::string& key, const std::string& value) {
    facts_[key] = value;
    return *this;
  }

  /// Waits for the device and writes what was copied.  Returns one line per tile that was not.
  [[nodiscard]] std::vector<std::string> write(const std::string& path) {
    std::vector<std::string> problems;
    if (enabled) collect(problems).write(path);
    return problems;
  }

  /// The same, without a file.
  DumpFile collect(std::vector<std::string>& problems) {
    DumpFile file;
    if (!enabled) return file;
    detail::check(cudaDeviceSynchronize(), "the kernels before the dump");
    SmemDumpContents contents = fetch();
    report_lost(contents, problems);
    set_facts(file);
    // `check` must not call a file complete from which tiles are missing.
    if (!problems.empty()) {
      file.set_fact("incomplete", std::to_string(problems.size()) + " problems while dumping; " +
                                      problems.front());
    }
    DumpedTiles copied = dumped_tiles(contents);
    report_descriptions(contents.records, problems);
    for (auto& [facts, tensor] : copied) {
      if (const TileDescription* known = description(facts)) {
        tensor.description = json_text(facts, *known);
      }
      file.add(std::move(tensor));
    }
    for (const auto& [name, bytes] : sources_) {
      file.add({name, detail::fetched(bytes.first, bytes.second), ""});
    }
    return file;
  }

  /// Forgets the tiles, keeps the descriptions.
  void clear() {
    if (!enabled) return;
    detail::check(cudaDeviceSynchronize(), "the kernels before the dump");
    detail::check(cudaMemset(buffer_.counters, 0, sizeof(SmemDumpCounters)), "clearing the dump");
  }

 private:
  SmemDumpContents fetch() const {
    SmemDumpContents out;
    out.used = detail::fetched(buffer_.counters, 1)[0];
    out.record_capacity = buffer_.record_capacity;
    out.records =
        detail::fetched(buffer_.records, std::min(out.used.records, buffer_.record_capacity));
    out.data = detail::fetched(buffer_.data,
                               std::min<std::uint64_t>(out.used.data_bytes, buffer_.data_capacity));
    out.device = device_name();
    return out;
  }

  template <class T>
  static void allocate(T*& pointer, std::uint64_t bytes) {
    void* memory = nullptr;
    detail::check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "memory for the dump");
    pointer = static_cast<T*>(memory);
    detail::check(cudaMemset(memory, 0, bytes), "memory for the dump");
  }

  void release() {
    cudaFree(buffer_.counters);
    cudaFree(buffer_.records);
    cudaFree(buffer_.data);
  }

  /// Slips in what the host said: a name that no call of the kernel had, a source that was not
  /// added.
  void report_descriptions(const std::vector<SmemDumpRecord>& records,
                           std::vector<std::string>& problems) const {
    const auto look = [&](const std::string& name, const TileDescription& d) {
      const bool dumped = std::any_of(records.begin(), records.end(),
                                      [&](const SmemDumpRecord& r) { return name == r.name; });
      if (!dumped)
        problems.push_back("`" + name + "` is described, but no tile of this name was dumped");
      const bool named = d.has_source && !d.source.tensor.empty();
      const bool added = std::any_of(sources_.begin(), sources_.end(), [&](const auto& source) {
        return source.first == d.source.tensor;
      });
      if (named && !added) {
        problems.push_back("`" + name + "` has its values from `" + d.source.tensor +
                           "`, which is not in the file; try: source(\"" + d.source.tensor +
                           "\", pointer, bytes)");
      }
    };
    for (const auto& [name, d] : descriptions_) look(name, d);
    for (const auto& [key, d] : stage_descriptions_) look(key.first, d);
    for (const auto& [key, d] : cta_descriptions_) look(std::get<0>(key), d);
  }

  static std::string device_name() {
    cudaDeviceProp properties;
    int device = 0;
    detail::check(cudaGetDevice(&device), "the current device");
    detail::check(cudaGetDeviceProperties(&properties, device), "the name of the device");
    return properties.name;
  }

  const TileDescription* description(const TileFacts& facts) const {
    const auto of_cta = cta_descriptions_.find(
        {facts.name, {facts.cta[0], facts.cta[1], facts.cta[2]}, facts.stage});
    if (of_cta != cta_descriptions_.end()) return &of_cta->second;
    const auto of_stage = stage_descriptions_.find({facts.name, facts.stage});
    if (of_stage != stage_descriptions_.end()) return &of_stage->second;
    const auto of_name = descriptions_.find(facts.name);
    return of_name != descriptions_.end() ? &of_name->second : nullptr;
  }

  void set_facts(DumpFile& file) const {
    const auto version = [](int v) {
      return "CUDA " + std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
    };
    int driver = 0, runtime = 0;
    detail::check(cudaDriverGetVersion(&driver), "the version of the driver");
    detail::check(cudaRuntimeGetVersion(&runtime), "the version of the runtime");
    file.set_fact("device", device_name());
    file.set_fact("driver", version(driver));
    file.set_fact("runtime", version(runtime));
    for (const auto& [key, value] : facts_) file.set_fact(key, value);
  }

  SmemDumpBuffer buffer_{};
  std::map<std::string, TileDescription> descriptions_;
  std::map<std::pair<std::string, std::uint32_t>, TileDescription> stage_descriptions_;
  std::map<std::tuple<std::string, std::array<std::uint32_t, 3>, std::uint32_t>, TileDescription>
      cta_descriptions_;
  std::vector<std::pair<std::string, std::pair<const unsigned char*, std::size_t>>> sources_;
  std::map<std::string, std::string> facts_;
};

/// Empty shell when the dump is compiled out (-DLC_SMEM_DUMP=0).
using SmemDumper = SmemDumperFor<(LC_SMEM_DUMP) != 0>;

}  // namespace lc::kernel
