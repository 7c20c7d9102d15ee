#include "sim/machine/operand_fetch.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

OperandCodes empty_codes(std::uint32_t mn, std::uint32_t k) {
  return {mn, k, std::vector<std::uint32_t>(std::size_t{mn} * k)};
}

/// `bits` bits from bit address `bit` on, which lie within two bytes of `bytes`.
std::uint32_t bits_at(const std::byte* bytes, std::uint32_t bit, std::uint32_t bits) {
  std::uint32_t word = std::to_integer<std::uint32_t>(bytes[bit / 8]);
  if (bit % 8 + bits > 8) word |= std::to_integer<std::uint32_t>(bytes[bit / 8 + 1]) << 8;
  return word >> bit % 8 & ((1u << bits) - 1);
}

/// Replaces addresses in a window by what stands there.
template <class Element>
void read_at(const std::byte* window, std::vector<std::uint32_t>& codes) {
  for (std::uint32_t& code : codes) {
    Element value;
    std::memcpy(&value, window + code, sizeof value);
    code = value;
  }
}

/// The same where every 16 bytes of codes stand together: K-major rows of whole cells.
template <class Element>
void read_cells(const std::byte* window, std::vector<std::uint32_t>& codes) {
  constexpr std::size_t kPerCell = 16 / sizeof(Element);
  for (std::size_t i = 0; i < codes.size(); i += kPerCell) {
    Element cell[kPerCell];
    std::memcpy(cell, window + codes[i], sizeof cell);
    for (std::size_t j = 0; j < kPerCell; ++j) codes[i + j] = cell[j];
  }
}

template <class Element>
void read_elements(const std::byte* window, bool whole_cells, std::vector<std::uint32_t>& codes) {
  whole_cells ? read_cells<Element>(window, codes) : read_at<Element>(window, codes);
}

/// Elements of 8 bits and more, each at its own address.
void fetch_bytes(const SharedMemory& shared, const OperandLayout& layout, OperandCodes& tile) {
  fill_addresses(layout, tile.mn, tile.k, tile.codes.data());
  const std::uint32_t bytes = layout.bits / 8;
  std::uint32_t last = 0;
  for (const std::uint32_t at : tile.codes) last = std::max(last, at);
  if (std::uint64_t{last} + bytes > shared.size()) shared.bytes(last, bytes, 1);  // throws
  const std::byte* window = shared.bytes(0, 0, 1);
  const bool whole_cells =
      layout.major == Major::k && tile.k * bytes % 16 == 0 &&
      (layout.start | layout.group_step | layout.column_step | layout.second_part) % 16 == 0;
  if (bytes == 1) return read_elements<std::uint8_t>(window, whole_cells, tile.codes);
  if (bytes == 2) return read_elements<std::uint16_t>(window, whole_cells, tile.codes);
  read_elements<std::uint32_t>(window, whole_cells, tile.codes);
}

/// Elements under 8 bits: by bit address where they are packed, by their place in the cell of 16
/// where each has a byte.
void fetch_bits(const SharedMemory& shared, const OperandLayout& layout, Element element,
                Container container, OperandCodes& tile) {
  const std::uint32_t bits = element_format(element).bits;
  for (std::uint32_t i = 0; i < tile.mn; ++i) {
    for (std::uint32_t j = 0; j < tile.k; ++j) {
      const std::uint64_t at = layout.bit_address(i, j);
      const std::uint64_t cell = at / 128 * 16;
      const std::uint32_t bit = container == Container::packed
                                    ? static_cast<std::uint32_t>(at % 128)
                                    : bit_in_byte_container_cell(element, at / 8 % 16);
      tile.at(i, j) = bits_at(shared.bytes(cell, 16, 16), bit, bits);
    }
  }
}

}  // namespace

OperandCodes fetch_shared(const SharedMemory& shared, const SharedOperand& operand,
                          std::uint32_t mn, std::uint32_t k) {
  const DecodedSmemDescriptor d = decode_smem_descriptor(operand.arch, operand.descriptor);
  if (!d.swizzle_valid) {
    throw Fault(
        FaultKind::illegal_instruction, "smem_descriptor.swizzle-code",
        "the descriptor's swizzle code " + std::to_string(d.swizzle_code) + " means nothing");
  }
  throw_first_error(FaultKind::illegal_instruction,
                    check_operand_mode(operand.arch, operand.element, operand.container,
                                       operand.major, d.fields.swizzle),
                    d.fields.start_address);
  const OperandLayout layout =
      operand_layout(d.fields, operand.major, operand.element, operand.container);
  OperandCodes tile = empty_codes(mn, k);
  if (tile.codes.empty()) return tile;
  if (element_format(operand.element).bits >= 8) {
    fetch_bytes(shared, layout, tile);
  } else {
    fetch_bits(shared, layout, operand.element, operand.container, tile);
  }
  return tile;
}

std::vector<std::uint64_t> operand_cells(const SharedOperand& operand, std::uint32_t mn,
                                         std::uint32_t k) {
  const OperandLayout l =
      operand_layout(decode_smem_descriptor(operand.arch, operand.descriptor).fields, operand.major,
                     operand.element, operand.container);
  const bool k_major = operand.major == Major::k;
  const std::uint32_t rows = k_major ? mn : k, row_bytes = (k_major ? k : mn) * l.bits / 8;
  std::vector<std::uint64_t> cells;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < row_bytes; c += 16) {
      cells.push_back(swizzled(l.swizzle, l.linear(r, c), l.base_offset) / 16 * 16);
    }
  }
  return cells;
}

OperandCodes fetch_tmem(const TensorMemory& memory, const TmemOperand& operand, std::uint32_t rows,
                        std::uint32_t k, std::uint32_t copy) {
  OperandCodes tile = empty_codes(rows, k);
  const std::uint32_t width = operand.container_bits;
  const std::uint32_t columns = (k * width + 31) / 32;
  const std::uint32_t bits = std::min<std::uint32_t>(element_format(operand.element).bits, width);
  const std::uint32_t shift = bits < width ? a_code_shift(operand.element) : 0;
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  const std::uint32_t lane0 = operand.address >> 16, column0 = operand.address & 0xFFFF;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const TmemBits first = a_bits(operand.layout, width, i, 0, copy, lane0);
    const std::uint32_t* cells = memory.row(first.lane, column0, columns);
    for (std::uint32_t j = 0; j < k; ++j) {
      tile.at(i, j) = cells[j * width / 32] >> (j * width % 32 + shift) & mask;
    }
  }
  return tile;
}

numerics::Format format_of(Element element) {
  using numerics::Format;
  constexpr Format kFormats[kElementCount] = {
      Format::f16,  Format::bf16, Format::tf32, Format::f32, Format::e4m3, Format::e5m2,
      Format::e2m3, Format::e3m2, Format::e2m1, Format::s8,  Format::u8};
  return kFormats[static_cast<int>(element)];
}

numerics::Operand decoded(const OperandCodes& tile, Element element, numerics::Side side) {
  return decoded(tile, element, side, 0, tile.mn);
}

numerics::Operand decoded(const OperandCodes& tile, Element element, numerics::Side side,
                          std::uint32_t begin, std::uint32_t count) {
  const std::span<const std::uint32_t> codes(tile.codes);
  numerics::Operand operand;
  operand.decode<std::uint32_t>(
      format_of(element), side, count, tile.k,
      codes.subspan(std::size_t{begin} * tile.k, std::size_t{count} * tile.k));
  return operand;
}

}  // namespace lc::machine
