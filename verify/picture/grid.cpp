#include "verify/picture/grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace lc::verify {
namespace {

void cut_blanks(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

std::string chunk_name(const Chunk& c) {
  return fmt::format("r{} q{}", c.row, c.chunk);
}

std::size_t width_of(const std::vector<MemoryLine>& lines) {
  std::size_t width = 3;
  for (const MemoryLine& line : lines) {
    for (const auto& cell : line.sector) {
      if (cell) width = std::max(width, chunk_name(*cell).size());
    }
  }
  return width;
}

std::string sector_header(std::size_t width, const Paint& paint) {
  std::string out = pad_right("address", 9);
  for (int s = 0; s < 8; ++s) out += pad_right(fmt::format(" S{}", s), width + 1);
  cut_blanks(out);
  return paint.dim(out);
}

std::string line_text(const MemoryLine& line, std::size_t width, const Paint& paint) {
  std::string out = pad_right(fmt::format("0x{:05x}", line.address), 9);
  for (int s = 0; s < 8; ++s) {
    if (!line.sector[s]) {
      out += pad_right(" .", width + 1);
      continue;
    }
    const std::string name = pad_right(chunk_name(*line.sector[s]), width);
    out += line.shared[s] ? paint.red("!" + name) : " " + paint.cell(line.sector[s]->chunk, name);
  }
  cut_blanks(out);
  return out;
}

}  // namespace

std::vector<MemoryLine> memory_lines(const OperandMap& map, std::uint64_t row_begin,
                                     std::uint64_t row_end, std::uint64_t chunk_end) {
  std::map<std::uint64_t, MemoryLine> lines;
  for (std::uint64_t row = row_begin; row < std::min(row_end, map.rows()); ++row) {
    for (std::uint64_t chunk = 0; chunk < std::min(chunk_end, map.chunks()); ++chunk) {
      const std::uint64_t address = map.chunk_address(row, chunk);
      MemoryLine& line = lines[address / 128 * 128];
      line.address = address / 128 * 128;
      const std::uint64_t sector = address / 16 % 8;
      line.shared[sector] = line.sector[sector].has_value();
      line.sector[sector] = Chunk{row, chunk};
    }
  }
  std::vector<MemoryLine> out;
  for (const auto& [address, line] : lines) out.push_back(line);
  return out;
}

std::string memory_picture(const std::vector<MemoryLine>& lines, std::size_t max_lines,
                           const Paint& paint) {
  const std::size_t width = width_of(lines);
  std::string out = "  " + sector_header(width, paint) + '\n';
  for (std::size_t i = 0; i < std::min(lines.size(), max_lines); ++i) {
    if (i > 0 && lines[i].address != lines[i - 1].address + 128) out += "  …\n";
    out += "  " + line_text(lines[i], width, paint) + '\n';
  }
  const auto is_shared = [](const MemoryLine& line) {
    return std::find(std::begin(line.shared), std::end(line.shared), true) != std::end(line.shared);
  };
  if (std::any_of(lines.begin(), lines.end(), is_shared)) {
    out += "  ! = several chunks have this place; the last of them is shown\n";
  }
  if (lines.size() > max_lines) {
    out += fmt::format("  … and {} more lines of 128 bytes\n", lines.size() - max_lines);
  }
  return out;
}

std::string chunk_legend(const OperandMap& map) {
  const bool k_major = map.major == Major::k;
  return fmt::format("r = row along {}, q = 16-byte chunk along {} ({} elements)",
                     k_major ? "mn" : "k", k_major ? "k" : "mn", map.chunk_elements());
}

std::string atom_picture(const OperandMap& map, std::uint64_t rows, std::uint64_t chunks,
                         const Paint& paint) {
  rows = std::min(rows, map.rows());
  chunks = std::min(chunks, map.chunks());
  std::vector<std::string> left = {paint.dim("chunk:")};
  for (std::uint64_t c = 0; c < chunks; ++c) left[0] += paint.dim(fmt::format(" q{} ", c));
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::string line = pad_right(fmt::format("r{}", r), 6);
    for (std::uint64_t c = 0; c < chunks; ++c) {
      const std::uint64_t sector = map.chunk_address(r, c) / 16 % 8;
      line += " " + paint.cell(c, fmt::format("S{}", sector)) + " ";
    }
    left.push_back(line);
  }
  const std::vector<MemoryLine> lines = memory_lines(map, 0, rows, chunks);
  const std::size_t width = width_of(lines);
  std::vector<std::string> right = {sector_header(width, paint)};
  for (const MemoryLine& line : lines) right.push_back(line_text(line, width, paint));

  const std::size_t left_width = std::max<std::size_t>(6 + 4 * chunks, 30) + 3;
  std::string out =
      "  " + pad_right("each chunk's bank sector", left_width) + "what memory holds\n";
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = "  " + pad_right(i < left.size() ? left[i] : "", left_width);
    if (i < right.size()) line += right[i];
    cut_blanks(line);
    out += line + '\n';
  }
  return out + "  " + chunk_legend(map) + '\n';
}

}  // namespace lc::verify
