#include "verify/picture/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lc::verify {
namespace {

constexpr int kCellWidth = 88, kCellHeight = 26, kLeft = 92, kTop = 92;
constexpr const char* kFills[] = {"#cfe3f5", "#d5efd9", "#fbe8c6", "#f8d4d0",
                                  "#e3d9f2", "#d2efee", "#f6dcea", "#e6e6cf"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string memory_svg(const std::string& title, const OperandMap& map,
                       const std::vector<MemoryLine>& lines, std::size_t max_lines) {
  const std::size_t shown = std::min(lines.size(), max_lines);
  const int width = kLeft + 8 * kCellWidth + 20;
  const int height = kTop + static_cast<int>(shown) * kCellHeight + 40;
  std::string out;
  const auto put = std::back_inserter(out);
  fmt::format_to(put,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"13\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
                 "<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{2}</text>\n"
                 "<text x=\"16\" y=\"44\" fill=\"#555555\">{3}</text>\n",
                 width, height, escaped(title), escaped(chunk_legend(map)));
  for (int s = 0; s < 8; ++s) {
    fmt::format_to(put,
                   "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">S{3}</text>\n"
                   "<text x=\"{0}\" y=\"{2}\" text-anchor=\"middle\" font-size=\"11\" "
                   "fill=\"#555555\">banks {4}-{5}</text>\n",
                   kLeft + s * kCellWidth + kCellWidth / 2, kTop - 22, kTop - 7, s, 4 * s,
                   4 * s + 3);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const int y = kTop + static_cast<int>(i) * kCellHeight;
    fmt::format_to(put, "<text x=\"16\" y=\"{}\">0x{:05x}</text>\n", y + 18, lines[i].address);
    for (int s = 0; s < 8; ++s) {
      const auto& cell = lines[i].sector[s];
      fmt::format_to(put,
                     "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
                     "stroke=\"#888888\"/>\n",
                     kLeft + s * kCellWidth, y, kCellWidth, kCellHeight,
                     cell ? kFills[cell->chunk % 8] : "#ffffff");
      if (!cell) continue;
      fmt::format_to(put, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">r{} q{}{}</text>\n",
                     kLeft + s * kCellWidth + kCellWidth / 2, y + 18, cell->row, cell->chunk,
                     lines[i].shared[s] ? " !" : "");
    }
  }
  if (shown < lines.size()) {
    fmt::format_to(put, "<text x=\"16\" y=\"{}\" fill=\"#555555\">and {} more lines</text>\n",
                   height - 14, lines.size() - shown);
  }
  out += "</svg>\n";
  return out;
}

}  // namespace lc::verify
