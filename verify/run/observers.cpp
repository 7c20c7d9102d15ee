#include "verify/run/observers.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "verify/error.h"
#include "verify/run/dump_tiles.h"

namespace lc::verify {

LaunchObservers::LaunchObservers(const Question& question)
    : wants_coverage_(question.contains("coverage")),
      wants_banks_(question.contains("banks")),
      wants_timeline_(question.contains("timeline")),
      trace_path_(question.value("trace", "")),
      dump_path_(question.value("dump", "")) {
  if (question.contains("dump_smem")) {
    for (const Question& text : question.at("dump_smem")) {
      points_.push_back(parse_dump_point(text.get<std::string>()));
    }
  }
  if (points_.empty() == dump_path_.empty()) return;
  if (points_.empty()) throw Error("dump", "nothing says when to dump", "--dump-smem exit");
  throw Error("dump_smem", "nothing says where to write", "--dump FILE.safetensors");
}

bool LaunchObservers::wanted() const {
  return wants_coverage_ || wants_banks_ || wants_timeline_ || !trace_path_.empty() ||
         !points_.empty();
}

const machine::Events* LaunchObservers::watch(
    const std::shared_ptr<const machine::Program>& program) {
  events_ = {};
  if (wants_coverage_) events_.subscribe(coverage_.emplace(program));
  if (wants_banks_) events_.subscribe(banks_.emplace(program));
  if (wants_timeline_ || !trace_path_.empty()) events_.subscribe(timeline_.emplace(program));
  if (!points_.empty()) events_.subscribe(dump_.emplace(points_));
  return events_.watched() ? &events_ : nullptr;
}

std::vector<std::string> LaunchObservers::save(Arch arch, const std::string& kernel,
                                               const std::string& device) {
  std::vector<std::string> paths;
  if (!trace_path_.empty()) {
    std::ofstream file(trace_path_, std::ios::binary | std::ios::trunc);
    file << timeline_->trace_json() << '\n';
    file.close();
    if (!file)
      throw Error(trace_path_, "cannot be written", "check the directory and the space left");
    paths.push_back(trace_path_);
  }
  if (dump_) {
    write_dump(dump_path_, *dump_, arch, kernel, device);
    paths.push_back(dump_path_);
  }
  return paths;
}

bool LaunchObservers::dump_is_empty() const {
  return dump_ && dump_->tiles().empty() && dump_->unaccounted() == 0;
}

std::string LaunchObservers::dump_text() const {
  if (!dump_) return "";
  std::string text = fmt::format("{} tiles dumped", dump_->tiles().size());
  if (dump_->unaccounted() != 0) {
    text +=
        fmt::format("; {} times nothing is known of what should be there", dump_->unaccounted());
  }
  return text + '\n';
}

std::string LaunchObservers::text() const {
  std::string text;
  if (coverage_) text += '\n' + coverage_->text();
  if (banks_) text += '\n' + banks_->text();
  if (wants_timeline_ && timeline_) text += '\n' + timeline_->text();
  return text;
}

void LaunchObservers::add_to(Answer& out) const {
  if (coverage_) out["coverage"] = Answer::parse(coverage_->json());
  if (banks_) out["banks"] = Answer::parse(banks_->json());
  if (dump_) {
    out["dump"] = {{"tiles", dump_->tiles().size()}, {"unaccounted", dump_->unaccounted()}};
  }
  if (wants_timeline_ && timeline_) out["timeline"] = Answer::parse(timeline_->json());
}

}  // namespace lc::verify
