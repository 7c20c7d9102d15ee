#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Writes dump files: named pieces of shared memory, each with a description of what should be in
// it.  The format is safetensors, the descriptions are JSON texts in its metadata
// (docs/dump-format.md).  C++17, no other dependency; smem_dump.h fills it from a running kernel.
namespace lc::kernel {

struct SmemDumpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The arguments of cuTensorMapEncodeTiled in their order, enumerators as the driver numbers them.
/// Vectors are innermost first; global_strides has one entry less.
struct TensorMapCall {
  int data_type = 0;
  std::uint64_t global_address = 0;
  std::vector<std::uint64_t> global_dim, global_strides;
  std::vector<std::uint32_t> box_dim, element_strides;
  int interleave = 0, swizzle = 0, l2_promotion = 0, oob_fill = 0;

  /// The same call, from what the program passed to the driver.
  static TensorMapCall of(int data_type, unsigned rank, const void* address,
                          const std::uint64_t* dim, const std::uint64_t* strides,
                          const std::uint32_t* box, const std::uint32_t* element_strides,
                          int interleave, int swizzle, int l2_promotion, int oob_fill) {
    if (rank < 1 || rank > 5) throw SmemDumpError("a tensor map has a rank of 1 to 5");
    return {data_type,         reinterpret_cast<std::uintptr_t>(address),
            {dim, dim + rank}, {strides, strides + (rank - 1)},
            {box, box + rank}, {element_strides, element_strides + rank},
            interleave,        swizzle,
            l2_promotion,      oob_fill};
  }
};

/// How the tensor core reads the tile; the descriptor itself comes from the kernel.
struct OperandTile {
  std::string element, major;  ///< "f16", "k" or "mn"
  std::uint32_t mn = 0, k = 0;
  unsigned container = 0;  ///< 8 for 4- and 6-bit elements kept in 16-byte cells of 16
  std::string arch{};      ///< form of the descriptor, "sm_90" or "sm_100"; empty: of the device
  /// Extents of the source along mn and k: elements past them are zero in shared memory.  The
  /// kernel gives the coordinates (mn, k) of the tile's first element.
  std::vector<std::uint64_t> bounds{};
};

/// Where the values came from: a tensor of the same file, or the pattern mix32(seed).  If the
/// kernel gives coordinates (mn, k) with an operand tile, byte_offset counts for (0, 0) of the
/// matrix.
struct TileSource {
  std::string tensor;  ///< empty: the pattern
  std::uint64_t seed = 0, byte_offset = 0;
  std::vector<std::uint64_t> strides;  ///< operand tiles: bytes from mn to mn+1, from k to k+1
};

/// What the host knows about all tiles of one name.  Set `map` or `operand`.
struct TileDescription {
  bool has_map = false, has_operand = false, has_source = false;
  TensorMapCall map;
  OperandTile operand;
  TileSource source;
  int untouched = -1;  ///< value that bytes outside the tile still have; -1: anything
  std::string kernel, command;

  static TileDescription copied_by_tma(TensorMapCall call) {
    TileDescription d;
    d.has_map = true;
    d.map = std::move(call);
    return d;
  }
  static TileDescription read_as(OperandTile operand) {
    TileDescription d;
    d.has_operand = true;
    d.operand = std::move(operand);
    return d;
  }
  /// Names the kernel in the file.
  TileDescription& in(std::string kernel_name) {
    kernel = std::move(kernel_name);
    return *this;
  }
  TileDescription& from(TileSource s) {
    has_source = true;
    source = std::move(s);
    return *this;
  }
};

/// What the kernel said about one tile.
struct TileFacts {
  std::string name, device, obtained = "hardware";
  std::uint32_t cta[3] = {}, stage = 0, repeat = 0;
  std::uint32_t smem_address = 0, destination = 0;
  std::vector<std::int32_t> coordinates;
  bool has_descriptor = false;
  std::uint64_t descriptor = 0;
  unsigned arch = 0;  ///< 900, 1000
};

namespace json {

inline std::string quoted(const std::string& text) {
  static const char* const kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char raw : text) {
    const auto c = static_cast<unsigned char>(raw);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += raw;
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      out += raw;
    }
  }
  return out + "\"";
}

inline std::string hex(std::uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "\"0x" + digits + "\"";
}

template <class List>
std::string list(const List& values) {
  std::string out = "[";
  for (const auto& v : values) {
    if (out.size() > 1) out += ',';
    out += std::to_string(v);
  }
  return out + "]";
}

