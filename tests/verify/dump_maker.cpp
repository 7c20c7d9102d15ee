#include "tests/verify/dump_maker.h"

#include "verify/check/compare.h"

namespace lc::tests {

using namespace verify;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string made_file(const std::vector<MadeTile>& tiles, const std::vector<MadeSource>& sources) {
  std::vector<NamedBytes> tensors;
  std::map<std::string, std::string> metadata{{"layout-check", "1"}};
  for (const MadeTile& t : tiles) {
    tensors.push_back({t.name, t.bytes});
    metadata[t.name] = description_text(t.description);
  }
  for (const MadeSource& s : sources) tensors.push_back({s.name, s.bytes});
  return safetensors_file(tensors, metadata);
}

FileReport checked(const std::vector<MadeTile>& tiles, const std::vector<MadeSource>& sources) {
  const std::string file = made_file(tiles, sources);
  return check_bytes("made", bytes_of(file));
}

TileDescription box_description() {
  TileDescription d;
  d.smem_address = d.destination = 0x400;
  d.map.data_type = DataType::bf16;
  d.map.rank = 2;
  d.map.global_address = 0x7f0000000000;
  d.map.global_dim = {256, 64, 1, 1, 1};
  d.map.global_stride = {512};
  d.map.box_dim = {64, 16, 1, 1, 1};
  d.map.swizzle = Swizzle::b128;
  d.source.kind = Source::Kind::mix32;
  d.source.seed = 0x1000000;
  d.source_name = "mix32";
  return d;
}

TileDescription operand_description() {
  TileDescription d = box_description();
  d.kind = TileDescription::Kind::descriptor;
  d.descriptor = {0x400, 16, 1024, 0, LboMode::relative, Swizzle::b128};
  d.descriptor_word = encode_smem_descriptor(Arch::sm_90, d.descriptor);
  d.major = Major::k;
  d.element = Element::f16;
  d.mn = d.k = 64;
  return d;
}

std::vector<std::uint8_t> right_bytes(const TileDescription& d, std::size_t bytes) {
  std::vector<std::uint8_t> poison(bytes, d.untouched.value_or(0xCD));
  const Window window{d.smem_address, poison};
  const Rendering r = render(image_of(d), d.source, window, d.untouched, {});
  for (std::size_t i = 0; i < bytes; ++i) {
    if (r.state[i] == ByteState::tile) poison[i] = r.expected[i];
  }
  return poison;
}

}  // namespace lc::tests
