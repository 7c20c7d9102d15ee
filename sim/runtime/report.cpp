#include "sim/runtime/report.h"

#include "sim/layout/spelling.h"
#include "sim/runtime/library.h"

namespace lc::runtime {
namespace {

/// Line `number` of a text, from 1, without the blanks around it.
std::string line_of(std::string_view text, int number) {
  for (int i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n')).substr(0, 160);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r;") + 1 - first));
}

/// The sentence may have several lines: a deadlock's ledger.
std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

std::string vector_text(const std::array<std::uint32_t, 3>& v, const char* separator) {
  return std::to_string(v[0]) + separator + std::to_string(v[1]) + separator + std::to_string(v[2]);
}

using Vector = std::array<std::uint32_t, 3>;

Vector cta_of(const machine::Place& place) {
  return {place.cta[0], place.cta[1], place.cta[2]};
}

Vector thread_of(const machine::Place& place, const Vector& block) {
  const auto linear = static_cast<std::uint32_t>(place.warp * 32 + place.lane);
  return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
}

/// "…: assertion `x` failed" with block and thread where a GPU prints them.
std::string sentence_of(const machine::Fault& fault, const Vector& block) {
  std::string text = fault.what();
  constexpr std::string_view kAssertion = ": assertion `";
  const std::size_t at = text.find(kAssertion);
  if (fault.rule != "assert" || at == std::string::npos || fault.place.lane < 0) return text;
  return text.replace(at, kAssertion.size(),
                      ": block: [" + vector_text(cta_of(fault.place), ",") + "], thread: [" +
                          vector_text(thread_of(fault.place, block), ",") + "] Assertion `");
}

}  // namespace

std::string report_of(const machine::Fault& fault, const std::string& kernel,
                      const ptx::Module& module, const Vector& block) {
  const machine::Place& place = fault.place;
  std::string out = "layout-check: " + std::string(name_of(fault.kind)) + " (" + fault.rule +
                    ") in kernel `" + kernel + "`\n" + indented(sentence_of(fault, block)) + "\n";
  if (place.line > 0) {
    out += "  " + module.file + ":" + std::to_string(place.line);
    if (module.text) out += ": " + line_of(*module.text, place.line);
    out += "\n";
    const std::string function = place.function.empty() ? kernel : place.function;
    const std::string source = source_place(module, function, place.line);
    if (!source.empty()) out += "  " + source + "\n";
  }
  if (place.warp >= 0) {
    out += "  CTA (" + vector_text(cta_of(place), ", ") + "), warp " + std::to_string(place.warp);
    if (place.lane >= 0) {
      out += ", lane " + std::to_string(place.lane) + ": thread (" +
             vector_text(thread_of(place, block), ", ") + ")";
    }
    if (!place.function.empty() && place.function != kernel) {
      out += ", in function `" + place.function + "`";
    }
    out += "\n";
  }
  return out;
}

std::string trace_of(const std::string& kernel, const machine::Launch& launch,
                     const machine::RunResult& result) {
  std::string out = "layout-check: kernel `" + kernel + "`: grid " +
                    vector_text(launch.grid, " x ") + ", block " + vector_text(launch.block, " x ");
  if (launch.explicit_cluster) out += ", cluster " + vector_text(launch.cluster, " x ");
  out += ", " + std::to_string(launch.dynamic_shared_bytes) + " bytes of dynamic shared memory, " +
         std::to_string(result.instructions) + " instructions\n";
  return out;
}

}  // namespace lc::runtime
