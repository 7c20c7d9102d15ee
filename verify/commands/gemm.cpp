#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "verify/check/report.h"
#include "verify/commands/commands.h"
#include "verify/commands/run_program.h"
#include "verify/error.h"
#include "verify/gemm/gemm_operands.h"
#include "verify/gemm/gemm_run.h"
#include "verify/gemm/gpu.h"

namespace lc::verify {
namespace {

using Result = TileReport::Result;

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

std::string problem_text(const GemmOptions& o) {
  const kernel::GemmProblem& p = o.problem;
  std::string text = fmt::format("{} x {} x {}, {}: A {}-major, B {}-major, D {}", p.m, p.n, p.k,
                                 spelt(p.type), p.a_major == kernel::GemmMajor::k ? "K" : "M",
                                 p.b_major == kernel::GemmMajor::k ? "K" : "N", spelt(p.output));
  if (p.alpha != 1) text += fmt::format(", alpha {}", p.alpha);
  if (p.beta != 0) text += fmt::format(", beta {}", p.beta);
  if (p.bias) text += ", bias";
  if (p.activation != kernel::GemmActivation::none) {
    text += fmt::format(", {}", spelt(p.activation));
  }
  return text;
}

std::string launch_text(const GemmOutcome& r, const Question& question) {
  const kernel::GemmPlan& plan = r.plan;
  std::string text =
      fmt::format("{}: grid {}, block {}", plan.entry, triple(plan.grid), triple(plan.block));
  if (plan.cluster != std::array<std::uint32_t, 3>{1, 1, 1}) {
    text += fmt::format(", cluster {}", triple(plan.cluster));
  }
  text += fmt::format(", {} stages, shared memory {} bytes", plan.stages, plan.dynamic_smem);
  if (plan.tmem_columns != 0)
    text += fmt::format(", {} columns of Tensor Memory", plan.tmem_columns);
  text += fmt::format("; {}", r.device);
  if (r.virtual_device) text += fmt::format(", schedule {}", question.value("schedule", "eager"));
  return text;
}

/// Tiles that have the same first name and shape.
struct Group {
  std::string name, kind;
  std::uint64_t tiles = 0, bytes = 0, same = 0, differ = 0;
};

std::vector<Group> groups_of(const FileReport& report) {
  std::vector<Group> groups;
  for (const TileReport& t : report.tiles) {
    const std::string name = t.name.substr(0, t.name.find('/'));
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.name == name && g.kind == t.kind; });
    if (at == groups.end()) at = groups.insert(groups.end(), {name, t.kind});
    ++at->tiles;
    at->bytes += t.bytes;
    at->same += t.result == Result::same;
    at->differ += t.result == Result::differs;
  }
  return groups;
}

std::string group_result(const Group& g, const Paint& paint) {
  if (g.same == g.tiles) return paint.green("same");
  if (g.differ != 0) return paint.red(fmt::format("{} of {} differ", g.differ, g.tiles));
  return paint.yellow(fmt::format("{} of {} not checked", g.tiles - g.same, g.tiles));
}

const char* reference(const GemmOptions& o) {
  return o.fill == GemmFill::integers ? "product of integers" : "arithmetic of the tensor core";
}

void print_table(const GemmOptions& o, const GemmOutcome& r, const Output& output) {
  Table table({"what", "as", "count", "bytes", "result"});
  table.align_right(2);
  table.align_right(3);
  for (const Group& g : groups_of(r.report)) {
    table.row({"tiles " + g.name, g.kind, std::to_string(g.tiles), std::to_string(g.bytes),
               group_result(g, output.paint)});
  }
  const std::uint64_t bytes = r.d.elements * kernel::bytes_of(o.problem.output);
  table.row({"D", fmt::format("{}, {}", spelt(o.problem.output), reference(o)),
             std::to_string(r.d.elements), std::to_string(bytes),
             r.d.differ == 0 ? output.paint.green("equal")
                             : output.paint.red(fmt::format("{} differ", r.d.differ))});
  output.out << table.text();
}

