#include "verify/run/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/observe/site.h"
#include "verify/text.h"

namespace lc::verify {
namespace {

std::string who_text(const machine::Place& place, const std::string& entry) {
  std::string text;
  if (place.warp >= 0) {
    text = fmt::format("CTA ({}, {}, {}), warp {}", place.cta[0], place.cta[1], place.cta[2],
                       place.warp);
  }
  if (place.lane >= 0) text += fmt::format(", lane {}", place.lane);
  if (!place.function.empty() && place.function != entry) {
    text += fmt::format(", in function `{}`", place.function);
  }
  return text;
}

}  // namespace

std::string fault_text(const machine::Fault& fault, const machine::Program& program) {
  const machine::Place& place = fault.place;
  std::string text = program.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  // A ledger has lines of its own.
  std::string message = fault.what();
  std::string rest;
  if (const std::size_t end = message.find('\n'); end != std::string::npos) {
    rest = message.substr(end + 1) + '\n';
    message.resize(end);
  }
  text += fmt::format(": {}: {} [{}]", name_of(fault.kind), message, fault.rule);
  text = wrap(printable(text), 4) + '\n';
  if (place.line > 0) {
    const auto line = static_cast<std::uint32_t>(place.line);
    text += "    " + shortened(printable(observe::text_of_line(program, line)), 90) + '\n';
  }
  const std::string who = who_text(place, program.entry().name);
  if (!who.empty()) text += "  " + printable(who) + '\n';
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    const std::string line = rest.substr(at, end - at);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    text += std::string(indent, ' ') + wrap(printable(line.substr(indent)), indent + 2) + '\n';
    at = end + 1;
  }
  return text;
}

Answer to_json(const machine::Fault& fault, const machine::Program& program) {
  const machine::Place& place = fault.place;
  Answer out = {{"kind", name_of(fault.kind)}, {"rule", fault.rule}, {"message", fault.what()}};
  if (fault.address) out["address"] = fmt::format("0x{:x}", *fault.address);
  if (place.line > 0) {
    out["line"] = place.line;
    out["text"] = observe::text_of_line(program, static_cast<std::uint32_t>(place.line));
  }
  if (!place.function.empty()) out["function"] = place.function;
  if (place.warp >= 0) {
    out["cta"] = {place.cta[0], place.cta[1], place.cta[2]};
    out["warp"] = place.warp;
  }
  if (place.lane >= 0) out["lane"] = place.lane;
  return out;
}

}  // namespace lc::verify
