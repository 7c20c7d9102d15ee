#include "verify/check/diagnose.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "kernel/probe_sampler.h"
#include "sim/layout/canonical.h"
#include "sim/layout/operand_rules.h"
#include "sim/layout/tma_copy.h"
#include "tests/test.h"
#include "tests/verify/dump_maker.h"
#include "verify/check/walk.h"

using namespace lc;
using namespace lc::verify;
using lc::kernel::Random;
using lc::tests::box_description;
using lc::tests::operand_description;
using lc::tests::right_bytes;

BOOST_AUTO_TEST_SUITE(diagnose_tests)

namespace {

constexpr std::uint8_t kPoison = 0xCD;

/// A tile with its window, and everything that a search needs.
struct Scene {
  DumpedTile tile;
  std::vector<DumpedTile> neighbours;
  Image image;

  Scene(const TileDescription& d, std::span<const std::uint8_t> bytes) : image(image_of(d)) {
    tile.name = "tile";
    tile.description = d;
    tile.window = {d.smem_address, bytes};
  }
  Rendering right() const {
    return render(image, tile.description->source, tile.window, tile.description->untouched, {});
  }
  template <class F>
  auto with_subject(F&& f) const {
    const ChunkIndex index = index_of_source(image, tile.description->source);
    const Evidence evidence(image, tile.description->source, tile.window, index);
    return f(Subject{tile, neighbours, image, evidence});
  }
  Diagnosis diagnosed() const {
    const Rendering r = right();
    return with_subject([&](const Subject& s) { return diagnose(s, r); });
  }
};

Diagnosis diagnosis_of(const TileDescription& d, const std::vector<std::uint8_t>& bytes) {
  return Scene(d, bytes).diagnosed();
}

bool names(const Diagnosis& d, const std::string& kind) {
  return std::any_of(d.explanations.begin(), d.explanations.end(),
                     [&](const Explanation& e) { return e.kind == kind; });
}

std::string text_of(const Diagnosis& d) {
  std::string text = d.damage;
  for (const Explanation& e : d.explanations) {
    text += (text.empty() ? "" : " | ") + e.kind + ": " + e.text;
  }
  return text;
}

Hypotheses all_proposals(const Scene& scene) {
  return scene.with_subject([](const Subject& s) {
    Hypotheses out;
    const bool box = s.description().kind == TileDescription::Kind::tensor_map;
    for (const auto generators :
         {box ? box_generators() : operand_generators(), image_generators()}) {
      for (const Generator& g : generators) g.propose(s, out);
    }
    return out;
  });
}

std::vector<std::uint8_t> bytes_of_image(const Image& image, const Source& source,
                                         std::uint64_t address, std::size_t size) {
  std::vector<std::uint8_t> bytes(size, kPoison);
  const Rendering r = render(image, source, {address, bytes}, kPoison, {});
  for (std::size_t i = 0; i < size; ++i) {
    if (r.state[i] == ByteState::tile) bytes[i] = r.expected[i];
  }
  return bytes;
}

/// Some changes make elements share bytes: no dump can hold such an image.
bool contradicts_itself(const Hypothesis& h, const TileDescription& d,
                        const std::vector<std::uint8_t>& bytes) {
  const Window window{d.smem_address, bytes};
  const Rendering r = render(h.image, h.source, window, kPoison, {});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (r.differs(window, i)) return true;
  }
  return false;
}

/// A random legal box in a window with room around it.
TileDescription random_box(Random& random) {
  const kernel::TmaTile tile = kernel::random_tma_tile(random, 4096);
  TileDescription d = box_description();
  d.map.rank = static_cast<int>(tile.map.box_dim.size());
  d.map.data_type = static_cast<DataType>(tile.map.data_type);
  for (std::size_t k = 0; k < tile.map.box_dim.size(); ++k) {
    d.map.global_dim[k] = tile.map.global_dim[k];
    d.map.box_dim[k] = tile.map.box_dim[k];
    d.map.element_stride[k] = tile.map.element_strides[k];
    d.coordinates[k] = tile.coordinates[k];
    if (k != 0) d.map.global_stride[k - 1] = tile.map.global_strides[k - 1];
  }
  d.map.interleave = static_cast<Interleave>(tile.map.interleave);
  d.map.swizzle = static_cast<Swizzle>(tile.map.swizzle);
  d.map.oob_fill = static_cast<OobFill>(tile.map.oob_fill);
  d.destination = tile.destination;
  d.smem_address = std::max<std::uint64_t>(tile.destination, 0x800) - 0x400;
  d.source_offset = tile.source_offset + 0x100000;
  d.untouched = kPoison;
  return d;
}

