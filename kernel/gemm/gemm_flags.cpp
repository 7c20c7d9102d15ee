#include "kernel/gemm/gemm_flags.h"

#include <charconv>
#include <functional>

namespace lc::kernel {

namespace {

template <class T>
struct Spelling {
  const char* text;
  T value;
};

constexpr Spelling<GemmType> kTypes[] = {{"f16", GemmType::f16},   {"bf16", GemmType::bf16},
                                         {"tf32", GemmType::tf32}, {"e4m3", GemmType::e4m3},
                                         {"e5m2", GemmType::e5m2}, {"s8", GemmType::s8},
                                         {"mxf8", GemmType::mxf8}, {"nvf4", GemmType::nvf4}};
constexpr Spelling<GemmOutput> kOutputs[] = {{"f32", GemmOutput::f32},
                                             {"f16", GemmOutput::f16},
                                             {"bf16", GemmOutput::bf16},
                                             {"s32", GemmOutput::s32}};
constexpr Spelling<GemmMajor> kMajors[] = {{"k", GemmMajor::k}, {"mn", GemmMajor::mn}};
constexpr Spelling<GemmActivation> kActivations[] = {{"none", GemmActivation::none},
                                                     {"relu", GemmActivation::relu},
                                                     {"gelu", GemmActivation::gelu},
                                                     {"silu", GemmActivation::silu}};

template <class T, std::size_t count>
T value_of(const Spelling<T> (&spellings)[count], const std::string& option,
           const std::string& text) {
  std::string known;
  for (const Spelling<T>& s : spellings) {
    if (text == s.text) return s.value;
    known += (known.empty() ? "" : ", ") + std::string(s.text);
  }
  throw GemmRefusal(option, "there is no `" + text + "`", known);
}

template <class T, std::size_t count>
const char* text_of(const Spelling<T> (&spellings)[count], T value) {
  for (const Spelling<T>& s : spellings) {
    if (value == s.value) return s.text;
  }
  return "?";
}

template <class T>
T number(const std::string& option, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw GemmRefusal(option, "`" + text + "` is no number that fits");
  }
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

const GemmKernel* kernel_of(const std::string& name) {
  std::string known;
  for (const GemmKernel& k : gemm_kernels()) {
    if (name == k.name) return &k;
    known += (known.empty() ? "" : ", ") + std::string(k.name);
  }
  throw GemmRefusal("--kernel", "there is no `" + name + "`", known);
}

/// An option whose values make one run each.
struct Listed {
  const char* option;
  const char* help;
  void (*set)(GemmRun&, const std::string& option, const std::string& text);
};

constexpr Listed kListed[] = {
    {"--kernel", "which (--list)",
     [](GemmRun& r, const std::string&, const std::string& t) { r.kernel = kernel_of(t); }},
    {"--variant", "of the kernel",
     [](GemmRun& r, const std::string&, const std::string& t) { r.variant = t; }},
    {"--type", "of A and B: f16 bf16 tf32 e4m3 e5m2 s8 mxf8 nvf4",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.type = value_of(kTypes, o, t);
     }},
    {"--a-major", "which index of A is contiguous: k mn",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.a_major = value_of(kMajors, o, t);
     }},
    {"--b-major", "the same of B",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.b_major = value_of(kMajors, o, t);
     }},
    {"--output", "type of C and D: f32 f16 bf16 s32",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.output = value_of(kOutputs, o, t);
     }},
    {"--m", "rows of D",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.m = number<std::uint32_t>(o, t);
     }},
    {"--n", "columns of D",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.n = number<std::uint32_t>(o, t);
     }},
    {"--k", "columns of A",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.k = number<std::uint32_t>(o, t);
     }},
    {"--alpha", "factor of A B",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.alpha = number<float>(o, t);
     }},
    {"--beta", "factor of C",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.beta = number<float>(o, t);
     }},
    {"--bias", "0 or 1: add a value to each column",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.bias = number<int>(o, t) != 0;
     }},
    {"--activation", "none relu gelu silu",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.problem.activation = value_of(kActivations, o, t);
     }},
    {"--seed", "of the integers",
     [](GemmRun& r, const std::string& o, const std::string& t) {
       r.seed = number<std::uint64_t>(o, t);
     }},
};

