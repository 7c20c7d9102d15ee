#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "verify/commands/commands.h"
#include "verify/error.h"
#include "verify/ops/bank_request.h"

namespace lc::verify {
namespace {

constexpr std::size_t kMaxLines = 8;  ///< of the picture

/// "0-3,8,10": the lanes of a mask.
std::string lanes_text(std::uint32_t mask) {
  std::string text;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const std::uint32_t first = lane;
    while (lane + 1 < 32 && (mask >> (lane + 1) & 1) != 0) ++lane;
    if (!text.empty()) text += ',';
    text += first == lane ? fmt::format("{}", first) : fmt::format("{}-{}", first, lane);
  }
  return text.empty() ? "none" : text;
}

/// The banks of a group that need most, with the lanes that meet there.
std::string crowd_text(const BankLoad& load) {
  if (load.wavefronts < 2) return "nobody collides";
  std::size_t first = 0, worst = 0;
  for (std::size_t bank = 32; bank-- > 0;) {
    if (load.demand[bank] != load.wavefronts) continue;
    first = bank;
    ++worst;
  }
  std::size_t last = first;
  while (last < 31 && load.demand[last + 1] == load.wavefronts &&
         load.lanes[last + 1] == load.lanes[first]) {
    ++last;
  }
  std::string text =
      first == last ? fmt::format("bank {}", first) : fmt::format("banks {}-{}", first, last);
  text += ": lanes " + lanes_text(load.lanes[first]);
  const std::size_t others = worst - (last - first + 1);
  return others == 0 ? text : text + fmt::format(", and {} more banks", others);
}

void print_groups(const BankReport& report, const Output& output) {
  Table table({"group", "lanes", "wavefronts", "where it is most crowded"});
  table.align_right(2);
  for (std::size_t i = 0; i < report.group_count; ++i) {
    const BankLoad& load = report.groups[i];
    if (load.group == 0) continue;
    table.row({fmt::format("{}", i), lanes_text(load.group), fmt::format("{}", load.wavefronts),
               crowd_text(load)});
  }
  output.out << table.text();
}

std::string counted(std::uint32_t n, const char* thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::size_t worst_group(const BankReport& report) {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < report.group_count; ++i) {
    if (report.groups[i].wavefronts > report.groups[worst].wavefronts) worst = i;
  }
  return worst;
}

/// Lanes of a group by 128-byte line and bank sector.
std::map<std::uint32_t, std::array<std::uint32_t, 8>> lines_of(const BankAccess& access,
                                                               std::uint32_t group) {
  std::map<std::uint32_t, std::array<std::uint32_t, 8>> lines;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    const std::uint64_t begin = access.address[lane], end = begin + access.width;
    for (std::uint64_t a = begin / 16 * 16; a < end; a += 16) {
      lines[static_cast<std::uint32_t>(a / 128)][bank_sector(a)] |= 1u << lane;
    }
  }
  return lines;
}

/// The 128-byte lines a group touches, one column per bank sector.
void print_picture(const BankAccess& access, const BankReport& report, const Output& output) {
  const std::size_t chosen = worst_group(report);
  const BankLoad& load = report.groups[chosen];
  if (load.group == 0) return;
  const auto lines = lines_of(access, load.group);
  std::size_t width = 2;
  for (const auto& [line, sectors] : lines) {
    for (const std::uint32_t lanes : sectors) {
      if (lanes != 0) width = std::max(width, lanes_text(lanes).size());
    }
  }
  width = std::min<std::size_t>(width, 9);
  const auto cell = [&](std::string text) {
    if (text.size() > width) text = text.substr(0, width - 2) + "..";
    return pad_right(text, width);
  };
  const auto print_line = [&](const std::string& head, auto text_of) {
    std::string line = "  " + pad_right(head, 10);
    for (std::size_t s = 0; s < 8; ++s) line += text_of(s) + ' ';
    line.erase(line.find_last_not_of(' ') + 1);
    output.out << line << '\n';
  };
  output.out << fmt::format("\n  lanes of group {} by 128-byte line and bank sector (4 banks)\n",
                            chosen);
  print_line("", [&](std::size_t s) { return cell(fmt::format("S{}", s)); });
  std::size_t shown = 0;
  for (const auto& [line, sectors] : lines) {
    if (shown++ == kMaxLines) break;
    const auto& row = sectors;
    print_line(fmt::format("0x{:x}", std::uint64_t{line} * 128), [&](std::size_t s) {
      const std::string text = cell(row[s] == 0 ? "." : lanes_text(row[s]));
      return row[s] == 0 ? output.paint.dim(text) : output.paint.cell(s, text);
    });
  }
  if (lines.size() > kMaxLines) {
    output.out << fmt::format("  … and {} more lines of 128 bytes\n", lines.size() - kMaxLines);
  }
  print_line("passes", [&](std::size_t s) {
    const auto banks = load.demand.begin() + static_cast<std::ptrdiff_t>(4 * s);
    return cell(fmt::format("{}", *std::max_element(banks, banks + 4)));
  });
}