/// An object, member by member; `value` is JSON already.
class Object {
 public:
  Object& add(const std::string& key, const std::string& value) {
    text_ += text_.empty() ? '{' : ',';
    text_ += quoted(key) + ":" + value;
    return *this;
  }
  Object& add(const std::string& key, std::uint64_t value) {
    return add(key, std::to_string(value));
  }
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace json

/// Spelling of the driver's enumerators (CUtensorMapDataType and so on).
inline std::string spelled(const std::vector<std::string>& names, int value, const char* what) {
  if (value < 0 || static_cast<std::size_t>(value) >= names.size()) {
    throw SmemDumpError(std::string(what) + " " + std::to_string(value) + " has no name");
  }
  return json::quoted(names[static_cast<std::size_t>(value)]);
}

inline std::string json_text(const TensorMapCall& call) {
  static const std::vector<std::string> kTypes{
      "u8",       "u16",          "u32",           "s32",          "u64",     "s64",
      "f16",      "f32",          "f64",           "bf16",         "f32_ftz", "tf32",
      "tf32_ftz", "16u4_align8b", "16u4_align16b", "16u6_align16b"};
  static const std::vector<std::string> kInterleave{"none", "16B", "32B"};
  static const std::vector<std::string> kSwizzle{
      "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
  static const std::vector<std::string> kPromotion{"none", "64B", "128B", "256B"};
  static const std::vector<std::string> kFill{"zero", "nan"};
  return json::Object()
      .add("data_type", spelled(kTypes, call.data_type, "data type"))
      .add("global_address", json::hex(call.global_address))
      .add("global_dim", json::list(call.global_dim))
      .add("global_strides", json::list(call.global_strides))
      .add("box_dim", json::list(call.box_dim))
      .add("element_strides", json::list(call.element_strides))
      .add("interleave", spelled(kInterleave, call.interleave, "interleave"))
      .add("swizzle", spelled(kSwizzle, call.swizzle, "swizzle"))
      .add("l2_promotion", spelled(kPromotion, call.l2_promotion, "L2 promotion"))
      .add("oob_fill", spelled(kFill, call.oob_fill, "out-of-bounds fill"))
      .text();
}

inline std::string json_text(const TileSource& source) {
  json::Object out;
  if (source.tensor.empty()) {
    out.add("pattern", "\"mix32\"").add("seed", json::hex(source.seed));
  } else {
    out.add("tensor", json::quoted(source.tensor));
  }
  return out.add("byte_offset", source.byte_offset).text();
}

/// Bytes from the source's first element to the first of an operand tile.
inline std::uint64_t offset_of(const TileFacts& facts, const TileDescription& description) {
  std::uint64_t offset = description.source.byte_offset;
  const std::vector<std::uint64_t>& strides = description.source.strides;
  if (description.has_map || facts.coordinates.size() != 2 || strides.size() != 2) return offset;
  for (std::size_t i = 0; i < 2; ++i) {
    offset += static_cast<std::uint64_t>(facts.coordinates[i]) * strides[i];
  }
  return offset;
}

/// The description of one tile.  Throws when kernel and host do not say enough together.
inline std::string json_text(const TileFacts& facts, const TileDescription& description) {
  const std::string tile = "tile `" + facts.name + "`: ";
  json::Object out;
  std::string arch = facts.arch >= 1000 ? "sm_100" : "sm_90";
  if (description.has_operand && !description.operand.arch.empty()) arch = description.operand.arch;
  out.add("arch", json::quoted(arch));
  out.add("smem_address", facts.smem_address);
  if (description.has_map) {
    if (facts.coordinates.size() != description.map.box_dim.size()) {
      throw SmemDumpError(tile + "described by a tensor map of rank " +
                          std::to_string(description.map.box_dim.size()) +
                          ", but the kernel gave " + std::to_string(facts.coordinates.size()) +
                          " coordinates; try: SmemTile(...).coordinates(c0, c1, ...)");
    }
    out.add("tensor_map", json_text(description.map));
    out.add("coordinates", json::list(facts.coordinates));
    out.add("destination", facts.destination);
  }
  if (description.has_operand) {
    if (!facts.has_descriptor) {
      throw SmemDumpError(tile + "described as an operand, but the kernel gave no descriptor; " +
                          "try: SmemTile(...).descriptor(desc)");
    }
    const OperandTile& operand = description.operand;
    out.add("descriptor", json::hex(facts.descriptor));
    out.add("major", json::quoted(operand.major)).add("element", json::quoted(operand.element));
    out.add("mn", operand.mn).add("k", operand.k);
    if (operand.container != 0) out.add("container", operand.container);
    if (operand.bounds.size() == 2) {
      if (facts.coordinates.size() != 2) {
        throw SmemDumpError(tile + "has bounds, but the kernel gave " +
                            std::to_string(facts.coordinates.size()) +
                            " coordinates; try: SmemTile(...).coordinates(mn, k)");
      }
      const auto at = [&](std::size_t i) {
        return static_cast<std::uint64_t>(facts.coordinates[i]);
      };
      out.add("source_bounds",
              json::list(std::vector{at(0), operand.bounds[0], at(1), operand.bounds[1]}));
    }
  }
  if (description.has_source) {
    TileSource source = description.source;
    source.byte_offset = offset_of(facts, description);
    out.add("source", json_text(source));
    if (!description.source.strides.empty()) {
      out.add("source_strides", json::list(description.source.strides));
    }
  }
  if (description.untouched >= 0) {
    out.add("untouched", static_cast<std::uint64_t>(description.untouched));
  }
  if (!description.kernel.empty()) out.add("kernel", json::quoted(description.kernel));
  out.add("cta", json::list(facts.cta)).add("stage", facts.stage);
  if (facts.repeat != 0) out.add("repeat", facts.repeat);
  if (!facts.device.empty()) out.add("device", json::quoted(facts.device));
  if (!description.command.empty()) out.add("command", json::quoted(description.command));
  return out.add("obtained", json::quoted(facts.obtained)).text();
}

/// A dump file in memory.
class DumpFile {
 public:
  struct Tensor {
    std::string name;
    std::vector<unsigned char> bytes;
    std::string description;  ///< JSON text; empty for a tensor that is only a source
  };

  /// A fact about the whole file: "device", "driver", "runtime", "command", "created_by".
  void set_fact(const std::string& key, const std::string& value) { facts_[key] = value; }

  void add(Tensor tensor) { tensors_.push_back(std::move(tensor)); }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& facts() const { return facts_; }

  /// The 8-byte length and the JSON text that stand before the bytes.
  std::string header() const {
    check_names();
    json::Object metadata;
    metadata.add("layout-check", "\"1\"");
    for (const auto& [key, value] : facts_) metadata.add(key, json::quoted(value));
    json::Object out;
    for (const Tensor& t : tensors_) {
      if (!t.description.empty()) metadata.add(t.name, json::quoted(t.description));
    }
    out.add("__metadata__", metadata.text());
    std::uint64_t offset = 0;
    for (const Tensor& t : tensors_) {
      const std::uint64_t end = offset + t.bytes.size();
      out.add(t.name, json::Object()
                          .add("dtype", "\"U8\"")
                          .add("shape", json::list(std::vector<std::uint64_t>{t.bytes.size()}))
                          .add("data_offsets", json::list(std::vector<std::uint64_t>{offset, end}))
                          .text());
      offset = end;
    }
    std::string text = out.text();
    while (text.size() % 8 != 0) text += ' ';
    std::string length;
    for (unsigned i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> 8 * i & 0xFF);
    return length + text;
  }

  void write(const std::string& path) const {
    const std::string head = header();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) throw SmemDumpError(path + ": cannot be opened for writing");
    file.write(head.data(), static_cast<std::streamsize>(head.size()));
    for (const Tensor& t : tensors_) {
      file.write(reinterpret_cast<const char*>(t.bytes.data()),
                 static_cast<std::streamsize>(t.bytes.size()));
    }
    file.close();
    if (!file) throw SmemDumpError(path + ": writing failed; is the disk full?");
  }

 private:
  /// Names share one map with the facts in the metadata.
  void check_names() const {
    std::set<std::string> taken{"__metadata__", "layout-check", ""};
    for (const auto& fact : facts_) taken.insert(fact.first);
    for (const Tensor& t : tensors_) {
      if (!taken.insert(t.name).second) {
        throw SmemDumpError("tensor name `" + t.name + "` is taken or not allowed; try another");
      }
    }
  }

  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> facts_;
};

/// Tensor names: the tile's name, and of CTA, stage and repetition those that tell tiles apart.
inline void number_and_name(std::vector<std::pair<TileFacts, DumpFile::Tensor>>& tiles) {
  using Cta = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Seen {
    std::set<Cta> ctas;
    std::set<std::uint32_t> stages;
    std::map<std::pair<Cta, std::uint32_t>, std::uint32_t> count;
  };
  std::map<std::string, Seen> seen;
  for (auto& [facts, tensor] : tiles) {
    Seen& s = seen[facts.name];
    const Cta cta{facts.cta[2], facts.cta[1], facts.cta[0]};
    s.ctas.insert(cta);
    s.stages.insert(facts.stage);
    facts.repeat = s.count[{cta, facts.stage}]++;
  }
  for (auto& [facts, tensor] : tiles) {
    const Seen& s = seen[facts.name];
    tensor.name = facts.name;
    if (s.ctas.size() > 1) {
      tensor.name += "/cta" + std::to_string(facts.cta[0]) + "." + std::to_string(facts.cta[1]) +
                     "." + std::to_string(facts.cta[2]);
    }
    if (s.stages.size() > 1) tensor.name += "/stage" + std::to_string(facts.stage);
    if (facts.repeat != 0) tensor.name += "/repeat" + std::to_string(facts.repeat);
  }
}

}  // namespace lc::kernel