void print_d(const GemmOutcome& r, const Output& output) {
  output.out << fmt::format(
      "\nD: {} of {} elements differ, in rows {} to {} and columns {} to {}\n", r.d.differ,
      r.d.elements, r.d.m_low, r.d.m_high, r.d.n_low, r.d.n_high);
  for (const GemmDifference::Element& e : r.d.first) {
    output.out << fmt::format("  D[{}][{}] is {}, not {}\n", e.m, e.n, e.found, e.expected);
  }
  for (const std::string& text : r.explanations) output.out << "  " << wrap(text, 2) << '\n';
}

/// The command line of a question.
std::vector<std::string> arguments_of(const Question& question) {
  std::vector<std::string> out = {"layout-check", "gemm"};
  for (const auto& [field, value] : question.items()) {
    std::string option = field;
    std::replace(option.begin(), option.end(), '_', '-');
    out.push_back("--" + option);
    if (value.is_string()) out.push_back(value.get<std::string>());
    if (value.is_array()) {
      out.push_back(fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ",")));
    }
  }
  return out;
}

/// The dump is as its copies say, D is wrong: how did the instructions read the tiles?
std::optional<FileReport> executed_operands(const GemmOutcome& r, const Question& question) {
  if (!r.virtual_device || !r.tiles_hold() || r.d.differ == 0) return std::nullopt;
  return operands_as_executed(arguments_of(question),
                              (runtime_folder() / "liblc_watch.so").string());
}

/// The first of the differing tiles that somebody can explain.
std::optional<std::string> cause_of(const FileReport& report) {
  for (const TileReport& t : report.tiles) {
    if (t.result != Result::differs || !t.diagnosis) continue;
    const Diagnosis& d = *t.diagnosis;
    const std::string name = t.name.substr(0, t.name.find('/'));
    if (!d.damage.empty() && !d.complete()) return "tile " + name + " " + d.damage;
    if (d.explanations.empty()) continue;
    return fmt::format("tile {} is one that {}", name, d.explanations.front().text);
  }
  return std::nullopt;
}

/// What the instruction descriptor says of an operand and the problem does not: its type, major or
/// size.
std::optional<std::string> wrong_instruction(const FileReport& executed,
                                             const kernel::GemmProblem& p,
                                             const kernel::GemmPlan& plan) {
  const bool pair = plan.tile[0] > 128;
  std::map<std::string, std::uint64_t> a_address;  // by instruction
  for (const TileReport& t : executed.tiles) {
    const std::size_t slash = t.name.find('/');
    if (slash == std::string::npos) continue;
    const std::string instruction = t.name.substr(slash);
    if (t.name.starts_with("A.")) a_address[instruction] = t.address;
    const auto a = a_address.find(instruction);
    if (t.name.starts_with("B.") && a != a_address.end() && a->second == t.address) {
      return fmt::format("A and B are read from the same place, 0x{:x}", t.address);
    }
  }
  for (const TileReport& t : executed.tiles) {
    const bool is_a = t.name.starts_with("A.");
    if (!is_a && !t.name.starts_with("B.")) continue;
    const bool k_major = (is_a ? p.a_major : p.b_major) == kernel::GemmMajor::k;
    const bool read_k_major = t.kind.find("MN-major") == std::string::npos;
    if (k_major != read_k_major) {
      return fmt::format("the instruction descriptor says {} is {}-major; it lies {}-major",
                         is_a ? "A" : "B", read_k_major ? "K" : "MN", k_major ? "K" : "MN");
    }
    const std::string element = t.kind.substr(0, t.kind.find(' '));
    const std::string own = p.type == kernel::GemmType::s8     ? "i8"
                            : p.type == kernel::GemmType::mxf8 ? "e4m3"
                            : p.type == kernel::GemmType::nvf4 ? "e2m1"
                                                               : spelt(p.type);
    if (element != own) {
      return fmt::format("the instruction descriptor says {} is of {}; it is of {}",
                         is_a ? "A" : "B", element, own);
    }
    const std::uint32_t rows = is_a ? std::min(plan.tile[0], 128u) : plan.tile[1] / (pair ? 2 : 1);
    const std::string size = t.kind.substr(element.size() + 1);
    if (size.rfind(fmt::format("{} x ", rows), 0) != 0) {
      return fmt::format("the instruction descriptor says a CTA has {} {} of {}; the tile has {}",
                         size.substr(0, size.find(' ')), is_a ? "rows" : "columns",
                         is_a ? "A" : "B", rows);
    }
  }
  return std::nullopt;
}

