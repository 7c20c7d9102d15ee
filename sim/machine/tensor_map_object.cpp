#include "sim/machine/tensor_map_object.h"

#include <cstring>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

namespace field = tensor_map_field;

constexpr BitField kPrivateType{"data_type", 0, 4, 0}, kPrivateSwizzle{"swizzle", 8, 3, 0},
    kPrivateWide{"wide", 16, 1, 0}, kPrivateWide128{"wide_128", 17, 1, 0};

bool is_private(const TensorMapWords& words) {
  return words.word[15] == kPrivateMark;
}

bool needs_private(DataType type, Swizzle swizzle, bool wide) {
  return data_type_row(type).map_code == 255 || swizzle > Swizzle::b128 || wide;
}

void clear(TensorMapWords& words, const TensorMapField& f, int index = 0) {
  const TensorMapField::Place p = f.place(index);
  words.word[p.word] &= ~p.bits.covered();
}

void set(TensorMapWords& words, const TensorMapField& f, std::uint64_t value, int index = 0) {
  clear(words, f, index);
  f.put(words, value, index);
}

void set_private(TensorMapWords& words, const BitField& f, std::uint64_t value) {
  words.word[14] = (words.word[14] & ~f.covered()) | f.put(value);
}

[[noreturn]] void bad_map(const std::string& what) {
  throw Fault(FaultKind::illegal_instruction, "tensor-map.bits", "the tensor map " + what);
}

DataType type_of(const TensorMapWords& words) {
  if (is_private(words)) return static_cast<DataType>(kPrivateType.raw(words.word[14]));
  return lc::detail::data_type_of_code(field::kType.raw(words), field::kTf32.raw(words) != 0);
}

Swizzle swizzle_of(const TensorMapWords& words) {
  return static_cast<Swizzle>(is_private(words) ? kPrivateSwizzle.raw(words.word[14])
                                                : field::kSwizzle.raw(words));
}

/// Writes type and swizzle where they belong; marks the map when it has to.
void set_modes(TensorMapWords& words, DataType type, Swizzle swizzle, bool wide, bool wide_128) {
  const DataTypeRow row = data_type_row(type);
  const bool marked = needs_private(type, swizzle, wide);
  words.word[14] = 0;
  words.word[15] = marked ? kPrivateMark : 0;
  set(words, field::kType, row.map_code == 255 ? 0 : row.map_code);
  set(words, field::kTf32, row.tf32);
  set(words, field::kSwizzle, swizzle > Swizzle::b128 ? 0 : swizzle_row(swizzle).tensor_map_code);
  set(words, field::kPatternBytes, swizzle_row(swizzle).period);
  if (!marked) return;
  set_private(words, kPrivateType, static_cast<std::uint64_t>(type));
  set_private(words, kPrivateSwizzle, static_cast<std::uint64_t>(swizzle));
  set_private(words, kPrivateWide, wide);
  set_private(words, kPrivateWide128, wide_128);
}

/// The mode of the ISA's (swizzle_mode, swizzle_atomicity) pair.
Swizzle swizzle_of_mode(std::uint64_t mode, std::uint64_t atomicity) {
  if (mode < 3) return static_cast<Swizzle>(mode);
  switch (atomicity) {
    case 1:
      return Swizzle::b128_32b;
    case 2:
      return Swizzle::b128_32b_flip8;
    case 3:
      return Swizzle::b128_64b;
    default:
      return Swizzle::b128;
  }
}

std::uint64_t mode_of(Swizzle s) {
  return s > Swizzle::b128 ? 3 : static_cast<std::uint64_t>(s);
}
std::uint64_t atomicity_of(Swizzle s) {
  return s > Swizzle::b128 ? static_cast<std::uint64_t>(s) - 3 : 0;
}

/// The ISA numbers element types otherwise than the driver.
DataType type_of_ptx(std::uint64_t number) {
  constexpr DataType kTypes[] = {DataType::u8,
                                 DataType::u16,
                                 DataType::u32,
                                 DataType::s32,
                                 DataType::u64,
                                 DataType::s64,
                                 DataType::f16,
                                 DataType::f32,
                                 DataType::f32_ftz,
                                 DataType::f64,
                                 DataType::bf16,
                                 DataType::tf32,
                                 DataType::tf32_ftz,
                                 DataType::u4x16_align8b,
                                 DataType::u4x16_align16b,
                                 DataType::u6x16_align16b};
  return kTypes[number];
}

void check_value(bool ok, const char* name, std::uint64_t value) {
  if (ok) return;
  throw Fault(FaultKind::illegal_instruction, "tensormap-replace.value",
              "tensormap.replace: " + std::to_string(value) + " is no value of ." + name);
}

void check_ordinal(std::uint32_t ordinal, std::uint32_t count) {
  if (ordinal < count) return;
  throw Fault(FaultKind::illegal_instruction, "tensormap-replace.ordinal",
              "tensormap.replace: there is no dimension " + std::to_string(ordinal));
}

}  // namespace

