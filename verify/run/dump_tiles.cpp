#include "verify/run/dump_tiles.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "verify/dump/description.h"
#include "verify/dump/safetensors.h"
#include "verify/error.h"

namespace lc::verify {
namespace {

constexpr const char* kPoints =
    "exit, mma, line:N or mbarrier:ADDRESS:PHASE, then ,cta=X,Y,Z or nothing";

[[noreturn]] void refuse(const std::string& text) {
  throw Error("dump_smem", fmt::format("\"{:.60}\" is no moment", text), kPoints);
}

std::uint64_t number(std::string_view digits, const std::string& text,
                     std::uint64_t most = UINT32_MAX) {
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [after, error] = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
  if (error != std::errc{} || after != end || digits.empty() || value > most) refuse(text);
  return value;
}

std::span<const std::uint8_t> as_u8(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

TileDescription description_of(const observe::DumpTile& tile, Arch arch) {
  TileDescription d;
  d.smem_address = tile.smem_address;
  d.arch = arch;
  if (tile.is_operand) {
    d.kind = TileDescription::Kind::descriptor;
    d.arch = tile.arch;
    d.descriptor_word = tile.descriptor;
    d.major = tile.major;
    d.element = tile.element;
    d.container = tile.container;
    d.mn = tile.mn;
    d.k = tile.k;
    d.source_strides = TileDescription::Strides{tile.mn_stride, tile.k_stride};
  } else {
    d.map = tile.map;
    d.coordinates = tile.coordinates;
    d.destination = tile.smem_address;
  }
  d.source.kind = Source::Kind::tensor;
  d.source_offset = static_cast<std::uint64_t>(tile.source_offset);
  d.barriers = tile.barriers;
  d.cta.assign(tile.cta.begin(), tile.cta.end());
  d.stage = tile.stage;
  d.obtained = "virtual";
  return d;
}

}  // namespace

observe::DumpPoint parse_dump_point(const std::string& text) {
  observe::DumpPoint point;
  std::string_view what = text;
  if (const std::size_t comma = what.find(','); comma != std::string_view::npos) {
    std::string_view cta = what.substr(comma + 1);
    what = what.substr(0, comma);
    if (!cta.starts_with("cta=")) refuse(text);
    cta.remove_prefix(4);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t end = cta.find(',');
      if ((end == std::string_view::npos) != (i == 2)) refuse(text);
      point.cta[i] = static_cast<std::uint32_t>(number(cta.substr(0, end), text));
      if (i < 2) cta.remove_prefix(end + 1);
    }
  }
  using Kind = observe::DumpPoint::Kind;
  if (what == "exit") {
    point.kind = Kind::exit;
  } else if (what == "mma") {
    point.kind = Kind::mma;
  } else if (what.starts_with("line:")) {
    point.kind = Kind::line;
    point.line = static_cast<std::uint32_t>(number(what.substr(5), text));
  } else if (what.starts_with("mbarrier:")) {
    point.kind = Kind::mbarrier;
    what.remove_prefix(9);
    const std::size_t colon = what.find(':');
    if (colon == std::string_view::npos) refuse(text);
    point.barrier = static_cast<std::uint32_t>(number(what.substr(0, colon), text));
    point.phase = number(what.substr(colon + 1), text, UINT64_MAX);
  } else {
    refuse(text);
  }
  return point;
}

void write_dump(const std::string& path, const observe::SmemDump& dump, Arch arch,
                const std::string& kernel, const std::string& device) {
  std::map<std::string, std::string> metadata{
      {"layout-check", "1"}, {"created_by", "layout-check run"}, {"device", device}};
  if (!dump.incomplete().empty()) metadata["incomplete"] = dump.incomplete();
  std::vector<NamedBytes> tensors;
  // Copies that share their source bytes share a tensor; so do equal ones.
  std::map<const std::vector<std::byte>*, std::string> sources;
  std::vector<std::pair<const std::vector<std::byte>*, std::string>> distinct;
  for (const observe::DumpTile& tile : dump.tiles()) {
    std::string& name = sources[tile.source.get()];
    if (name.empty()) {
      for (const auto& [bytes, known] : distinct) {
        if (*bytes == *tile.source) name = known;
      }
    }
    if (name.empty()) {
      name = fmt::format("global{}", distinct.size());
      distinct.emplace_back(tile.source.get(), name);
    }
    TileDescription d = description_of(tile, arch);
    d.source_name = name;
    d.kernel = kernel;
    metadata[tile.name] = description_text(d);
    tensors.push_back({tile.name, as_u8(tile.bytes)});
  }
  for (const auto& [bytes, name] : distinct) tensors.push_back({name, as_u8(*bytes)});
  write_safetensors(path, tensors, metadata);
}

}  // namespace lc::verify
