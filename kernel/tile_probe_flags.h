#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/probe_tile.h"

namespace lc::kernel {

/// What the command line of tile_probe asks for.
struct ProbeRequest {
  enum class What { help, sweep, preset, tma, operand };
  What what = What::help;
  std::string out, preset, command;
  std::uint32_t tiles = 0, most_bytes = 2048;
  std::uint64_t seed = 1;
  bool sweep_tma = true, sweep_operands = true;
  TmaTile tma;
  OperandCopy operand;
};

/// Throws SmemDumpError, naming the flag, on anything it does not understand.
ProbeRequest parse_flags(const std::vector<std::string>& arguments);

extern const char* const kProbeHelp;

}  // namespace lc::kernel