const Listed* listed(const std::string& option) {
  for (const Listed& l : kListed) {
    if (option == l.option) return &l;
  }
  return nullptr;
}

/// Every run so far with every value.
void multiply(std::vector<GemmRun>& runs, const Listed& option, const std::string& values) {
  std::vector<GemmRun> out;
  for (const GemmRun& run : runs) {
    for (const std::string& value : split(values)) {
      out.push_back(run);
      option.set(out.back(), option.option, value);
    }
  }
  runs = std::move(out);
}

/// One file a run: FILE, or with a number before its ending.
void name_dumps(std::vector<GemmRun>& runs, const std::string& file) {
  if (file.empty()) return;
  const std::size_t dot = std::min(file.rfind('.'), file.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string place = runs.size() == 1 ? "" : "." + std::to_string(i + 1);
    runs[i].dump = file.substr(0, dot) + place + file.substr(dot);
  }
}

}  // namespace

GemmFlags parse_gemm_flags(const std::vector<std::string>& arguments) {
  GemmFlags flags;
  GemmRun first;
  first.kernel = kernel_of("tcgen05_gemm");
  first.problem.m = first.problem.n = first.problem.k = 256;
  flags.runs.push_back(first);
  std::string dump, command = "lc_gemm";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    command += " " + option;
    if (option == "--help") flags.help = true;
    if (option == "--list") flags.list = true;
    if (option == "--help" || option == "--list") continue;
    if (i + 1 == arguments.size()) throw GemmRefusal(option, "has no value", "--help");
    const std::string& value = arguments[++i];
    command += " " + value;
    if (const Listed* l = listed(option)) {
      multiply(flags.runs, *l, value);
    } else if (option == "--dump") {
      dump = value;
    } else if (option == "--dump-ctas") {
      const auto ctas = number<std::uint64_t>(option, value);
      for (GemmRun& run : flags.runs) run.dump_ctas = ctas;
    } else {
      throw GemmRefusal(option, "is no option of lc_gemm", "--help");
    }
  }
  name_dumps(flags.runs, dump);
  for (GemmRun& run : flags.runs) run.command = command;
  return flags;
}

std::string gemm_usage() {
  std::string out =
      "lc_gemm: runs a GEMM kernel on integers and compares D with what it should be.\n"
      "  layout-check run -- lc_gemm --kernel tcgen05_cp_async --type f16 --b-major mn --m 200 "
      "--n 136 --k 72\n"
      "Lists with commas run every combination.  Exit code 0: all right, 1: a D is wrong, 2: "
      "could not run.\n";
  for (const Listed& l : kListed) {
    const std::string option = l.option;
    out += "  " + option + std::string(14 - option.size(), ' ') + l.help + "\n";
  }
  return out +
         "  --dump        file for the tiles of every stage (one a combination)\n"
         "  --dump-ctas   of how many CTAs, from the first\n"
         "  --list        kernels and their variants\n";
}

std::string text_of(const GemmRun& run) {
  const GemmProblem& p = run.problem;
  std::string out = run.kernel->name;
  if (!run.variant.empty()) out += " " + run.variant;
  out += std::string(" ") + text_of(kTypes, p.type) + " " + std::to_string(p.m) + "x" +
         std::to_string(p.n) + "x" + std::to_string(p.k) + " A " + text_of(kMajors, p.a_major) +
         " B " + text_of(kMajors, p.b_major) + " -> " + text_of(kOutputs, p.output);
  if (p.alpha != 1) out += " alpha " + std::to_string(p.alpha);
  if (p.beta != 0) out += " beta " + std::to_string(p.beta);
  if (p.bias) out += " bias";
  if (p.activation != GemmActivation::none) {
    out += std::string(" ") + text_of(kActivations, p.activation);
  }
  return out;
}

}  // namespace lc::kernel
