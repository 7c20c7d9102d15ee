#include "sim/observe/bank_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/machine/operand_fetch.h"
#include "sim/observe/site.h"

namespace lc::observe {
namespace {

using machine::Access;
using machine::Space;

constexpr std::uint64_t kWindowMask = (std::uint64_t{1} << machine::kSharedRankShift) - 1;

BankOp op_of(std::string_view mnemonic, const machine::WarpAccess& access) {
  if (begins_with(mnemonic, "ldmatrix")) return BankOp::ldmatrix;
  if (begins_with(mnemonic, "stmatrix")) return BankOp::stmatrix;
  if (begins_with(mnemonic, "red")) return BankOp::red;
  if (access.atomic) return BankOp::atom;
  return access.access == Access::read ? BankOp::ld : BankOp::st;
}

/// "0-3,8": the lanes of a mask.
std::string lanes_text(std::uint32_t mask) {
  std::string text;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const std::uint32_t first = lane;
    while (lane + 1 < 32 && (mask >> (lane + 1) & 1) != 0) ++lane;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (first != lane) text += fmt::format("-{}", lane);
  }
  return text;
}

/// The most crowded bank of an access and who meets there.
struct Crowd {
  std::size_t bank = 0;
  std::uint32_t lanes = 0, words = 0;
};

Crowd crowd_of(const BankAccess& access) {
  const BankReport report = bank_report(access);
  Crowd crowd;
  for (std::size_t g = 0; g < report.group_count; ++g) {
    for (std::size_t bank = 0; bank < 32; ++bank) {
      if (report.groups[g].demand[bank] <= crowd.words) continue;
      crowd = {bank, report.groups[g].lanes[bank], report.groups[g].demand[bank]};
    }
  }
  return crowd;
}

std::array<std::uint32_t, 8> sectors_of(const std::array<std::uint64_t, 8>& cells) {
  std::array<std::uint32_t, 8> use{};
  for (const std::uint64_t cell : cells) {
    if (cell != ~std::uint64_t{0}) ++use[bank_sector(cell)];
  }
  return use;
}

const char* kind_text(BankSite::Kind kind) {
  switch (kind) {
    case BankSite::Kind::threads:
      return "threads";
    case BankSite::Kind::operand_a:
      return "operand A";
    case BankSite::Kind::operand_b:
      return "operand B";
    case BankSite::Kind::copy:
      return "copy";
  }
  return "";
}

std::string worst_text(const BankSite& s) {
  if (s.conflicts() == 0) return "";
  const std::string who =
      fmt::format("CTA ({},{},{}) warp {}: ", s.cta[0], s.cta[1], s.cta[2], s.warp);
  if (s.kind == BankSite::Kind::threads) {
    const Crowd crowd = crowd_of(s.access);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(crowd.lanes));
    return fmt::format("{}bank {} gives {} words to lanes {}, lane {} at 0x{:x}", who, crowd.bank,
                       crowd.words, lanes_text(crowd.lanes), lane, s.access.address[lane]);
  }
  const auto use = sectors_of(s.cells);
  const auto most = std::max_element(use.begin(), use.end());
  return fmt::format("bank sector S{} has {} of 8 cells, the first at 0x{:x}", most - use.begin(),
                     *most, s.cells[0] & kWindowMask);
}

}  // namespace

BankSite& BankUse::site(std::uint32_t line, BankSite::Kind kind) {
  BankSite& s = sites_[{line, kind}];
  s.line = line;
  s.kind = kind;
  return s;
}

void BankUse::see(const machine::WarpAccess& event) {
  if (event.space != Space::shared || step_.inst == nullptr) return;
  BankAccess access;
  access.op = op_of(program_->mnemonics[step_.inst->mnemonic], event);
  access.width = event.width;
  access.active = event.lanes;
  if (is_matrix(access.op)) {
    access.num = static_cast<std::uint32_t>(std::popcount(event.lanes)) / 8;
    access.width = 16;
  }
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    access.address[lane] = static_cast<std::uint32_t>(event.addresses[lane] & kWindowMask);
  }
  // Wider accesses (.v8.b32) are two of 16 bytes.
  std::uint32_t pieces = 1;
  if (access.width > 16) {
    pieces = access.width / 16;
    access.width = 16;
  }
  if (!is_bank_width(access.width)) return;
  BankSite& s = site(step_.inst->line, BankSite::Kind::threads);
  if (s.text.empty()) s.text = site_of(*program_, *step_.function, *step_.inst).text;
  ++s.accesses;
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const BankReport report = bank_report(access);
    s.wavefronts += report.wavefronts;
    s.ideal += report.ideal;
    if (report.wavefronts > s.worst) {
      s.worst = report.wavefronts;
      s.access = access;
      std::copy_n(event.place.cta, 3, s.cta.begin());
      s.warp = event.actor.warp;
    }
    for (std::uint32_t& a : access.address) a += 16;
  }
}

/// Eight cells at a time; the last pass may have fewer.
void BankUse::count_cells(BankSite& s, const std::vector<std::uint64_t>& cells,
                          const machine::Place& place) {
  for (std::size_t i = 0; i < cells.size(); i += 8) {
    std::array<std::uint64_t, 8> eight;
    eight.fill(~std::uint64_t{0});
    std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(i),
                std::min<std::size_t>(8, cells.size() - i), eight.begin());
    const auto use = sectors_of(eight);
    const std::uint32_t passes = *std::max_element(use.begin(), use.end());
    s.wavefronts += passes;
    ++s.ideal;
    if (passes <= s.worst) continue;
    s.worst = passes;
    s.cells = eight;
    std::copy_n(place.cta, 3, s.cta.begin());
    s.warp = place.warp;
  }
}

