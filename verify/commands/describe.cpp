#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/banks.h"
#include "sim/layout/canonical.h"
#include "sim/layout/tile_box.h"
#include "verify/commands/commands.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"
#include "verify/picture/grid.h"

namespace lc::verify {
namespace {

void print_slices(const OperandTile& t, const Output& output) {
  Table table({"slice", "k", "start", "descriptor"});
  const std::uint64_t step = tile_geometry(t).slice_k, n = slice_count(t);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (n > 12 && i == 8) {
      table.row({"…"});
      i = n - 2;
    }
    const SmemDescriptor d = slice_descriptor(t, i);
    table.row({std::to_string(i), fmt::format("{}..{}", i * step, (i + 1) * step - 1),
               fmt::format("0x{:x}", d.start_address),
               output.paint.bold(hex64(encode_smem_descriptor(t.arch, d)))});
  }
  output.out << table.text();
}

void print_steps(const OperandTile& t, const Output& output) {
  const TileGeometry g = tile_geometry(t);
  const SmemDescriptor d = slice_descriptor(t, 0);
  const bool k_major = t.major == Major::k, plain = t.swizzle == Swizzle::none;
  const std::string rows = fmt::format("{} {}", g.atom_rows, k_major ? "rows" : "k");
  const std::string columns = fmt::format("{} {}", g.atom_elements, k_major ? "k" : "mn");
  const auto step = [&](const char* name, std::uint64_t bytes, bool used, const std::string& to) {
    return used ? fmt::format("{} {} B to the next {}", name, bytes, to)
                : fmt::format("{} not used (one atom)", name);
  };
  const bool group_is_lbo = plain && !k_major;
  const std::string group =
      step(group_is_lbo ? "LBO" : "SBO", g.group_step, g.row_groups > 1, rows);
  std::string column =
      step(group_is_lbo ? "SBO" : "LBO", g.column_step, g.column_atoms > 1, columns);
  if (k_major && !plain) {
    column = "LBO ignored (K-major with a swizzle), written as field 1";
  }
  output.out << fmt::format("  {}\n  {}\n", group, column);
  if (k_major && !plain && g.column_atoms > 1) {
    output.out << fmt::format("  next {} along K: start + {} B\n", columns, g.column_step);
  }
  output.out << fmt::format("  base offset {}\n", d.base_offset);
}

void print_boxes(const OperandTile& t, const Output& output) {
  const TileBoxes b = tile_boxes(t, 0x10000000);
  const TensorMap& m = b.map;
  const auto list = [&](const PerDimension<std::uint64_t>& values, int n) {
    return fmt::format("{{{}}}", fmt::join(values.begin(), values.begin() + n, ", "));
  };
  if (!b.legal) {
    output.out << "  no single tensor map fills it; look at `layout-check tma` and `match`\n";
    return;
  }
  std::string further;
  if (b.count() > 1) {
    further =
        fmt::format("\n  each {} B further in shared memory: {} along dimension {}{}", b.smem_step,
                    b.part_extent, b.split,
                    b.panels > 1 ? fmt::format(", then {} along dimension 0", m.box_dim[0]) : "");
  }
  output.out << fmt::format("  {} box{} of {} {}, swizzle {}: {} transaction bytes{}\n", b.count(),
                            b.count() > 1 ? "es" : "", name_of(m.data_type),
                            list(m.box_dim, m.rank), swizzle_row(m.swizzle).tensor_map_name,
                            make_tma_box(m, {}, 0x400).transaction_bytes * b.count(), further);
  output.out << fmt::format("  from a packed matrix: global_dim {}, global_strides {}\n",
                            list(m.global_dim, m.rank), list(m.global_stride, m.rank - 1));
  output.out << output.paint.dim(
      fmt::format("  (checked: every descriptor above reads what the box{})\n",
                  b.count() > 1 ? "es write" : " writes"));
}

void print_banks(const OperandMap& map, std::uint64_t rows, const Output& output) {
  std::uint32_t sectors = 0;
  for (std::uint64_t r = 0; r < rows; ++r) sectors |= 1u << (map.chunk_address(r, 0) / 16 % 8);
  const auto distinct = static_cast<std::uint64_t>(std::popcount(sectors));
  output.out << fmt::format(
      "  {} rows of one chunk column use {} of the 8 bank sectors: {}\n", rows, distinct,
      distinct == rows
          ? "one wavefront, no conflict"
          : fmt::format("a {}-way conflict for ldmatrix and 16-byte loads", rows / distinct));
}

void print_description(const OperandTile& t, const Answer& answer, const Output& output) {
  const TileGeometry g = tile_geometry(t);
  const Paint& paint = output.paint;
  output.out << paint.bold(fmt::format("{} x {} {}{}, {}-major, swizzle {}, {}", t.mn, t.k,
                                       name_of(t.element),
                                       t.container == Container::byte ? " (8-bit containers)" : "",
                                       name_of(t.major), name_of(t.swizzle), name_of(t.arch)))
             << fmt::format("\n  0x{:x}..0x{:x}, {} bytes, atoms of {} B\n\n", t.start_address,
                            t.start_address + g.footprint, g.footprint, g.atom_bytes);
  output.out << paint.bold("Descriptors") << ", one per 32 bytes of K\n";
  print_slices(t, output);
  print_steps(t, output);
  output.out << '\n' << paint.bold("Tensor map and box") << '\n';
  print_boxes(t, output);
  output.out << '\n' << paint.bold("First atom") << '\n';
  const OperandMap map = map_of_tile(t);
  const std::uint64_t span_chunks = swizzle_row(t.swizzle).span / 16;
  output.out << atom_picture(map, g.atom_rows, std::max<std::uint64_t>(span_chunks, 1), paint);
  if (map.rows() >= g.atom_rows) print_banks(map, g.atom_rows, output);
  if (!answer.at("findings").empty()) output.out << '\n';
}

int run(const Question& question, const Output& output) {
  const Answer answer = answer_op("operand.describe", question, output);
  const int code = has_error(answer.at("findings")) ? 1 : 0;
  if (output.json) return code;
  const OperandTile tile = read_tile(Request(question));
  if (code == 0) {
    print_description(tile, answer, output);
  } else {
    output.out << output.paint.bold(fmt::format("{} x {} {}, {}-major, swizzle {}, {}", tile.mn,
                                                tile.k, name_of(tile.element), name_of(tile.major),
                                                name_of(tile.swizzle), name_of(tile.arch)))
               << ": no legal layout\n";
  }
  print_findings(output, answer.at("findings"));
  return code;
}

}  // namespace

Command describe_command() {
  using enum OptionKind;
  return {"describe",
          "I have this operand tile. Which descriptors, which tensor map and box, which banks?",
          "layout-check describe --arch sm_100 --element bf16 --major k --swizzle 128B --mn 128 "
          "--k 64",
          nullptr,
          false,
          joined({operand_options(),
                  {{"--swizzle", text, "MODE", "none 32B 64B 128B 128B_32B"},
                   {"--start-address", text, "ADDR", "of the tile in shared memory (0x400)"},
                   {"--atom-order", text, "ORDER", "mn_first (default) or k_first"}}}),
          run};
}

}  // namespace lc::verify
