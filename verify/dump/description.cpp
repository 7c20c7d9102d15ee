#include "verify/dump/description.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/layout/operand_rules.h"
#include "sim/layout/tma_copy.h"
#include "verify/dump/json_reader.h"
#include "verify/error.h"
#include "verify/findings.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/tensor_map_request.h"
#include "verify/request.h"

namespace lc::verify {
namespace {

constexpr std::size_t kMaxBarriers = 4096;
constexpr std::size_t kMaxText = 100'000;

/// The largest |stride| and offset: sums of a few of them with extents stay inside 64 bits.
constexpr std::int64_t kMaxStride = std::int64_t{1} << 40;
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 60;

[[noreturn]] void refuse(const Request& request, const Findings& findings) {
  for (const Finding& f : findings) {
    if (f.rule.severity == Severity::error) {
      request.fail(field_of(f), message_of(f), "no such tile can exist: check the description");
    }
  }
  request.fail("", "no such tile can exist");
}

/// A description's text, cut so that a tensor map that is known already need not be parsed.
struct Text {
  std::string map;   ///< the value of `tensor_map`, as written
  std::string rest;  ///< the description with `{}` there
};

Text cut(const std::string& where, const std::string& json) {
  JsonReader reader(where + "description",
                    {reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
  std::size_t begin = 0, end = 0;
  reader.object("", [&](const std::string& key) {
    const std::size_t before = reader.position();
    reader.skip(key);
    if (key == "tensor_map") begin = before, end = reader.position();
  });
  reader.finish();
  return {json.substr(begin, end - begin), json.substr(0, begin) + "{}" + json.substr(end)};
}

void read_map(const Request& request, const std::string& where, ReadMap& read) {
  const Request map(request.raw("tensor_map"), where + "tensor_map.");
  read.map = read_tensor_map(map);
  read.ignored.clear();
  for (const std::string& field : map.ignored_fields()) {
    read.ignored.push_back("tensor_map." + field);
  }
  if (!has_legal_rank(read.map)) {
    map.fail("global_dim", fmt::format("{} dimensions", read.map.rank), "1 to 5");
  }
}

void read_box(const Request& request, const std::string& where, const ReadMap& read,
              TileDescription& d) {
  d.kind = TileDescription::Kind::tensor_map;
  d.map = read.map;
  d.ignored = read.ignored;
  const Request map(request.raw("tensor_map"), where + "tensor_map.");
  d.coordinates = read_coordinates(request, d.map.rank);
  d.destination = request.number_or("destination", d.smem_address, 0, UINT32_MAX);
  const TmaVerdict verdict = check_tma_load(d.map, d.coordinates, d.destination, d.arch);
  if (verdict.outcome == TmaOutcome::refused) refuse(map, verdict.findings);
  if (verdict.outcome != TmaOutcome::ok) refuse(request, verdict.findings);
  const TmaBox box = make_tma_box(d.map, d.coordinates, d.destination);
  if (box.footprint > kSmemWindowEnd) {
    request.fail("tensor_map.box_dim",
                 fmt::format("the box takes {} bytes of shared memory", box.footprint),
                 fmt::format("a CTA has at most {}", kSmemWindowEnd));
  }
}

void read_strides(const Request& request, TileDescription& d) {
  if (!request.has("source_strides")) return;
  const std::vector<std::int64_t> strides = request.integers("source_strides", 2);
  if (strides.size() != 2) {
    request.fail("source_strides", "expected two numbers", "[bytes per mn, bytes per k]");
  }
  for (const std::int64_t s : strides) {
    if (s > kMaxStride || s < -kMaxStride) {
      request.fail("source_strides", fmt::format("{} is out of range", s), "below 2^40");
    }
  }
  const bool packed =
      d.kind == TileDescription::Kind::descriptor && element_format(d.element).bits < 8;
  if (packed) {
    request.fail("source_strides", "sources of 4- and 6-bit elements are dense",
                 "leave the field out");
  }
  d.source_strides = TileDescription::Strides{strides[0], strides[1]};
}

void read_bounds(const Request& request, TileDescription& d) {
  if (!request.has("source_bounds")) return;
  const std::vector<std::int64_t> b = request.integers("source_bounds", 4);
  if (b.size() != 4) {
    request.fail("source_bounds", "expected four numbers",
                 "[first mn, size along mn, first k, size along k], in elements");
  }
  for (const std::int64_t value : b) {
    if (value < 0 || value > kMaxStride) {
      request.fail("source_bounds", fmt::format("{} is out of range", value), "0 to 2^40");
    }
  }
  d.source_bounds = TileDescription::Bounds{b[0], b[1], b[2], b[3]};
}

void read_operand(const Request& request, TileDescription& d) {
  d.kind = TileDescription::Kind::descriptor;
  d.descriptor_word = request.number("descriptor");
  d.descriptor = read_descriptor(request, d.arch);
  d.major = request.choice<Major>("major");
  const ElementChoice e = read_element(request);
  d.element = e.element, d.container = e.container;
  const Extents extents = read_extents(request);
  d.mn = extents.mn, d.k = extents.k;
  read_strides(request, d);
  read_bounds(request, d);
}

void read_scales(const Request& request, const std::string& where, TileDescription& d) {
  d.kind = TileDescription::Kind::scale_factors;
  const Request scale(request.raw("scale_factors"), where + "scale_factors.");
  d.scale.mn = scale.number("mn", 1, kMaxExtent);
  d.scale.k = scale.number("k", 1, kMaxExtent);
  d.scale.order = scale.choice_or<AtomOrder>("block_order", AtomOrder::k_first);
  if (d.scale.mn % ScaleTile::kBlockMn != 0 || d.scale.k % ScaleTile::kBlockK != 0) {
    scale.fail("mn", fmt::format("{} x {} are no whole blocks", d.scale.mn, d.scale.k),
               "blocks are 128 x 4: pad the scale factors to a multiple");
  }
  if (d.scale.bytes() > kSmemWindowEnd) {
    scale.fail("mn", fmt::format("{} bytes fit no shared memory", d.scale.bytes()),
               fmt::format("a CTA has at most {}", kSmemWindowEnd));
  }
  d.destination = request.number_or("destination", d.smem_address, 0, UINT32_MAX);
  for (const std::string& field : scale.ignored_fields()) {
    d.ignored.push_back("scale_factors." + field);
  }
  read_strides(request, d);
}

void read_source(const Request& request, const std::string& where, TileDescription& d) {
  const Request source(request.raw("source"), where + "source.");
  if (source.has("tensor") == source.has("pattern")) {
    source.fail("tensor", "a source is either a tensor or a pattern",
                "\"tensor\": \"A_global\", or \"pattern\": \"mix32\" with \"seed\"");
  }
  if (source.has("tensor")) {
    d.source_name = source.text("tensor");
    d.source.kind = Source::Kind::tensor;
  } else {
    d.source_name = source.text("pattern");
    if (d.source_name != "mix32") {
      source.fail("pattern", fmt::format("unknown name \"{:.60}\"", d.source_name), "mix32");
    }
    d.source.kind = Source::Kind::mix32;
    d.source.seed = static_cast<std::uint32_t>(source.number("seed", 0, UINT32_MAX));
  }
  // Negative: the source begins behind that byte.  Sums of it are taken modulo 2^64.
  const std::int64_t offset = source.integer_or("byte_offset", 0);
  if (offset > kMaxOffset || offset < -kMaxOffset) {
    source.fail("byte_offset", fmt::format("{} is out of range", offset), "below 2^60");
  }
  d.source_offset = static_cast<std::uint64_t>(offset);
  for (const std::string& field : source.ignored_fields()) d.ignored.push_back("source." + field);
}

void read_facts(const Request& request, TileDescription& d) {
  const auto text = [&](const char* field) {
    return request.has(field) ? request.text(field) : std::string();
  };
  d.kernel = text("kernel"), d.device = text("device"), d.command = text("command");
  d.obtained = text("obtained");
  d.stage = request.number_or("stage", 0);
  request.has("repeat");
  if (request.has("cta")) d.cta = request.numbers("cta", 3);
}

}  // namespace

namespace {

Question parsed(const std::string& where, const std::string& json) {
  try {
    return Question::parse(json);
  } catch (const Question::exception&) {
    throw Error(where + "description", fmt::format("is not JSON: {:.60}", json),
                "one JSON object as text; see docs/dump-format.md");
  }
}

}  // namespace

TileDescription parse_description(const std::string& where, const std::string& json,
                                  ReadMap* last) {
  if (json.size() > kMaxText) {
    throw Error(where + "description", fmt::format("{} bytes are too long", json.size()),
                "a description is one small JSON object");
  }
  ReadMap own;
  ReadMap& read = last == nullptr ? own : *last;
  const Text text = last == nullptr ? Text{} : cut(where, json);
  const bool known = !text.map.empty() && text.map == read.text;
  const Question question = parsed(where, known ? text.rest : json);
  const Request request(question, where);
  TileDescription d;
  d.arch = request.choice<Arch>("arch");
  d.smem_address = request.number("smem_address", 0, UINT32_MAX);
  if (request.has("tensor_map")) {
    if (!known) {
      read.text.clear();
      read_map(request, where, read);
      read.text = text.map;
    }
    read_box(request, where, read, d);
  } else if (request.has("descriptor")) {
    read_operand(request, d);
  } else if (request.has("scale_factors")) {
    read_scales(request, where, d);
  } else {
    request.fail("tensor_map", "the tile has neither a tensor map nor a descriptor",
                 "say how it was written (tensor_map, coordinates) or is read (descriptor, …)");
  }
  read_source(request, where, d);
  if (request.has("untouched")) {
    d.untouched = static_cast<std::uint8_t>(request.number("untouched", 0, 255));
  }
  if (request.has("barriers")) d.barriers = request.numbers("barriers", kMaxBarriers);
  read_facts(request, d);
  for (const std::string& field : request.ignored_fields()) d.ignored.push_back(field);
  return d;
}

}  // namespace lc::verify