void BankUse::see(const machine::OperandRead& event) {
  using Operand = machine::OperandRead::Operand;
  if (event.in_tensor_memory) return;
  if (event.operand != Operand::a && event.operand != Operand::b) return;
  const std::uint32_t bits = stored_bits(event.element, event.container);
  const bool k_major = event.major == Major::k;
  const std::size_t rows = k_major ? event.mn : event.k;
  const std::size_t chunks = std::size_t{k_major ? event.k : event.mn} * bits / 128;
  const auto in_rows = machine::operand_cells(
      {event.arch, event.descriptor, event.major, event.element, event.container}, event.mn,
      event.k);
  if (in_rows.size() != rows * chunks) return;
  // A core matrix is one chunk of 8 rows.
  std::vector<std::uint64_t> cells;
  for (std::size_t row = 0; row + 8 <= rows; row += 8) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::size_t r = 0; r < 8; ++r) cells.push_back(in_rows[(row + r) * chunks + chunk]);
    }
  }
  BankSite& s =
      site(static_cast<std::uint32_t>(std::max(event.place.line, 0)),
           event.operand == Operand::a ? BankSite::Kind::operand_a : BankSite::Kind::operand_b);
  ++s.accesses;
  count_cells(s, cells, event.place);
}

void BankUse::see(const machine::UnitAccess& event) {
  if (event.space != Space::shared || event.access != Access::write) return;
  const auto copy = copies_.find({cluster_, event.item});
  if (copy == copies_.end()) return;
  for (std::uint64_t at = event.address / 16 * 16; at < event.address + event.bytes; at += 16) {
    copy->second.cells.push_back(at);
  }
}

void BankUse::see(const machine::AsyncEvent& event) {
  const Item key{cluster_, event.item};
  using Unit = machine::Unit;
  if (event.stage == machine::AsyncStage::issued) {
    const Unit unit = event.what->actor.unit;
    if (unit == Unit::tma || unit == Unit::bulk_copy) copies_[key].place = event.what->place;
  } else if (event.stage == machine::AsyncStage::done) {
    const auto copy = copies_.find(key);
    if (copy == copies_.end()) return;
    if (!copy->second.cells.empty()) {
      const machine::Place& place = copy->second.place;
      BankSite& s = site(static_cast<std::uint32_t>(std::max(place.line, 0)), BankSite::Kind::copy);
      ++s.accesses;
      count_cells(s, copy->second.cells, place);
    }
    copies_.erase(copy);
  }
}

std::vector<BankSite> BankUse::sites() const {
  std::vector<BankSite> all;
  for (const auto& [key, s] : sites_) {
    all.push_back(s);
    if (s.text.empty()) all.back().text = text_of_line(*program_, s.line);
  }
  std::stable_sort(all.begin(), all.end(), [](const BankSite& a, const BankSite& b) {
    return a.conflicts() > b.conflicts();
  });
  return all;
}

std::string BankUse::text() const {
  const std::vector<BankSite> all = sites();
  if (all.empty()) return "banks: no access to shared memory was seen\n";
  std::uint64_t wavefronts = 0, conflicts = 0;
  std::vector<std::vector<std::string>> cells{
      {"who", "accesses", "wavefronts", "ideal", "line", "instruction"}};
  std::string worst;
  for (const BankSite& s : all) {
    wavefronts += s.wavefronts;
    conflicts += s.conflicts();
    cells.push_back({kind_text(s.kind), fmt::format("{}", s.accesses),
                     fmt::format("{}", s.wavefronts), fmt::format("{}", s.ideal),
                     fmt::format("{}", s.line), cut(s.text, 44)});
    if (s.conflicts() != 0) {
      worst += fmt::format("  line {}: {}\n", s.line, worst_text(s));
    }
  }
  return fmt::format("banks: {} wavefronts, {} of them conflicts\n", wavefronts, conflicts) +
         columns(cells, 1) + worst;
}

std::string BankUse::json() const {
  using Json = nlohmann::ordered_json;
  Json out = Json::array();
  for (const BankSite& s : sites()) {
    Json row = {{"who", kind_text(s.kind)},
                {"line", s.line},
                {"text", s.text},
                {"accesses", s.accesses},
                {"wavefronts", s.wavefronts},
                {"ideal", s.ideal},
                {"conflicts", s.conflicts()}};
    if (s.conflicts() != 0 && s.kind == BankSite::Kind::threads) {
      const Crowd crowd = crowd_of(s.access);
      Json lanes = Json::array();
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((crowd.lanes >> lane & 1) != 0) lanes.push_back(lane);
      }
      row["worst"] = {{"wavefronts", s.worst},         {"cta", s.cta},       {"warp", s.warp},
                      {"addresses", s.access.address}, {"bank", crowd.bank}, {"lanes", lanes}};
    } else if (s.conflicts() != 0) {
      row["worst"] = {{"passes", s.worst}, {"sectors", sectors_of(s.cells)}};
    }
    out.push_back(std::move(row));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lc::observe
