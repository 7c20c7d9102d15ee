#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verify/check/report.h"

namespace lc::verify {
namespace {

constexpr const char* kResults[] = {"same", "differs", "unknown"};

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

Answer to_json(const DumpedTile::Problem& p) {
  return {{"where", p.where}, {"what", p.what}, {"hint", p.hint}};
}

Answer to_json(const FirstDifference& f, std::uint64_t window) {
  Answer out = {{"address", f.place.address},
                {"byte", f.place.address - window},
                {"bank", f.place.bank()},
                {"bank_sector", f.place.sector()}};
  if (f.place.in_tile) {
    out["elements"] = f.place.elements;
    out["chunk"] = f.place.chunk;
    out["fill"] = f.place.fill;
    if (f.place.atom) out["atom"] = *f.place.atom, out["line"] = f.place.line;
    if (f.place.source) out["source_byte"] = *f.place.source;
  } else {
    out["untouched"] = f.should_be_untouched;
  }
  out["expected"] = hex(f.expected);
  out["found"] = hex(f.found);
  if (f.found_source) {
    out["found_source_byte"] = *f.found_source;
    if (!f.found_elements.empty()) out["found_elements"] = f.found_elements;
  }
  return out;
}

Answer to_json(const Diagnosis& d) {
  Answer out = {{"complete", d.complete()}, {"tried", d.tried}};
  if (!d.damage.empty()) out["damage"] = d.damage;
  out["explanations"] = Answer::array();
  for (const Explanation& e : d.explanations) {
    out["explanations"].push_back({{"kind", e.kind},
                                   {"text", "a tile that " + e.text},
                                   {"try", e.advice},
                                   {"explained", e.explained},
                                   {"silent", e.silent},
                                   {"broken", e.broken},
                                   {"same_as_first", e.same_as_first}});
  }
  return out;
}

Answer to_json(const TileReport& t) {
  Answer out = {{"tile", t.name}, {"result", kResults[static_cast<int>(t.result)]}};
  if (!t.kind.empty()) out["what"] = t.kind, out["smem_address"] = t.address;
  out["bytes"] = t.bytes;
  if (t.problem) {
    out["error"] = to_json(*t.problem);
  } else {
    out["compared"] = t.comparison.compared;
    out["differing"] = t.comparison.differing;
  }
  if (t.first) out["first_difference"] = to_json(*t.first, t.address);
  if (t.diagnosis) out["diagnosis"] = to_json(*t.diagnosis);
  out["notes"] = t.notes;
  return out;
}

}  // namespace

Answer to_json(const FileReport& report) {
  Answer out = {{"file", report.path}, {"result", kResults[static_cast<int>(report.result())]}};
  if (report.problem) {
    out["error"] = to_json(*report.problem);
    return out;
  }
  out["facts"] = report.facts;
  out["tiles"] = Answer::array();
  for (const TileReport& t : report.tiles) out["tiles"].push_back(to_json(t));
  out["notes"] = report.notes;
  return out;
}

}  // namespace lc::verify