/// What is wrong, in one sentence: tiles come before the instructions that read them, and those
/// before what D looks like.
std::string cause_of(const GemmOptions& o, const GemmOutcome& r,
                     const std::optional<FileReport>& executed) {
  if (const auto cause = cause_of(r.report)) return *cause;
  if (executed) {
    if (const auto cause = wrong_instruction(*executed, o.problem, r.plan)) return *cause;
    if (const auto cause = cause_of(*executed)) return "as it is read, " + *cause;
  }
  if (!r.explanations.empty()) return "in D, " + r.explanations.front();
  if (!r.tiles_hold()) return "tiles differ, and no single change explains them";
  return "the tiles hold: where their slices or stages are read, which products are added, or the "
         "epilogue";
}

Answer json_of(const GemmOptions& o, const GemmOutcome& r,
               const std::optional<FileReport>& executed, const Question& question) {
  Answer first = Answer::array();
  for (const GemmDifference::Element& e : r.d.first) {
    first.push_back({{"m", e.m}, {"n", e.n}, {"found", e.found}, {"expected", e.expected}});
  }
  const kernel::GemmProblem& p = o.problem;
  Answer out = {{"ok", true}, {"holds", r.holds()}};
  out["kernel"] = o.kernel->name;
  out["problem"] = {{"m", p.m},
                    {"n", p.n},
                    {"k", p.k},
                    {"type", spelt(p.type)},
                    {"output", spelt(p.output)},
                    {"a_major", spelt(p.a_major)},
                    {"b_major", spelt(p.b_major)}};
  out["launch"] = {{"entry", r.plan.entry},
                   {"grid", r.plan.grid},
                   {"block", r.plan.block},
                   {"cluster", r.plan.cluster},
                   {"dynamic_shared", r.plan.dynamic_smem},
                   {"stages", r.plan.stages},
                   {"tmem_columns", r.plan.tmem_columns}};
  out["device"] = r.device;
  out["schedule"] = r.virtual_device ? Answer(question.value("schedule", "eager")) : Answer();
  out["d"] = {{"elements", r.d.elements}, {"differ", r.d.differ}, {"first", first}};
  out["d"]["explanations"] = r.explanations;
  out["tiles"] = to_json(r.report);
  if (executed) out["executed"] = to_json(*executed);
  if (!r.holds()) out["cause"] = cause_of(o, r, executed);
  if (!r.saved.empty()) out["saved"] = r.saved;
  return out;
}

void print_kernels(const Output& output) {
  Answer list = Answer::array();
  for (const kernel::GemmKernel& k : kernel::gemm_kernels()) {
    list.push_back(
        {{"kernel", k.name}, {"arch", k.arch}, {"summary", k.summary}, {"variants", k.variants}});
    if (output.json) continue;
    output.out << output.paint.bold(k.name) << fmt::format(" ({})\n", k.arch) << "  "
               << wrap(k.summary, 2) << '\n'
               << "  variants: " << wrap(fmt::format("{}", fmt::join(k.variants, " ")), 12) << '\n';
  }
  if (output.json) output.out << Answer{{"ok", true}, {"kernels", list}}.dump() << '\n';
}