std::size_t window_of(const TileDescription& d) {
  const Image image = image_of(d);
  std::uint64_t last = 0;
  for (std::size_t a = 0; a < image.axis_count; ++a) {
    last += image.axis[a].offset(image.axis[a].count - 1);
  }
  const std::uint64_t columns =
      image.width >= image.row_bytes() ? 0 : image.row_bytes() / image.width * image.column_step;
  return image.start + last + columns + image.row_bytes() - d.smem_address + 0x800;
}

TileDescription random_operand(Random& random) {
  TileDescription d = operand_description();
  constexpr Element kElements[] = {Element::f16, Element::tf32, Element::e4m3, Element::e2m1};
  d.arch = Arch::sm_100;
  d.element = kElements[random.below(4)];
  const std::uint32_t bits = element_format(d.element).bits;
  d.major = bits >= 8 && random.percent(50) ? Major::mn : Major::k;
  const Swizzle swizzle = kOperandSwizzles[random.below(4)];
  const std::uint64_t cell = 128 / bits, span = swizzle_row(swizzle).span * 8 / bits;
  d.k = d.major == Major::k ? (swizzle == Swizzle::none ? cell * random.between(1, 4) : span)
                            : 8 * random.between(1, 4);
  d.mn = d.major == Major::k ? 8 * random.between(1, 6) : cell * random.between(1, 12);
  OperandTile tile{d.arch,  d.element, d.container,
                   d.major, swizzle,   AtomOrder::mn_first,
                   d.mn,    d.k,       0x1000 + 128 * random.below(20)};
  if (random.percent(50)) tile.order = AtomOrder::k_first;
  const TileGeometry g = tile_geometry(tile);
  d.descriptor.swizzle = swizzle;
  d.descriptor.start_address = tile.start_address;
  const bool group_is_lbo = d.major == Major::mn && swizzle == Swizzle::none;
  d.descriptor.leading_byte_offset = group_is_lbo ? g.group_step : g.column_step;
  d.descriptor.stride_byte_offset = group_is_lbo ? g.column_step : g.group_step;
  d.descriptor.base_offset = random.percent(30) ? random.below(8) : 0;
  d.descriptor_word = encode_smem_descriptor(d.arch, d.descriptor);
  d.source_offset = 0x100000;
  if (bits >= 8 && random.percent(50)) {
    const std::int64_t bytes = bits / 8;
    const std::int64_t pitch =
        static_cast<std::int64_t>((d.major == Major::k ? d.k : d.mn)) * bytes +
        16 * static_cast<std::int64_t>(random.below(20));
    d.source_strides = d.major == Major::k ? TileDescription::Strides{pitch, bytes}
                                           : TileDescription::Strides{bytes, pitch};
  }
  d.smem_address = 0x800;
  d.untouched = kPoison;
  return d;
}