void print_verdicts(const BankAccess& instruction, RowPattern pattern, const Output& output) {
  const Swizzle current = pattern.swizzle;
  pattern.swizzle = Swizzle::none;
  Table table({"tile kept with", "wavefronts", "conflicts", ""});
  table.align_right(1);
  table.align_right(2);
  for (const SwizzleVerdict& v : swizzle_verdicts(with_rows(instruction, pattern), pattern.pitch)) {
    std::string remark = v.mode == current ? "as it is" : "";
    if (v.mode != Swizzle::none && v.row_fits_span && remark.empty()) {
      remark = "tensor maps and MMA descriptors have it";
    }
    if (!v.row_fits_span) {
      if (!remark.empty()) remark += "; ";
      remark += fmt::format("by hand only: the mode's rows are {} bytes", swizzle_row(v.mode).span);
    }
    table.row(
        {name_of(v.mode), fmt::format("{}", v.wavefronts), fmt::format("{}", v.conflicts), remark});
  }
  output.out << '\n' << table.text();
}

std::string instruction_text(const BankAccess& access) {
  return is_matrix(access.op) ? fmt::format("{}.x{}", name_of(access.op), access.num)
                              : fmt::format("{} of {} B", name_of(access.op), access.width);
}

/// The command's short forms become fields of the op: `-` for a lane that is not active, lanes
/// left away at the end, and the usual instruction.
Question completed(Question q) {
  if (!q.contains("kind")) q["kind"] = "ld";
  const auto op = value_of<BankOp>(q.at("kind").get<std::string>());
  if (op && is_matrix(*op) && !q.contains("num")) q["num"] = 1u;
  if (op && !is_matrix(*op) && !q.contains("width")) q["width"] = 4u;
  if (q.contains("stride")) {
    if (q.contains("pitch")) throw Error("--stride", "given together with --pitch", "one of them");
    q["pitch"] = q.at("stride");
    q.erase("stride");
  }
  if (!q.contains("lanes")) return q;
  if (q.contains("pitch")) {
    throw Error("--lanes", "given together with a pattern", "--lanes, or --pitch and its options");
  }
  Question lanes = Question::array();
  for (const Question& lane : q.at("lanes")) {
    const bool idle = lane == "-" || lane == "" || lane == "null";
    lanes.push_back(idle ? Question(nullptr) : lane);
  }
  while (lanes.size() < 32) lanes.push_back(nullptr);
  q["lanes"] = std::move(lanes);
  return q;
}

int run(const Question& given, const Output& output) {
  const Question q = completed(given);
  const bool pattern = !q.contains("lanes");
  if (pattern && !q.contains("pitch")) {
    throw Error("banks", "no addresses", "--lanes 0x400,0x480,... or --pitch 128");
  }
  const Answer answer = answer_op(pattern ? "banks.rows" : "banks.access", q, output);
  const int code = has_error(answer.at("findings")) ? 1 : 0;
  if (output.json) return code;
  const Request request(q);
  const BankAccess instruction = read_bank_instruction(request);
  BankAccess access = instruction;
  if (pattern) {
    access = with_rows(instruction, read_row_pattern(request));
  } else {
    read_bank_lanes(request, access);
  }
  const BankReport report = bank_report(access);
  output.out << output.paint.bold(instruction_text(access))
             << fmt::format(", lanes {}: ", lanes_text(access.active));
  const std::string sum = fmt::format("{}, {} at best, {}", counted(report.wavefronts, "wavefront"),
                                      report.ideal, counted(report.conflicts(), "conflict"));
  output.out << (report.conflicts() == 0 ? output.paint.green(sum) : output.paint.red(sum)) << "\n";
  if (report.merged_over != 0) {
    output.out << fmt::format("groups merge: lanes l and l ^ {} read the same address\n",
                              report.merged_over);
  }
  output.out << '\n';
  if (access.active != 0) print_groups(report, output);
  print_picture(access, report, output);
  if (pattern && (report.conflicts() != 0 || q.contains("swizzle"))) {
    print_verdicts(instruction, read_row_pattern(request), output);
  }
  print_findings(output, answer.at("findings"));
  return code;
}

}  // namespace

Command banks_command() {
  using enum OptionKind;
  return {
      "banks",
      "How many wavefronts does this access take, who collides, which swizzle would not?",
      "layout-check banks --kind ldmatrix --num 4 --pitch 128 --rows 8 --pieces 4 --rows-first\n"
      "layout-check banks --kind ld --width 4 --stride 128\n"
      "layout-check banks --kind st --width 16 --lanes 0x400,0x480,-,0x580",
      nullptr,
      false,
      {{"--kind", text, "KIND", "ld (default) st ldmatrix stmatrix atom red cp.async"},
       {"--width", text, "BYTES", "per lane: 1 2 4 8 16 (4)"},
       {"--num", text, "N", "matrices of ldmatrix and stmatrix: 1 2 4 (1)"},
       {"--trans", flag, "", "the .trans form (costs the same)"},
       {"--lanes", list, "A,A,-", "an address per lane, - for an idle one"},
       {"--stride", text, "BYTES", "from lane to lane; the same as --pitch"},
       {"--base", text, "ADDR", "of row 0 (0x400)"},
       {"--pitch", text, "BYTES", "from row to row"},
       {"--column", text, "BYTES", "first byte of a row that is touched (0)"},
       {"--rows", text, "N", "rows (32 / pieces)"},
       {"--pieces", text, "N", "lanes side by side in a row (1)"},
       {"--rows-first", flag, "", "lanes go down the rows before the next piece"},
       {"--swizzle", text, "MODE", "the tile's: none 32B 64B 128B 128B_32B"}},
      run};
}

}  // namespace lc::verify
