#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "verify/check/report.h"
#include "verify/commands/commands.h"
#include "verify/commands/run_program.h"
#include "verify/error.h"
#include "verify/gemm/gemm_run.h"

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
  if (r.d.differ == 0) return;
  output.out << fmt::format(
      "\nD: {} of {} elements differ, in rows {} to {} and columns {} to {}\n", r.d.differ,
      r.d.elements, r.d.m_low, r.d.m_high, r.d.n_low, r.d.n_high);
  for (const GemmDifference::Element& e : r.d.first) {
    output.out << fmt::format("  D[{}][{}] is {}, not {}\n", e.m, e.n, e.found, e.expected);
  }
  if (!r.tiles_hold()) return;
  output.out << wrap(
                    "  Every dumped tile is as its copies say: what reads them is wrong - a "
                    "descriptor, its K steps, the instruction descriptor, a stage or a column of "
                    "Tensor Memory - or what comes after, the epilogue.",
                    2)
             << '\n';
}

Answer json_of(const GemmOptions& o, const GemmOutcome& r, const Question& question) {
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
  out["tiles"] = to_json(r.report);
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

/// What a reader types to get the same again.
std::string command_text(const Question& question) {
  std::string text = "layout-check gemm";
  for (const auto& [field, value] : question.items()) {
    std::string option = field;
    std::replace(option.begin(), option.end(), '_', '-');
    text += " --" + option;
    if (value.is_string()) text += " " + value.get<std::string>();
    if (value.is_array()) {
      text += fmt::format(" {}", fmt::join(value.get<std::vector<std::string>>(), ","));
    }
  }
  return text;
}

int run(const Question& question, const Output& output) {
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
  const GemmOutcome outcome = run_gemm(options, library, command_text(question), progress);
  if (output.json) {
    output.out << json_of(options, outcome, question)
                      .dump(-1, ' ', false, Answer::error_handler_t::replace)
               << '\n';
    return outcome.holds() ? 0 : 1;
  }
  output.out << wrap(problem_text(options), 2) << '\n'
             << wrap(printable(launch_text(outcome, question)), 2) << "\n\n";
  print_table(options, outcome, output);
  if (!outcome.saved.empty()) output.out << "\nsaved " << printable(outcome.saved) << '\n';
  if (!outcome.tiles_hold()) {
    output.out << '\n';
    print_report(outcome.report, output);
  }
  print_d(outcome, output);
  return outcome.holds() ? 0 : 1;
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