/// Writes down, for every proposal, the bytes it would leave, and asks for the reason.
void require_all_named(const TileDescription& d, std::map<std::string, int>& tested) {
  const std::size_t size = window_of(d);
  const std::vector<std::uint8_t> right = right_bytes(d, size), blank(size, kPoison);
  // A blank window gives no evidence: these are the proposals that are always made.
  for (const Hypothesis& h : all_proposals(Scene(d, blank))) {
    const std::vector<std::uint8_t> bytes = bytes_of_image(h.image, h.source, d.smem_address, size);
    const auto differing = static_cast<std::uint64_t>(std::inner_product(
        bytes.begin(), bytes.end(), right.begin(), 0, std::plus<>(), std::not_equal_to<>()));
    if (differing < 32 || contradicts_itself(h, d, bytes)) continue;
    const Diagnosis found = diagnosis_of(d, bytes);
    BOOST_TEST_REQUIRE(found.differing == differing);
    BOOST_TEST_REQUIRE(found.complete(), description_text(d) << "\n"
                                                             << h.kind << ": " << h.text
                                                             << "\nnamed " << text_of(found));
    BOOST_TEST_REQUIRE((names(found, h.kind) || names(found, "unwritten")),
                       description_text(d)
                           << "\n"
                           << h.kind << ": " << h.text << "\nnamed " << text_of(found));
    ++tested[h.kind];
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_change_of_a_box_is_named) {
  Random random(11);
  std::map<std::string, int> tested;
  for (int i = 0; i < 16; ++i) require_all_named(random_box(random), tested);
  for (const char* kind :
       {"swizzle", "element-size", "interleave", "fill", "element-stride", "global-stride",
        "coordinates", "box-order", "box", "base-phase", "key-bits", "row-keys", "start",
        "row-pitch", "transposed", "tf32", "byte-order"}) {
    BOOST_TEST(tested[kind] > 0, kind);
  }
}

BOOST_AUTO_TEST_CASE(every_change_of_an_operand_is_named) {
  Random random(12);
  std::map<std::string, int> tested;
  for (int i = 0; i < 16; ++i) require_all_named(random_operand(random), tested);
  for (const char* kind : {"swizzle", "lbo", "sbo", "lbo-sbo", "units", "atom-order", "major",
                           "element-size", "source-stride", "transposed", "coordinates",
                           "base-phase", "key-bits", "row-keys", "start", "row-pitch"}) {
    BOOST_TEST(tested[kind] > 0, kind);
  }
}

namespace {

/// Bytes that `was` asks for, described as `is`.
void require_named(const TileDescription& was, const TileDescription& is, const char* kind) {
  const std::size_t size = std::max(window_of(was), window_of(is));
  const std::vector<std::uint8_t> bytes = right_bytes(was, size);
  const Diagnosis found = diagnosis_of(is, bytes);
  if (found.differing < 64) return;
  BOOST_TEST_CONTEXT(kind << "\nwas " << description_text(was) << "\nis  " << description_text(is)
                          << "\nnamed " << text_of(found)) {
    BOOST_TEST_REQUIRE(found.complete());
    BOOST_TEST_REQUIRE(names(found, kind));
  }
}

bool can_be(const TileDescription& d) {
  return check_tma_load(d.map, d.coordinates, d.destination, d.arch).outcome == TmaOutcome::ok &&
         make_tma_box(d.map, d.coordinates, d.destination).footprint < 0x8000;
}

std::size_t axis_of(const TileDescription& d, int dimension) {
  return static_cast<std::size_t>(dimension) - (d.map.interleave == Interleave::none ? 1 : 0);
}

/// Whether enough of the box lies in the tensor to tell anything.
bool mostly_inside(const TileDescription& d) {
  std::uint64_t data = 0, fill = 0;
  walk(image_of(d), d.source, [&](const Strip& s) {
    (s.fill ? fill : data) += s.length;
    return true;
  });
  return data > 3 * fill && data >= 256;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_wrong_description_of_a_right_box_is_named) {
  Random random(21);
  int tested = 0;
  while (tested < 300) {
    const TileDescription was = random_box(random);
    if (!mostly_inside(was)) continue;
    TileDescription is = was;
    const int k = static_cast<int>(random.below(static_cast<std::uint32_t>(was.map.rank)));
    const char* kind = "";
    switch (random.below(5)) {
      case 0:
        kind = "coordinates";
        is.coordinates[k] += static_cast<std::int64_t>(random.below(9)) - 4;
        if (k == 0 && was.map.interleave == Interleave::none) {
          is.coordinates[0] =
              was.coordinates[0] + (static_cast<std::int64_t>(random.below(5)) - 2) * 128 /
                                       data_type_row(was.map.data_type).bits;
        }
        break;
      case 1:
        kind = "start";
        is.destination += 128 * random.between(1, 9);
        break;
      case 2:
        kind = "swizzle";
        is.map.swizzle = static_cast<Swizzle>(random.below(4));
        break;
      case 3:
        if (k == 0 || image_of(was).axis[axis_of(was, k)].count == 1) continue;
        kind = "global-stride";
        is.map.global_stride[k - 1] += 32 * random.between(1, 20);
        break;
      default:
        if (k == 0 || image_of(was).axis[axis_of(was, k)].count == 1) continue;
        kind = "element-stride";
        is.map.element_stride[k] = random.between(1, 8);
        break;
    }
    if (!can_be(is) || !mostly_inside(is)) continue;
    require_named(was, is, kind);
    ++tested;
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_description_of_a_right_operand_is_named) {
  Random random(22);
  for (int i = 0; i < 300; ++i) {
    const TileDescription was = random_operand(random);
    TileDescription is = was;
    const char* kind = "";
    switch (random.below(7)) {
      case 0:
        kind = "sbo";
        is.descriptor.stride_byte_offset += 16 * random.between(1, 50);
        break;
      case 1:
        kind = "lbo";
        is.descriptor.leading_byte_offset += 16 * random.between(1, 50);
        break;
      case 2:
        kind = "base-phase";
        is.descriptor.base_offset = random.below(8);
        break;
      case 3:
        kind = "start";
        is.descriptor.start_address += 16 * random.between(1, 60);
        break;
      case 4:
        kind = "lbo-sbo";
        std::swap(is.descriptor.leading_byte_offset, is.descriptor.stride_byte_offset);
        break;
      case 5:
        kind = "coordinates";
        is.source_offset += is.k * element_format(is.element).bits / 8;
        break;
      default:
        if (!was.source_strides) continue;
        kind = "source-stride";
        (is.major == Major::k ? is.source_strides->mn : is.source_strides->k) +=
            16 * random.between(1, 9);
        break;
    }
    require_named(was, is, kind);
  }
}

BOOST_AUTO_TEST_CASE(one_flipped_byte_is_damage_and_nothing_else) {
  Random random(31);
  for (int i = 0; i < 60; ++i) {
    const TileDescription d = i % 2 == 0 ? random_box(random) : random_operand(random);
    std::vector<std::uint8_t> bytes = right_bytes(d, window_of(d));
    bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^= 0x10;
    const Diagnosis found = diagnosis_of(d, bytes);
    BOOST_TEST_REQUIRE(found.explanations.empty());
    BOOST_TEST_REQUIRE(found.damage ==
                       "1 byte differs (bits 0x10): looks like corruption, not layout");
  }
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_beside_a_wrong_layout_hides_nothing) {
  const TileDescription was = box_description();
  TileDescription is = was;
  is.map.swizzle = Swizzle::none;
  std::vector<std::uint8_t> bytes = right_bytes(was, 0x800);
  bytes[0x333] ^= 1;
  const Diagnosis found = diagnosis_of(is, bytes);
  BOOST_TEST(!found.complete());
  BOOST_TEST(found.nearly());
  BOOST_TEST(found.explanations.front().kind == "swizzle");
}

BOOST_AUTO_TEST_CASE(noise_has_no_explanation) {
  Random random(41);
  for (int i = 0; i < 30; ++i) {
    const TileDescription d = i % 2 == 0 ? random_box(random) : random_operand(random);
    std::vector<std::uint8_t> bytes = right_bytes(d, window_of(d));
    const std::size_t begin = d.kind == TileDescription::Kind::tensor_map
                                  ? d.destination - d.smem_address
                                  : d.descriptor.start_address - d.smem_address;
    const std::size_t end = bytes.size() - 0x800;
    if (end < begin + 64) continue;
    for (std::size_t b = begin; b < end; ++b) {
      bytes[b] = static_cast<std::uint8_t>(random.below(256));
    }
    const Diagnosis found = diagnosis_of(d, bytes);
    BOOST_TEST_REQUIRE(found.explanations.empty(), text_of(found));
    BOOST_TEST_REQUIRE(found.tried > 50u);
  }
}

BOOST_AUTO_TEST_CASE(a_tile_that_was_not_written_or_only_in_part_is_named) {
  TileDescription d = box_description();
  const std::vector<std::uint8_t> right = right_bytes(d, 0x800);
  for (const int value : {0x00, 0xCD}) {
    for (const bool known : {false, true}) {
      if (known) d.untouched = static_cast<std::uint8_t>(value);
      std::vector<std::uint8_t> bytes(0x800, static_cast<std::uint8_t>(value));
      Diagnosis found = diagnosis_of(d, bytes);
      BOOST_TEST(found.complete());
      BOOST_TEST(found.explanations.front().kind == "unwritten");
      BOOST_TEST(found.explanations.front().text.find("never") != std::string::npos);
      std::copy_n(right.begin(), 0x280, bytes.begin());  // rows 0..4
      found = diagnosis_of(d, bytes);
      BOOST_TEST(found.explanations.front().kind == "unwritten");
      BOOST_TEST(found.explanations.front().text.find("rows 5..15") != std::string::npos);
    }
    d.untouched.reset();
  }
}

BOOST_AUTO_TEST_CASE(the_other_stage_is_named) {
  TileDescription one = box_description();
  one.stage = 1;
  one.coordinates = {64, 17};
  TileDescription none = box_description();
  const std::vector<std::uint8_t> bytes = right_bytes(one, 0x800);
  const FileReport report = tests::checked({{"A.0", none, bytes}, {"A.1", one, bytes}});
  BOOST_TEST((report.tiles[1].result == TileReport::Result::same));
  const Diagnosis& found = *report.tiles[0].diagnosis;
  BOOST_TEST(found.complete());
  BOOST_TEST(names(found, "stage"));
  BOOST_TEST(text_of(found).find("`A.1` (stage 1)") != std::string::npos, text_of(found));
}

/// Case C17: TMA fills a 128B tile at 0x480; the reader counts rows from its own start.
BOOST_AUTO_TEST_CASE(case_c17_a_reader_that_counts_from_the_tile) {
  TileDescription d = operand_description();
  d.mn = 16;
  d.smem_address = 0x400;
  d.descriptor.start_address = 0x480;
  const std::vector<std::uint8_t> written = right_bytes(d, 0x1000);
  d.descriptor.base_offset = 1;  // key = row mod 8
  const Diagnosis found = diagnosis_of(d, written);
  BOOST_TEST(found.differing > 2000u);  // all 128 chunks; a few bytes agree by chance
  BOOST_TEST(found.complete());
  BOOST_TEST(found.explanations.front().kind == "base-phase");
  BOOST_TEST(found.explanations.front().advice.find("1024") != std::string::npos);
  d.descriptor.start_address = 0x800;
  d.descriptor.base_offset = 0;
  const std::vector<std::uint8_t> aligned = right_bytes(d, 0x1000);
  BOOST_TEST(diagnosis_of(d, aligned).differing == 0u);
}

/// Case C18: 64B rows at 0x600 and 0x680, reader relative to its base.
BOOST_AUTO_TEST_CASE(case_c18_the_period_decides) {
  for (const auto& [start, wrong] : {std::pair{0x600u, false}, {0x680u, true}}) {
    TileDescription d = operand_description();
    d.element = Element::u8;
    d.mn = 16;
    d.descriptor = {start, 16, 512, 0, LboMode::relative, Swizzle::b64};
    const std::vector<std::uint8_t> written = right_bytes(d, 0x1000);
    d.descriptor.base_offset = start >> 7 & 7;
    const Diagnosis found = diagnosis_of(d, written);
    BOOST_TEST((found.differing > 1000) == wrong);
    if (wrong) BOOST_TEST(found.explanations.front().kind == "base-phase");
  }
}

/// Case C31: 64-byte rows written with 64B, read with the XOR of 128B: rows 8..15 are wrong.
BOOST_AUTO_TEST_CASE(case_c31_a_reader_of_another_width) {
  TileDescription d = operand_description();
  d.element = Element::u8;
  d.mn = 64;
  d.descriptor = {0x400, 16, 512, 0, LboMode::relative, Swizzle::b64};
  const Image written = image_of(d);
  Image read = written;
  read.permutation.row.key_mask = 7;
  const std::vector<std::uint8_t> bytes = bytes_of_image(read, d.source, d.smem_address, 0x1000);
  const Diagnosis found = diagnosis_of(d, bytes);
  BOOST_TEST(found.complete());
  BOOST_TEST(found.explanations.front().kind == "key-bits");
  const std::vector<std::uint8_t> right = right_bytes(d, 0x1000);
  for (std::size_t i = 0; i < 0x1000; i += 16) {
    const bool differs = !std::equal(&bytes[i], &bytes[i] + 16, &right[i]);
    BOOST_TEST_REQUIRE(differs == (i / 64 % 16 >= 8));
  }
}

/// Case C32: 60 columns of 4 bytes, stored plainly 256 bytes apart, read with chunk ^ (row mod 8).
BOOST_AUTO_TEST_CASE(case_c32_padded_rows_and_a_software_swizzle) {
  TileDescription d = box_description();
  d.map.data_type = DataType::f32;
  d.map.swizzle = Swizzle::none;
  d.map.global_dim = {60, 64, 1, 1, 1};
  d.map.global_stride = {240};
  d.map.box_dim = {60, 16, 1, 1, 1};
  Image stored = image_of(d);
  stored.axis[0].step = 256;
  Diagnosis found = diagnosis_of(d, bytes_of_image(stored, d.source, 0x400, 0x1000));
  BOOST_TEST(found.complete());
  BOOST_TEST(found.explanations.front().kind == "row-pitch");
  BOOST_TEST(found.explanations.front().text.find("256 bytes apart") != std::string::npos);
  stored.permutation.row = swizzle_row(Swizzle::b128);
  stored.permutation.by_row_number = true;
  found = diagnosis_of(d, bytes_of_image(stored, d.source, 0x400, 0x1000));
  BOOST_TEST(found.complete());
  BOOST_TEST(found.explanations.front().text.find("c ^ (r & 7)") != std::string::npos);
}

/// Case C07: two consumers share an MN-major tile of 192 columns; the second starts in an atom.
BOOST_AUTO_TEST_CASE(case_c07_a_consumer_that_starts_in_the_middle_of_an_atom) {
  const auto described = [](Swizzle swizzle) {
    TileDescription d = operand_description();
    const std::uint64_t span = swizzle_row(swizzle).span;
    d.major = Major::mn;
    d.mn = 192, d.k = 16;
    d.descriptor = {0x400, 16 * span, 8 * span, 0, LboMode::relative, swizzle};
    return d;
  };
  for (const Swizzle swizzle : {Swizzle::b64, Swizzle::b128}) {
    const TileDescription whole = described(swizzle);
    const std::vector<std::uint8_t> bytes = right_bytes(whole, 0x1800);
    TileDescription second = whole;
    second.mn = 96;
    second.source_strides = TileDescription::Strides{32, 2};  // as the whole: 16 k to a row
    second.source_offset = 96 * 32;
    const std::uint64_t span = swizzle_row(swizzle).span;
    second.descriptor.start_address += 96 * 2 / span * (16 * span) + 96 * 2 % span;
    const Diagnosis found = diagnosis_of(second, bytes);
    BOOST_TEST((found.differing == 0) == (swizzle == Swizzle::b64));
    if (swizzle == Swizzle::b128) BOOST_TEST(!found.complete());  // no start address would do
  }
}

/// Case C51: scale factors stored plainly, read in the order of blocks.
BOOST_AUTO_TEST_CASE(case_c51_scale_factors_stored_plainly) {
  for (const std::uint64_t k : {4, 8}) {
    TileDescription d = box_description();
    d.kind = TileDescription::Kind::scale_factors;
    d.scale = {128, k, AtomOrder::k_first};
    const std::vector<std::uint8_t> right = right_bytes(d, 128 * k);
    std::vector<std::uint8_t> plain(128 * k);
    std::uint64_t at_home = 0;
    for (std::uint64_t i = 0; i < plain.size(); ++i) {
      plain[i] = d.source.byte(i);
      BOOST_TEST_REQUIRE(right[d.scale.offset(i / k, i % k)] == plain[i]);
      at_home += d.scale.offset(i / k, i % k) == i;
    }
    BOOST_TEST(at_home == 8u);
    const Diagnosis found = diagnosis_of(d, plain);
    BOOST_TEST(found.complete());
    BOOST_TEST(found.explanations.front().text.find(k == 4 ? "rows" : "8 bytes apart") !=
                   std::string::npos,
               text_of(found));
  }
  TileDescription d = box_description();
  d.kind = TileDescription::Kind::scale_factors;
  d.scale = {256, 8, AtomOrder::k_first};
  TileDescription other = d;
  other.scale.order = AtomOrder::mn_first;
  const Diagnosis found = diagnosis_of(d, right_bytes(other, 2048));
  BOOST_TEST(found.complete());
  BOOST_TEST(found.explanations.front().kind == "block-order");
  BOOST_TEST(place_of(d, 0x400 + 512 + 5 * 16 + 4).elements == "mn 37, k 4..7");
}

/// Case C06: the second panel's first rows instead of its second half.
BOOST_AUTO_TEST_CASE(case_c06_the_wrong_start_of_a_panel) {
  TileDescription d = operand_description();
  d.element = Element::bf16;
  d.mn = 128;
  d.descriptor.start_address = 0x4400;  // panel 1, all its rows
  d.source_offset = 128;
  d.source_strides = TileDescription::Strides{256, 2};
  d.smem_address = 0x4400;
  const std::vector<std::uint8_t> panel = right_bytes(d, 0x4000);
  d.mn = 64;
  d.source_offset += 64 * 256;  // rows 64..127 are wanted, read at the start of the panel
  const Diagnosis found = diagnosis_of(d, panel);
  BOOST_TEST(found.complete());
  BOOST_TEST(names(found, "start"));
  BOOST_TEST(text_of(found).find("0x6400") != std::string::npos, text_of(found));
}

BOOST_AUTO_TEST_SUITE_END()
