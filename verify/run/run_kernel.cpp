#include "verify/run/run_kernel.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/ptx/error.h"
#include "verify/error.h"
#include "verify/request.h"
#include "verify/run/expect.h"
#include "verify/run/fault_text.h"
#include "verify/run/guest.h"
#include "verify/run/observers.h"

namespace lc::verify {
namespace {

constexpr std::uint64_t kDefaultMemory = std::uint64_t{8} << 30;

/// "64M" -> 67108864
std::uint64_t amount(const Request& request, const char* field, std::uint64_t fallback) {
  if (!request.has(field)) return fallback;
  std::string text = request.text(field);
  std::uint64_t unit = 1;
  if (!text.empty()) {
    const std::size_t power = std::string_view("KMGT").find(text.back());
    if (power != std::string_view::npos) {
      unit = std::uint64_t{1} << 10 * (power + 1);
      text.pop_back();
    }
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || after != end || value > (std::uint64_t{1} << 50) / unit) {
    request.fail(field, fmt::format("\"{:.40}\" is no amount", request.text(field)),
                 "a number like 4096, 64K, 16M or 2G");
  }
  return value * unit;
}

machine::Schedule schedule_of(const Request& request) {
  std::string text = request.has("schedule") ? request.text("schedule") : "";
  if (request.has("seed")) {
    if (!text.empty() && text != "random") {
      request.fail("seed", fmt::format("the schedule {:.40} takes no seed", text),
                   "--schedule random");
    }
    text = fmt::format("random:{}", request.number("seed"));
  }
  if (text.empty()) return {};
  if (const auto schedule = machine::parse_schedule(text)) return *schedule;
  request.fail("schedule", fmt::format("unknown name \"{:.60}\"", text),
               "one of eager, lazy, random:SEED");
}

std::vector<std::string> texts(const Question& question, const char* field) {
  return question.contains(field) ? question.at(field).get<std::vector<std::string>>()
                                  : std::vector<std::string>{};
}

/// One run with everything that watches it.
class Run {
 public:
  Run(const Question& question, const Output& output)
      : question_(question),
        request_(question),
        output_(output),
        observers_(question),
        file_(read_launch(request_.text("launch"))),
        kernel_(read_kernel(question.at("file").at(0).get<std::string>(), file_.entry, device())) {}

  int run() {
    for (const std::string& text : texts(question_, "expect")) {
      expectations_.push_back(parse_expectation(text, file_));
    }
    options_.schedule = schedule_of(request_);
    options_.max_instructions = amount(request_, "max_instructions", 0);
    options_.host_threads = static_cast<unsigned>(request_.number_or("host_threads", 0, 0, 4096));
    options_.fresh_shared = static_cast<std::byte>(request_.number_or("fresh_shared", 0, 0, 255));
    options_.arch = kernel_.device->arch;
    options_.multiprocessors = kernel_.device->multiprocessors;
    guest_ = std::make_unique<Guest>(kernel_, file_, amount(request_, "memory", kDefaultMemory));
    options_.events = observers_.watch(guest_->launch().program);
    result_ = machine::run(guest_->launch(), guest_->memory(), options_);
    saved_ = observers_.save(options_.arch, program().entry().name,
                             "virtual " + std::string(kernel_.device->title));
    if (!result_.fault) {
      for (const std::string& path : guest_->save()) saved_.push_back(path);
      for (const Expectation& e : expectations_) {
        differences_.push_back(compare(e, file_, *guest_));
      }
    }
    if (output_.json) {
      print_json();
    } else {
      print();
    }
    return holds() ? 0 : 1;
  }

 private:
  std::optional<std::string> device() const {
    if (!request_.has("device")) return std::nullopt;
    return request_.text("device");
  }
  const machine::Program& program() const { return *guest_->launch().program; }

  bool holds() const {
    if (result_.fault) return false;
    for (const Difference& d : differences_) {
      if (d.differ != 0) return false;
    }
    return true;
  }

