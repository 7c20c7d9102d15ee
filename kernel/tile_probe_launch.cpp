#include <dlfcn.h>

#include <cstring>

#include "kernel/launch.h"
#include "kernel/mix32.h"
#include "kernel/smem_dump.h"
#include "kernel/tensor_map.h"
#include "kernel/tile_probe_kernels.h"

namespace lc::kernel {

namespace {

using detail::check;

void copy_name(char (&to)[48], const std::string& name) {
  if (name.empty() || name.size() >= sizeof to) {
    throw SmemDumpError("tile `" + name + "`: names have 1 to " + std::to_string(sizeof to - 1) +
                        " characters");
  }
  std::memcpy(to, name.c_str(), name.size() + 1);
}

/// Device memory filled with the source pattern.
class Source {
 public:
  Source() {
    std::vector<std::uint32_t> words(kSourceBytes / 4);
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = mix32(i + kSourceSeed);
    check(cudaMalloc(&data_, kSourceBytes), "memory for the source");
    check(cudaMemcpy(data_, words.data(), kSourceBytes, cudaMemcpyHostToDevice), "the source");
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() { cudaFree(data_); }

  const unsigned char* at(std::uint64_t offset) const {
    return static_cast<const unsigned char*>(data_) + offset;
  }

 private:
  void* data_ = nullptr;
};

TensorMapCall with_address(TensorMapCall call, const unsigned char* address) {
  call.global_address = reinterpret_cast<std::uintptr_t>(address);
  return call;
}

}  // namespace

std::string no_gpu_reason() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  if (count == 0) return "no CUDA device";
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
    return "the CUDA device does not answer";
  }
  if (major != 9 && major != 10) {
    return "compute capability " + std::to_string(major) + ", built for 9.0a and 10.0a";
  }
  return "";
}

std::string driver_release() {
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (nvml == nullptr) return "";
  const auto init = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
  const auto version =
      reinterpret_cast<int (*)(char*, unsigned)>(dlsym(nvml, "nvmlSystemGetDriverVersion"));
  char text[80] = "";
  if (init == nullptr || version == nullptr || init() != 0 || version(text, sizeof text) != 0) {
    return "";
  }
  return text;
}

struct TileProbe::Impl {
  Impl(std::string command_line, std::uint64_t most_bytes, std::uint32_t most_tiles)
      : command(std::move(command_line)), dumper(most_bytes, most_tiles) {
    dumper.fact("command", command).fact("created_by", "tile_probe");
    if (const std::string release = driver_release(); !release.empty()) {
      dumper.fact("driver", release);
    }
  }

  void describe(const std::string& name, TileDescription description, const char* kernel) {
    description.kernel = kernel;
    description.command = command;
    dumper.describe(name, std::move(description));
  }

  TileDescription loaded(const TensorMapCall& call, std::uint64_t source_offset) const {
    TileSource pattern;
    pattern.seed = kSourceSeed;
    pattern.byte_offset = source_offset;
    return TileDescription::copied_by_tma(call).from(pattern);
  }

  std::string command;
  Source source;
  SmemDumper dumper;
};

TileProbe::TileProbe(std::string command, std::uint64_t most_bytes, std::uint32_t most_tiles)
    : impl_(std::make_unique<Impl>(std::move(command), most_bytes, most_tiles)) {}

TileProbe::~TileProbe() = default;

void TileProbe::run(const TmaTile& tile) {
  kernel::check(tile);
  const TensorMapCall call = with_address(tile.map, impl_->source.at(tile.source_offset));
  const CUtensorMap map = encode_tiled(call);
  TmaProbeArguments a{};
  copy_name(a.name, tile.name);
  const Window window = window_of(tile);
  a.window = window.begin;
  a.window_bytes = window.bytes;
  a.destination = tile.destination;
  a.transaction_bytes = static_cast<std::uint32_t>(transaction_bytes(tile));
  const auto tile_end = static_cast<std::uint32_t>(tile.destination + footprint_bytes(tile));
  a.barrier = (std::max(window.begin + window.bytes, tile_end) + 127) / 128 * 128;
  if (a.barrier + 8 > kSmemEnd) {
    throw SmemDumpError("tile `" + tile.name + "`: no room for the barrier behind the tile");
  }
  std::copy(tile.coordinates.begin(), tile.coordinates.end(), a.coordinates);
  TileDescription description = impl_->loaded(call, tile.source_offset);
  description.untouched = kUntouched;
  impl_->describe(tile.name, description, "tma_probe");
  const auto rank = static_cast<unsigned>(tile.coordinates.size());
  check(launch_tma_probe(rank, map, a, impl_->dumper.device()), tile.name.c_str());
  check(cudaDeviceSynchronize(), tile.name.c_str());
}

void TileProbe::run(const OperandCopy& tile) {
  kernel::check(tile);
  OperandProbeArguments a{};
  copy_name(a.name, tile.name);
  const SourceShape shape = source_shape(tile);
  const Window window = window_of(tile);
  a.source = impl_->source.at(tile.source_offset);
  a.descriptor = descriptor(tile);
  a.store = operand_store(tile);
  a.window = window.begin;
  a.window_bytes = window.bytes;
  a.rows = shape.rows;
  a.cells = shape.cells;
  a.cell_bytes = shape.cell_bytes;
  a.pitch = shape.pitch;
  impl_->describe(tile.name, description(tile), "operand_probe");
  check(launch_operand_probe(a, impl_->dumper.device()), tile.name.c_str());
  check(cudaDeviceSynchronize(), tile.name.c_str());
}

void TileProbe::run_pipeline() {
  constexpr std::uint32_t kMTiles = 2, kNTiles = 1;
  constexpr PipelineProbeArguments kRing{2, 3, 32, 64, 32, 32 * 64, 32 * 128};
  constexpr std::uint64_t kK = kRing.k_tiles * kRing.tile_k, kN = kNTiles * kRing.tile_n;
  constexpr std::uint64_t kBOffset = 0x100000;
  constexpr int kBf16 = 9, kSwizzle64 = 2, kSwizzle128 = 3;
  const TensorMapCall a = with_address(
      {kBf16, 0, {kK, kMTiles * kRing.tile_m}, {kK * 2}, {32, 32}, {1, 1}, 0, kSwizzle64, 0, 0},
      impl_->source.at(0));
  const TensorMapCall b =
      with_address({kBf16, 0, {kN, kK}, {kN * 2}, {64, 32}, {1, 1}, 0, kSwizzle128, 0, 0},
                   impl_->source.at(kBOffset));
  impl_->describe("A", impl_->loaded(a, 0), "pipeline_probe");
  impl_->describe("B", impl_->loaded(b, kBOffset), "pipeline_probe");
  check(launch_pipeline_probe(kMTiles, kNTiles, encode_tiled(a), encode_tiled(b), kRing,
                              impl_->dumper.device()),
        "pipeline_probe");
  check(cudaDeviceSynchronize(), "pipeline_probe");
}

DumpFile TileProbe::finish() {
  std::vector<std::string> problems;
  DumpFile file = impl_->dumper.collect(problems);
  if (!problems.empty()) throw SmemDumpError(problems.front());
  return file;
}

}  // namespace lc::kernel