int run_kernel(const Question& question, const Output& output) {
  if (question.contains("list")) {
    print_kernels(output);
    return 0;
  }
  const GemmOptions options = gemm_options(question);
  std::string library = "libcuda.so.1";
  if (!options.cuda) {
    library = (runtime_folder() / "libcuda.so.1").string();
    Question machine = question;
    machine["device"] =
        std::string_view(options.kernel->arch).starts_with("sm_90") ? "h200" : "b200";
    put_runtime_options(machine);
  }
  std::ostream* const progress = isatty(STDERR_FILENO) == 1 && !output.json ? &std::cerr : nullptr;
  const GemmOutcome outcome = run_gemm(
      options, library, fmt::format("{}", fmt::join(arguments_of(question), " ")), progress);
  const std::optional<FileReport> executed = executed_operands(outcome, question);
  if (output.json) {
    output.out << json_of(options, outcome, executed, question)
                      .dump(-1, ' ', false, Answer::error_handler_t::replace)
               << '\n';
    return outcome.holds() ? 0 : 1;
  }
  output.out << wrap(problem_text(options), 2) << '\n'
             << wrap(printable(launch_text(outcome, question)), 2) << "\n\n";
  print_table(options, outcome, output);
  if (!outcome.saved.empty()) output.out << "\nsaved " << printable(outcome.saved) << '\n';
  for (const FileReport* report : {&outcome.report, executed ? &*executed : nullptr}) {
    if (report == nullptr || report->result() == Result::same) continue;
    output.out << '\n';
    print_report(*report, output);
  }
  if (outcome.d.differ != 0) print_d(outcome, output);
  if (!outcome.holds()) {
    output.out << "\n"
               << output.paint.bold("cause: ") << wrap(cause_of(options, outcome, executed), 7)
               << '\n';
  }
  return outcome.holds() ? 0 : 1;
}

/// A kernel that stops is wrong, not something that could not be told.  What it stopped with, the
/// virtual GPU has said on stderr.
int run(const Question& question, const Output& output) {
  try {
    return run_kernel(question, output);
  } catch (const KernelStopped& stopped) {
    if (output.json) {
      output.out << Answer{{"ok", true}, {"holds", false}, {"stopped", stopped.message}}.dump()
                 << '\n';
    } else {
      output.out << wrap(printable(stopped.message), 2) << '\n';
    }
    return 1;
  }
}

}  // namespace

Command gemm_command() {
  using enum OptionKind;
  return {
      "gemm",
      "Does a GEMM kernel fill shared memory as the model says, and is its product right?",
      "layout-check gemm --kernel tcgen05_gemm --m 512 --n 512 --k 256 --type bf16 --b-major n\n"
      "layout-check gemm --list",
      nullptr,
      false,
      {{"--kernel", text, "NAME", "tcgen05_gemm; --list names all"},
       {"--variant", text, "NAME", "of the kernel: tile, layout; --list names all"},
       {"--m", text, "N", "rows of A and D (256)"},
       {"--n", text, "N", "columns of B and D (256)"},
       {"--k", text, "N", "columns of A, rows of B (256)"},
       {"--type", text, "NAME", "of A and B: f16 bf16 tf32 e4m3 e5m2 s8 mxf8 nvf4"},
       {"--output", text, "NAME", "of C and D: f32 f16 bf16 s32"},
       {"--a-major", text, "k|m", "which index of A is contiguous (k)"},
       {"--b-major", text, "k|n", "which index of B is contiguous (k)"},
       {"--alpha", text, "X", "D = activation(alpha A B + beta C + bias)"},
       {"--beta", text, "X", "0: C is not read"},
       {"--bias", flag, "", "one number for each column"},
       {"--activation", text, "NAME", "none relu gelu silu"},
       {"--data", text, "NAME", "integers (exact sums), reals"},
       {"--seed", text, "N", "of the data (1)"},
       {"--device", text, "NAME", "virtual, cuda: the GPU of this machine"},
       {"--schedule", text, "HOW", "virtual: eager lazy random:SEED"},
       {"--max-instructions", text, "N", "virtual: stop after so many, warp-wide"},
       {"--host-threads", text, "N", "virtual: of this machine (all)"},
       {"--ctas", text, "N|FIRST:COUNT", "whose tiles are dumped (those of the first cluster)"},
       {"--stages", list, "S,S", "which stages of the dump are kept (all)"},
       {"--dump", text, "FILE", "keep the dump, for layout-check check"},
       {"--ptx", text, "FILE", "another PTX of the kernel"},
       {"--list", flag, "", "the kernels and their variants"}},
      run};
}

}  // namespace lc::verify
