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

inline std::string place(const SmemDumpRecord& r) {
  return "tile `" + std::string(r.name) + "`, CTA " + std::to_string(r.cta[0]) + "," +
         std::to_string(r.cta[1]) + "," + std::to_string(r.cta[2]) + ", stage " +
         std::to_string(r.stage) + ": ";
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
    const SmemDumpCounters used = detail::fetched(buffer_.counters, 1)[0];
    auto records =
        detail::fetched(buffer_.records, std::min(used.records, buffer_.record_capacity));
    const auto data = detail::fetched(
        buffer_.data, std::min<std::uint64_t>(used.data_bytes, buffer_.data_capacity));
    report(records, used, problems);
    set_facts(file);
    // `check` must not call a file complete from which tiles are missing.
    if (!problems.empty()) {
      file.set_fact("incomplete", std::to_string(problems.size()) + " problems while dumping; " +
                                      problems.front());
    }
    Tiles copied = tiles(records, data);
    report_descriptions(records, problems);
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
  using Tiles = std::vector<std::pair<TileFacts, DumpFile::Tensor>>;

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

  void report(const std::vector<SmemDumpRecord>& records, const SmemDumpCounters& used,
              std::vector<std::string>& problems) const {
    for (const SmemDumpRecord& r : records) {
      if (r.status == SmemDumpStatus::no_room) {
        problems.push_back(detail::place(r) + std::to_string(r.bytes) +
                           " bytes do not fit into the buffer; try: SmemDumper(" +
                           std::to_string(used.data_bytes) + ")");
      } else if (r.status == SmemDumpStatus::not_shared) {
        problems.push_back(detail::place(r) + "the pointer is not to this CTA's shared memory");
      } else if (r.status == SmemDumpStatus::past_the_end) {
        problems.push_back(detail::place(r) + std::to_string(r.bytes) + " bytes from address " +
                           std::to_string(r.smem_address) +
                           " end behind the shared memory of the CTA");
      }
    }
    if (used.records > buffer_.record_capacity) {
      problems.push_back(std::to_string(used.records) + " tiles, room for " +
                         std::to_string(buffer_.record_capacity) + "; try: SmemDumper(bytes, " +
                         std::to_string(used.records) + ")");
    }
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

  /// The copied tiles by CTA, and in the order of their calls inside one.
  static Tiles tiles(std::vector<SmemDumpRecord>& records, const std::vector<unsigned char>& data) {
    const auto order = [](const SmemDumpRecord& r) {
      return std::tuple(r.cta[2], r.cta[1], r.cta[0], r.data_offset);
    };
    std::stable_sort(records.begin(), records.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    const std::string device = device_name();
    Tiles out;
    for (const SmemDumpRecord& r : records) {
      if (r.status != SmemDumpStatus::copied) continue;
      const auto first = data.begin() + static_cast<std::ptrdiff_t>(r.data_offset);
      out.push_back(
          {facts(r, device), {"", {first, first + static_cast<std::ptrdiff_t>(r.bytes)}, ""}});
    }
    number_and_name(out);
    return out;
  }

  static TileFacts facts(const SmemDumpRecord& r, const std::string& device) {
    TileFacts out;
    out.name = r.name;
    out.device = device;
    if (out.device.find("virtual") != std::string::npos) out.obtained = "virtual";
    std::copy(r.cta, r.cta + 3, out.cta);
    out.stage = r.stage;
    out.smem_address = r.smem_address;
    out.destination = r.destination;
    out.coordinates.assign(r.coordinates, r.coordinates + r.rank);
    out.has_descriptor = r.has_descriptor != 0;
    out.descriptor = r.descriptor;
    out.arch = r.arch;
    return out;
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