TensorMapWords encode_object(const TensorMapObject& object) {
  const TensorMap& tensor = object.tensor();
  const bool wide = object.im2col && object.column.wide;
  if (!needs_private(tensor.data_type, tensor.swizzle, wide)) {
    return object.im2col ? encode_im2col_map(object.column) : encode_tensor_map(object.tiled);
  }
  TensorMapObject plain = object;
  TensorMap& t = object.im2col ? plain.column.tensor : plain.tiled;
  t.data_type = DataType::u8;
  t.swizzle = Swizzle::none;
  if (wide) plain.column.wide = false;
  TensorMapWords words =
      plain.im2col ? encode_im2col_map(plain.column) : encode_tensor_map(plain.tiled);
  if (wide) {
    // One offset of 16 bits each, in W, whatever the rank.
    set(words, field::kLowerCorners, static_cast<std::uint64_t>(object.column.lower[0]));
    set(words, field::kUpperCorners, static_cast<std::uint64_t>(object.column.upper[0]));
  }
  set_modes(words, tensor.data_type, tensor.swizzle, wide, wide && object.column.wide_128);
  return words;
}

TensorMapObject decode_object(const TensorMapWords& words) {
  const DataType type = type_of(words);
  const Swizzle swizzle = swizzle_of(words);
  if (!is_known(type)) {
    bad_map("has type code " + std::to_string(field::kType.raw(words)) +
            ", which no encoder writes");
  }
  if (static_cast<std::size_t>(swizzle) >= kSwizzleCount) bad_map("has no swizzle of its number");
  if (field::kRank.raw(words) >= kMaxRank) bad_map("has a rank over 5");
  if (field::kInterleave.raw(words) > 2) bad_map("has interleave 3, which does not exist");
  // The layout model's decoder knows the sm_90 bits; the rest is put back afterwards.
  TensorMapWords plain = words;
  if (is_private(words)) set_modes(plain, DataType::u8, Swizzle::none, false, false);
  TensorMapObject object;
  object.im2col = field::kIm2col.raw(words) != 0;
  if (!object.im2col) {
    object.tiled = decode_tensor_map(plain).map;
    object.tiled.data_type = type;
    object.tiled.swizzle = swizzle;
    return object;
  }
  const DecodedIm2colMap decoded = decode_im2col_map(plain);
  if (decoded.findings.has_error()) bad_map("is an im2col map of a rank under 3");
  object.column = decoded.map;
  object.column.tensor.data_type = type;
  object.column.tensor.swizzle = swizzle;
  if (is_private(words) && kPrivateWide.raw(words.word[14]) != 0) {
    object.column.wide = true;
    object.column.wide_128 = kPrivateWide128.raw(words.word[14]) != 0;
    const auto corner = [](std::uint64_t raw) {
      return std::int64_t{static_cast<std::int16_t>(raw)};
    };
    for (int i = 0; i < kMaxSpatial; ++i) object.column.lower[i] = object.column.upper[i] = 0;
    object.column.lower[0] = corner(field::kLowerCorners.raw(words));
    object.column.upper[0] = corner(field::kUpperCorners.raw(words));
  }
  return object;
}

TensorMapWords words_of(std::span<const std::byte, 128> bytes) {
  TensorMapWords words;
  std::memcpy(words.word, bytes.data(), bytes.size());
  return words;
}

void store_words(const TensorMapWords& words, std::span<std::byte, 128> bytes) {
  std::memcpy(bytes.data(), words.word, bytes.size());
}

void replace_field(TensorMapWords& words, ReplaceField which, std::uint32_t ordinal,
                   std::uint64_t value) {
  const int i = static_cast<int>(ordinal < kMaxRank ? ordinal : 0);
  const Swizzle swizzle = swizzle_of(words);
  const DataType type = is_known(type_of(words)) ? type_of(words) : DataType::u8;
  const bool wide = is_private(words) && kPrivateWide.raw(words.word[14]) != 0;
  const bool wide_128 = is_private(words) && kPrivateWide128.raw(words.word[14]) != 0;
  switch (which) {
    case ReplaceField::global_address:
      set(words, field::kAddress, value);
      break;
    case ReplaceField::rank:
      check_value(value < kMaxRank, "rank", value);
      set(words, field::kRank, value);
      break;
    case ReplaceField::box_dim:
      check_ordinal(ordinal, kMaxRank);
      set(words, field::kBox, value - 1, i);
      break;
    case ReplaceField::global_dim:
      check_ordinal(ordinal, kMaxRank);
      set(words, field::kDim, value - 1, i);
      break;
    case ReplaceField::global_stride:
      check_ordinal(ordinal, kMaxRank - 1);
      set(words, field::kStride, value >> field::kStride.bits.scale, i);
      set(words, field::kStrideHigh, value >> field::kStrideHigh.bits.scale, i);
      break;
    case ReplaceField::element_stride:
      check_ordinal(ordinal, kMaxRank);
      set(words, field::kElementStride, value - 1, i);
      break;
    case ReplaceField::elemtype:
      check_value(value < kDataTypeCount, "elemtype", value);
      set_modes(words, type_of_ptx(value), swizzle, wide, wide_128);
      break;
    case ReplaceField::interleave_layout:
      check_value(value < 3, "interleave_layout", value);
      set(words, field::kInterleave, value);
      break;
    case ReplaceField::swizzle_mode:
      // 4 is the 96-byte span of sm_103a, which is not modelled.
      check_value(value < 4, "swizzle_mode", value);
      set_modes(words, type, swizzle_of_mode(value, atomicity_of(swizzle)), wide, wide_128);
      break;
    case ReplaceField::fill_mode:
      check_value(value < 2, "fill_mode", value);
      set(words, field::kFill, value);
      break;
    case ReplaceField::swizzle_atomicity:
      check_value(value < 4, "swizzle_atomicity", value);
      set_modes(words, type, swizzle_of_mode(mode_of(swizzle), value), wide, wide_128);
      break;
  }
}

}  // namespace lc::machine
