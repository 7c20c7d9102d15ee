#include "verify/dump/dump_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "verify/error.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

constexpr const char* kVersionKey = "layout-check";
constexpr const char* kVersion = "1";
constexpr const char* kFacts[] = {"device",  "driver",     "runtime",
                                  "command", "created_by", "incomplete"};

using ByName = std::unordered_map<std::string, const SafeTensor*>;

/// The tensor that holds a tile's source values.
void find_source(const std::string& where, const std::string& tile, const ByName& tensors,
                 TileDescription& d) {
  if (d.source.kind != Source::Kind::tensor) return;
  if (d.source_name == tile) {
    throw Error(where + "source.tensor", "the tile is named as its own source",
                "name the tensor in global memory that the tile was copied from");
  }
  const auto it = tensors.find(d.source_name);
  if (it == tensors.end()) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors) names.push_back(name);
    const auto close = closest(d.source_name, names);
    throw Error(where + "source.tensor",
                fmt::format("no tensor `{:.80}` in the file", d.source_name),
                close ? fmt::format("did you mean `{:.80}`?", *close)
                      : std::string("put the source into the file, or name a pattern"));
  }
  d.source.bytes = it->second->bytes;
}

DumpedTile read_tile(const std::string& path, const SafeTensor& tensor, const std::string* json,
                     const ByName& tensors, ReadMap& last_map) {
  DumpedTile tile;
  tile.name = tensor.name;
  tile.window.bytes = tensor.bytes;
  const std::string where = fmt::format("{}: tile `{:.80}`: ", path, tensor.name);
  try {
    if (json == nullptr) {
      throw Error(where + "description", "no description",
                  fmt::format("add the key `{:.80}` to the metadata; see docs/dump-format.md",
                              tensor.name));
    }
    if (tensor.dtype != "U8") {
      throw Error(where + "dtype", fmt::format("tiles are bytes, this is {}", tensor.dtype),
                  "dtype \"U8\", shape [bytes]");
    }
    if (tensor.bytes.empty()) throw Error(where + "shape", "the tile has no bytes", "dump it");
    TileDescription d = parse_description(where, *json, &last_map);
    find_source(where, tensor.name, tensors, d);
    tile.window.address = d.smem_address;
    tile.description = std::move(d);
  } catch (const Error& e) {
    tile.problem = {e.where, e.message, e.hint};
  }
  return tile;
}

/// Names of the tensors that some description names as its source.  A description too broken to
/// be read names none.
std::set<std::string> sources_of(const std::vector<DumpedTile>& tiles) {
  std::set<std::string> names;
  for (const DumpedTile& tile : tiles) {
    if (tile.description && tile.description->source.kind == Source::Kind::tensor) {
      names.insert(tile.description->source_name);
    }
  }
  return names;
}

void read_facts(const SafeTensors& file, const ByName& tensors, DumpFile& out) {
  for (const auto& [key, value] : file.metadata) {
    const bool fact = std::find(std::begin(kFacts), std::end(kFacts), key) != std::end(kFacts);
    if (fact) {
      out.facts[key] = value;
    } else if (key != kVersionKey && !tensors.contains(key) && value.starts_with('{')) {
      out.missing = true;
      out.notes.push_back(
          fmt::format("the metadata describes `{:.80}`, which is not in the file", key));
    }
  }
  const auto version = file.metadata.find(kVersionKey);
  if (version == file.metadata.end()) {
    out.notes.emplace_back("the metadata has no key `layout-check`: not written as a dump file?");
  } else if (version->second != kVersion) {
    throw Error(out.path + ": __metadata__.layout-check",
                fmt::format("format version {:.20} is not known", version->second),
                fmt::format("this program reads version {}", kVersion));
  }
}

}  // namespace

DumpFile read_dump(const std::string& path, std::span<const std::uint8_t> bytes) {
  const SafeTensors file = parse_safetensors(path, bytes);
  ByName tensors;
  for (const SafeTensor& t : file.tensors) tensors.emplace(t.name, &t);
  DumpFile out;
  out.path = path;
  read_facts(file, tensors, out);
  ReadMap last_map;
  for (const SafeTensor& t : file.tensors) {
    const auto json = file.metadata.find(t.name);
    out.tiles.push_back(read_tile(path, t, json == file.metadata.end() ? nullptr : &json->second,
                                  tensors, last_map));
  }
  const std::set<std::string> sources = sources_of(out.tiles);
  std::erase_if(out.tiles, [&](const DumpedTile& tile) {
    return !tile.description && !file.metadata.contains(tile.name) && sources.contains(tile.name);
  });
  if (out.tiles.empty()) {
    throw Error(path, "the file has no tiles", "describe its tensors; see docs/dump-format.md");
  }
  return out;
}

}  // namespace lc::verify