  std::string launch_text() const {
    const machine::Launch& l = guest_->launch();
    const auto triple = [](const std::array<std::uint32_t, 3>& v) {
      return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
    };
    std::string text = fmt::format("{}: grid {}, block {}", program().entry().name, triple(l.grid),
                                   triple(l.block));
    if (l.explicit_cluster) text += fmt::format(", cluster {}", triple(l.cluster));
    const std::uint32_t fixed = program().static_shared_bytes;
    if (fixed + l.dynamic_shared_bytes != 0) {
      text += fmt::format(", shared memory {} + {} bytes", fixed, l.dynamic_shared_bytes);
    }
    return text + fmt::format("; virtual {}, schedule {}", kernel_.device->title,
                              machine::to_text(options_.schedule));
  }

  void print_differences() const {
    for (const Difference& d : differences_) {
      const std::string name = printable(d.expectation.buffer);
      if (d.differ == 0) {
        output_.out << fmt::format("{}: all {} elements are as expected\n", name, d.elements);
        continue;
      }
      output_.out << output_.paint.red(
          fmt::format("{}: {} of {} elements differ", name, d.differ, d.elements));
      output_.out << fmt::format(", first [{}]: {}, expected {}\n", fmt::join(d.first, ", "),
                                 d.found, d.expected);
    }
  }

  void print() const {
    output_.out << result_.output;
    if (!result_.output.empty() && result_.output.back() != '\n') output_.out << '\n';
    output_.out << wrap(printable(launch_text()), 2) << '\n';
    for (const std::string& field : file_.ignored) {
      output_.out << wrap(printable(field), 2) << ": nobody reads this field\n";
    }
    output_.out << fmt::format("{} instructions executed\n", result_.instructions);
    for (const std::string& warning : result_.warnings) {
      output_.out << wrap(printable(warning), 2) << '\n';
    }
    if (result_.fault) output_.out << fault_text(*result_.fault, program());
    for (const std::string& path : saved_) output_.out << "saved " << printable(path) << '\n';
    output_.out << observers_.dump_text();
    print_differences();
    output_.out << observers_.text();
  }

  void print_json() const {
    const machine::Launch& l = guest_->launch();
    Answer out = {{"ok", true}, {"holds", holds()}};
    out["launch"] = {{"entry", program().entry().name},
                     {"grid", l.grid},
                     {"block", l.block},
                     {"cluster", l.cluster},
                     {"static_shared", program().static_shared_bytes},
                     {"dynamic_shared", l.dynamic_shared_bytes},
                     {"device", kernel_.device->name},
                     {"schedule", machine::to_text(options_.schedule)}};
    out["instructions"] = result_.instructions;
    out["output"] = result_.output;
    out["warnings"] = result_.warnings;
    out["ignored"] = file_.ignored;
    out["fault"] = result_.fault ? to_json(*result_.fault, program()) : Answer(nullptr);
    out["saved"] = saved_;
    Answer expected = Answer::array();
    for (const Difference& d : differences_) {
      Answer one = {
          {"buffer", d.expectation.buffer}, {"elements", d.elements}, {"differ", d.differ}};
      if (d.differ != 0) {
        one["first"] = d.first;
        one["found"] = d.found;
        one["expected"] = d.expected;
      }
      expected.push_back(one);
    }
    out["expect"] = expected;
    observers_.add_to(out);
    output_.out << out.dump(-1, ' ', false, Answer::error_handler_t::replace) << '\n';
  }

  const Question& question_;
  Request request_;
  const Output& output_;
  LaunchObservers observers_;
  LaunchFile file_;
  KernelFile kernel_;
  std::vector<Expectation> expectations_;
  machine::RunOptions options_;
  std::unique_ptr<Guest> guest_;
  machine::RunResult result_;
  std::vector<std::string> saved_;
  std::vector<Difference> differences_;
};

}  // namespace

int run_kernel(const Question& question, const Output& output) {
  return Run(question, output).run();
}

}  // namespace lc::verify
