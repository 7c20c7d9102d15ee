#include "verify/check/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace lc::verify {
namespace {

using Result = TileReport::Result;

constexpr std::size_t kLongestName = 30;
constexpr std::size_t kLongestKind = 30;
constexpr std::size_t kLongestProblem = 16;
/// Explanations that fit equally well, and wrong tiles, that are written out.
constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kMostDetailed = 12;
/// A file of more tiles shows only the first few of those that are as they should be.
constexpr std::size_t kMostSame = 12;
constexpr std::size_t kSameShown = 4;

std::string result_text(const TileReport& t, const Paint& paint) {
  switch (t.result) {
    case Result::same:
      return paint.green("same");
    case Result::differs:
      return paint.red(fmt::format("{} differ", t.comparison.differing));
    case Result::unknown:
      break;
  }
  return paint.yellow(t.problem ? shortened(t.problem->what, kLongestProblem) : "unknown");
}

std::string hex(const std::vector<std::uint8_t>& bytes, std::size_t mark, const Paint& paint) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0) text += ' ';
    const std::string byte = fmt::format("{:02x}", bytes[i]);
    text += i == mark ? paint.bold(byte) : byte;
  }
  return text;
}

/// "byte 640 of the window, bank 0, bank sector S0, atom 0 line 5, source byte 1234"
std::string place_text(const Place& p, std::uint64_t window) {
  std::string text = fmt::format("byte {} of the window, bank {}, bank sector S{}",
                                 p.address - window, p.bank(), p.sector());
  if (p.atom) text += fmt::format(", atom {} line {}", *p.atom, p.line);
  if (p.source) text += fmt::format(", source byte {}", *p.source);
  return text;
}

/// "mn 5, k 8..15 (chunk q1)"
std::string expected_text(const FirstDifference& f) {
  if (f.should_be_untouched) return "untouched";
  if (f.place.fill) return fmt::format("{}: out of bounds, fill", f.place.elements);
  return fmt::format("{} (chunk q{})", f.place.elements, f.place.chunk);
}

std::string found_text(const FirstDifference& f) {
  if (!f.found_source) return "found nowhere in the source, or often";
  if (f.found_elements.empty()) return fmt::format("source byte {}", *f.found_source);
  return f.found_elements;
}

void print_difference(const TileReport& t, const Output& output) {
  const FirstDifference& f = *t.first;
  const Paint& paint = output.paint;
  const std::string head = fmt::format(
      "{}, 0x{:x}..0x{:x}: {} of {} bytes differ, first at 0x{:x}", paint.bold(t.name), t.address,
      t.address + t.bytes, t.comparison.differing, t.comparison.compared, f.place.address);
  output.out << '\n' << wrap(head, 2) << '\n';
  output.out << "  at        " << wrap(place_text(f.place, t.address), 12) << '\n';
  output.out << fmt::format("  expected  {}  {}\n", hex(f.expected, f.at, paint), expected_text(f));
  output.out << fmt::format("  found     {}  {}\n", hex(f.found, f.at, paint), found_text(f));
}

std::string fit_text(const Diagnosis& d) {
  const Explanation& e = d.explanations.front();
  if (d.complete()) {
    const std::string silent =
        e.silent == 0 ? "" : fmt::format("; it says nothing of {} of them", e.silent);
    return fmt::format("every difference fits a tile that {}{}", e.text, silent);
  }
  const std::string broken =
      e.broken == 0 ? "" : fmt::format(", but would break {} right bytes", e.broken);
  if (d.nearly()) {
    return fmt::format("{} of {} differences fit a tile that {}; the rest needs another reason{}",
                       e.explained, d.differing, e.text, broken);
  }
  return fmt::format("no single change explains it; closest, with {} of {} bytes{}: a tile that {}",
                     e.explained, d.differing, broken, e.text);
}

void print_diagnosis(const Diagnosis& d, const Output& output) {
  const Paint& paint = output.paint;
  if (!d.damage.empty()) output.out << "  " << wrap(d.damage, 2) << '\n';
  if (d.explanations.empty()) {
    if (d.damage.empty()) {
      output.out << fmt::format("  no single change explains it ({} tried)\n", d.tried);
    }
    return;
  }
  if (!d.damage.empty() && !d.complete()) return;
  output.out << "  " << wrap(fit_text(d), 2) << '\n';
  output.out << "  " << paint.bold("try: ") << wrap(d.explanations.front().advice, 7) << '\n';
  for (std::size_t i = 1; i < std::min(d.explanations.size(), kMostNamed) && d.complete(); ++i) {
    const Explanation& e = d.explanations[i];
    output.out << (e.same_as_first ? "  the same bytes: " : "  or: ")
               << wrap("a tile that " + e.text, e.same_as_first ? 18 : 6) << '\n';
  }
}

void print_problem(const DumpedTile::Problem& problem, const Output& output) {
  output.out << wrap(output.paint.yellow(printable(problem.where)) +
                         ": error: " + printable(problem.what),
                     2)
             << '\n';
  if (!problem.hint.empty()) output.out << "  try: " << wrap(printable(problem.hint), 7) << '\n';
}

std::string facts_text(const FileReport& report) {
  std::string text;
  for (const char* key : {"device", "driver", "created_by"}) {
    const auto it = report.facts.find(key);
    if (it == report.facts.end()) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(key) == "driver" ? "driver " + it->second : it->second;
  }
  return text;
}

}  // namespace

void print_report(const FileReport& report, const Output& output) {
  const Paint& paint = output.paint;
  if (report.problem) {
    print_problem(*report.problem, output);  // which names the file
    return;
  }
  output.out << paint.bold(printable(report.path)) << '\n';
  const std::string facts = facts_text(report);
  if (!facts.empty()) output.out << "  " << paint.dim(wrap(facts, 2)) << '\n';
  Table table({"tile", "what", "at", "bytes", "result"});
  table.align_right(3);
  std::uint64_t left_out = 0, bytes_left_out = 0;
  const bool brief = report.tiles.size() > kMostSame;
  std::size_t same_shown = 0;
  for (const TileReport& t : report.tiles) {
    if (brief && t.result == Result::same && ++same_shown > kSameShown) {
      ++left_out;
      bytes_left_out += t.bytes;
      continue;
    }
    table.row({shortened(printable(t.name), kLongestName), shortened(t.kind, kLongestKind),
               t.kind.empty() ? "" : fmt::format("0x{:x}", t.address), fmt::format("{}", t.bytes),
               result_text(t, paint)});
  }
  output.out << table.text();
  if (left_out != 0) {
    output.out << fmt::format("  … and {} more tiles, {} bytes, all {} (--json names each)\n",
                              left_out, bytes_left_out, paint.green("same"));
  }
  std::size_t detailed = 0;
  for (const TileReport& t : report.tiles) {
    if (t.problem) print_problem(*t.problem, output);
    if (!t.first || detailed++ >= kMostDetailed) continue;
    print_difference(t, output);
    if (t.diagnosis) print_diagnosis(*t.diagnosis, output);
  }
  if (detailed > kMostDetailed) {
    output.out << fmt::format("\n  … and {} more that differ; --json has all of them\n",
                              detailed - kMostDetailed);
  }
  for (const std::string& note : report.notes) output.out << "  note: " << wrap(note, 8) << '\n';
  for (const TileReport& t : report.tiles) {
    for (const std::string& note : t.notes) {
      output.out << "  note: " << wrap(t.name + ": " + note, 8) << '\n';
    }
  }
}

}  // namespace lc::verify
