#include "verify/commands/tma_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace lc::verify {
namespace {

struct Cell {
  std::string text;
  std::size_t hue = 0;
  bool dim = true;
};

/// Looks at all 16 bytes: a cell can be part tensor, part fill, part untouched.
Cell cell_at(const TmaBox& box, bool store, std::uint64_t address) {
  int inside = 0, fill = 0;
  for (std::uint64_t i = 0; i < 16; ++i) {
    const TmaElement element = element_at(box, address + i);
    if (element.present) ++(element.inside ? inside : fill);
  }
  if (inside + fill == 0) return {"."};
  const std::uint64_t linear = swizzled(box.swizzle, address) / 16 * 16 - box.smem_address;
  const std::uint64_t row = linear / box.row_pitch, chunk = linear % box.row_pitch / 16;
  if (inside == 0) return {fmt::format("r{} {}", row, store ? "out" : "fill")};
  return {fmt::format("r{} q{}{}", row, chunk, fill > 0 ? "+" : ""),
          static_cast<std::size_t>(box.row_pitch <= 16 ? row : chunk), false};
}

}  // namespace

std::string tma_picture(const TmaBox& box, bool store, std::size_t max_lines, const Paint& paint) {
  const std::uint64_t first = box.smem_address / 128 * 128;
  const std::uint64_t count = (box.smem_address + box.footprint - first + 127) / 128;
  const std::size_t shown = static_cast<std::size_t>(std::min<std::uint64_t>(count, max_lines));
  std::vector<std::vector<Cell>> lines(shown);
  std::size_t width = 2;
  bool filled = false, gaps = false, mixed = false;
  for (std::size_t i = 0; i < shown; ++i) {
    for (std::uint64_t sector = 0; sector < 8; ++sector) {
      const Cell cell = cell_at(box, store, first + i * 128 + sector * 16);
      width = std::max(width, cell.text.size());
      filled = filled || (cell.dim && cell.text != ".");
      gaps = gaps || cell.text == ".";
      mixed = mixed || cell.text.ends_with('+');
      lines[i].push_back(cell);
    }
  }
  std::string out = "  " + std::string(8, ' ');
  for (int sector = 0; sector < 8; ++sector) {
    out += "  " + paint.dim(pad_right(fmt::format("S{}", sector), width));
  }
  while (out.back() == ' ') out.pop_back();
  out += '\n';
  for (std::size_t i = 0; i < shown; ++i) {
    std::string line = "  " + pad_right(fmt::format("0x{:x}", first + i * 128), 8);
    for (const Cell& cell : lines[i]) {
      const std::string text = pad_right(cell.text, width);
      line += "  " + (cell.dim ? paint.dim(text) : paint.cell(cell.hue, text));
    }
    while (line.back() == ' ') line.pop_back();
    out += line + '\n';
  }
  if (count > shown) out += fmt::format("  … and {} more lines of 128 bytes\n", count - shown);
  std::string legend = box.interleaved ? "r = pixel of the box, q = 16-byte chunk of the pixel"
                                       : "r = row of the box, q = 16-byte chunk of the row";
  if (filled) legend += store ? ", out = not written" : ", fill = outside the tensor";
  if (mixed) legend += store ? ", + = partly outside the tensor" : ", + = partly fill";
  if (gaps) legend += ", . = untouched";
  return out + "  " + wrap(legend, 2) + '\n';
}

}  // namespace lc::verify
