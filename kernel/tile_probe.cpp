#include <cstdio>
#include <exception>

#include "kernel/launch.h"
#include "kernel/probe_presets.h"
#include "kernel/probe_sampler.h"
#include "kernel/tile_probe_flags.h"

// The program tile_probe: see kProbeHelp.  Exit codes: 0 the dump is written, 2 it is not.
namespace lc::kernel {

namespace {

std::string numbered(const char* name, std::uint32_t i) {
  char text[32];
  std::snprintf(text, sizeof text, "%s.%04u", name, static_cast<unsigned>(i));
  return text;
}

void sweep(TileProbe& probe, const ProbeRequest& request) {
  Random random(request.seed);
  for (std::uint32_t i = 0; i < request.tiles; ++i) {
    if (request.sweep_tma && (!request.sweep_operands || i % 2 == 0)) {
      TmaTile tile = random_tma_tile(random, request.most_bytes);
      tile.name = numbered("tma", i);
      probe.run(tile);
    } else {
      OperandCopy tile = random_operand_copy(random, request.most_bytes);
      tile.name = numbered("operand", i);
      probe.run(tile);
    }
  }
}

template <class Tile>
void run_all(TileProbe& probe, const std::vector<Tile>& tiles) {
  for (const Tile& tile : tiles) probe.run(tile);
}

void preset(TileProbe& probe, const std::string& name) {
  if (name == "tcgen05-tile") return run_all(probe, tcgen05_tile_preset());
  if (name == "base-offset-mistakes") return run_all(probe, base_offset_mistakes());
  if (name == "grouped-box") return run_all(probe, grouped_box_preset());
  if (name == "pipeline") return probe.run_pipeline();
  throw SmemDumpError("--preset: `" + name +
                      "` is none of tcgen05-tile, base-offset-mistakes, grouped-box, pipeline");
}

int run(const std::vector<std::string>& arguments) {
  const ProbeRequest request = parse_flags(arguments);
  if (request.what == ProbeRequest::What::help) {
    std::fputs(kProbeHelp, stdout);
    return 0;
  }
  if (const std::string reason = no_gpu_reason(); !reason.empty()) {
    throw SmemDumpError("no GPU to run on: " + reason);
  }
  const std::uint64_t room = std::uint64_t{request.tiles} * (8 * request.most_bytes + 1024);
  TileProbe probe(request.command, room + (std::uint64_t{4} << 20), request.tiles + 64);
  switch (request.what) {
    case ProbeRequest::What::sweep:
      sweep(probe, request);
      break;
    case ProbeRequest::What::preset:
      preset(probe, request.preset);
      break;
    case ProbeRequest::What::tma:
      probe.run(request.tma);
      break;
    case ProbeRequest::What::operand:
      probe.run(request.operand);
      break;
    case ProbeRequest::What::help:
      break;
  }
  const DumpFile file = probe.finish();
  file.write(request.out);
  std::printf("%zu tiles written to %s\n", file.tensors().size(), request.out.c_str());
  return 0;
}

}  // namespace

}  // namespace lc::kernel

int main(int argc, char** argv) {
  try {
    return lc::kernel::run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tile_probe: error: %s\n", e.what());
    return 2;
  }
}
