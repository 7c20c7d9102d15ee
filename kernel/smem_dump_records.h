#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dump_file.h"
#include "smem_dump.cuh"

// From what kernels left in a dump buffer to tiles of a dump file.  C++17; no CUDA header, so that
// whoever fetched the buffer, by the runtime or by the driver, goes on from here.
namespace lc::kernel {

/// A dump buffer, fetched when the kernels had ended.
struct SmemDumpContents {
  SmemDumpCounters used{};
  std::uint32_t record_capacity = 0;
  std::vector<SmemDumpRecord> records;
  std::vector<unsigned char> data;
  std::string device;  ///< its name; "virtual" in it says how the bytes were obtained
};

using DumpedTiles = std::vector<std::pair<TileFacts, DumpFile::Tensor>>;

namespace detail {

inline std::string place(const SmemDumpRecord& r) {
  return "tile `" + std::string(r.name) + "`, CTA " + std::to_string(r.cta[0]) + "," +
         std::to_string(r.cta[1]) + "," + std::to_string(r.cta[2]) + ", stage " +
         std::to_string(r.stage) + ": ";
}

inline TileFacts facts(const SmemDumpRecord& r, const std::string& device) {
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

}  // namespace detail

/// One line for each tile that is not there, with the size that would have done.
inline void report_lost(const SmemDumpContents& contents, std::vector<std::string>& problems) {
  const SmemDumpCounters& used = contents.used;
  for (const SmemDumpRecord& r : contents.records) {
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
  if (used.records > contents.record_capacity) {
    problems.push_back(std::to_string(used.records) + " tiles, room for " +
                       std::to_string(contents.record_capacity) + "; try: SmemDumper(bytes, " +
                       std::to_string(used.records) + ")");
  }
}

/// The copied tiles by CTA, and in the order of their calls inside one.
inline DumpedTiles dumped_tiles(SmemDumpContents& contents) {
  std::vector<SmemDumpRecord>& records = contents.records;
  const auto order = [](const SmemDumpRecord& r) {
    return std::tuple(r.cta[2], r.cta[1], r.cta[0], r.data_offset);
  };
  std::stable_sort(records.begin(), records.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  DumpedTiles out;
  for (const SmemDumpRecord& r : records) {
    if (r.status != SmemDumpStatus::copied) continue;
    const auto first = contents.data.begin() + static_cast<std::ptrdiff_t>(r.data_offset);
    out.push_back({detail::facts(r, contents.device),
                   {"", {first, first + static_cast<std::ptrdiff_t>(r.bytes)}, ""}});
  }
  number_and_name(out);
  return out;
}

}  // namespace lc::kernel
