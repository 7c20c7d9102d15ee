#include "sim/machine/tmem_movement.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/layout/operand.h"
#include "sim/machine/fault.h"

namespace lc::machine {
namespace {

constexpr std::uint32_t kThreads = 32;

Findings checked(const TmemTransfer& x, std::size_t registers) {
  Findings findings = check_tmem_transfer(x);
  throw_first_error(FaultKind::illegal_address, findings, x.address);
  if (registers != x.registers()) {
    throw Fault(FaultKind::illegal_instruction, "tmem.registers",
                "the shape moves " + std::to_string(x.registers()) + " registers a thread");
  }
  return findings;
}

/// Checked rows of cells, by lane of the shape; those of the second half of 16x32bx2 from 16 on.
template <class Memory>
auto rows_of(Memory& memory, const TmemTransfer& x) {
  std::array<decltype(memory.row(0, 0, 0)), kThreads> rows{};
  const TmemShapeRow shape = tmem_shape_row(x.shape);
  const std::uint32_t columns = shape.columns * x.num * x.halves();
  const std::uint32_t halves = x.shape == TmemShape::s16x32bx2 ? 2 : 1;
  for (std::uint32_t h = 0; h < halves; ++h) {
    const TmemOffset first = tmem_cell(x, 16 * h, 0);  // of both halves: lane 0 of the shape
    for (std::uint32_t i = 0; i < shape.lanes; ++i) {
      rows[16 * h + i] = memory.row(first.lane + i, first.column, columns);
    }
  }
  return rows;
}

/// Calls `visit(register, thread, cells)` for everything a transfer moves: the cell, and with pack
/// the one behind it.
template <TmemShape kShape, class Memory, class Visit>
void for_each_register(Memory& memory, const TmemTransfer& x, Visit&& visit) {
  const auto rows = rows_of(memory, x);
  const std::uint32_t step = x.halves();
  for (std::uint32_t r = 0; r < x.registers(); ++r) {
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      const TmemOffset o = tmem_fragment(kShape, t, r);
      const std::uint32_t half = kShape == TmemShape::s16x32bx2 ? t / 16 * 16 : 0;
      visit(r, t, rows[o.lane + half] + o.column * step);
    }
  }
}

template <class Memory, class Visit>
void for_each_register(Memory& memory, const TmemTransfer& x, Visit&& visit) {
  switch (x.shape) {
    case TmemShape::s32x32b:
      return for_each_register<TmemShape::s32x32b>(memory, x, visit);
    case TmemShape::s16x64b:
      return for_each_register<TmemShape::s16x64b>(memory, x, visit);
    case TmemShape::s16x128b:
      return for_each_register<TmemShape::s16x128b>(memory, x, visit);
    case TmemShape::s16x256b:
      return for_each_register<TmemShape::s16x256b>(memory, x, visit);
    case TmemShape::s16x32bx2:
      return for_each_register<TmemShape::s16x32bx2>(memory, x, visit);
  }
}

/// The bytes of a 16-byte chunk as they arrive in Tensor Memory.
void unpack_chunk(TmemDecompression format, const std::byte* chunk, std::uint8_t (&out)[16]) {
  const TmemUnpacking u = tmem_unpacking(format);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t bit = i * u.bits;
    std::uint32_t code = std::to_integer<std::uint32_t>(chunk[bit / 8]);
    if (bit / 8 + 1 < 16) code |= std::to_integer<std::uint32_t>(chunk[bit / 8 + 1]) << 8;
    out[i] = static_cast<std::uint8_t>((code >> bit % 8 & ((1u << u.bits) - 1)) << u.shift);
  }
}

}  // namespace

Findings tmem_load(const TensorMemory& memory, const TmemTransfer& x,
                   std::span<std::uint32_t* const> registers) {
  const Findings findings = checked(x, registers.size());
  if (x.pack) {
    for_each_register(memory, x, [&](std::uint32_t r, std::uint32_t t, const std::uint32_t* cells) {
      registers[r][t] = (cells[0] & 0xFFFF) | cells[1] << 16;
    });
  } else {
    for_each_register(memory, x, [&](std::uint32_t r, std::uint32_t t, const std::uint32_t* cells) {
      registers[r][t] = *cells;
    });
  }
  return findings;
}

Findings tmem_store(TensorMemory& memory, const TmemTransfer& x,
                    std::span<const std::uint32_t* const> registers) {
  const Findings findings = checked(x, registers.size());
  for_each_register(memory, x, [&](std::uint32_t r, std::uint32_t t, std::uint32_t* cells) {
    const std::uint32_t value = registers[r][t];
    cells[0] = x.pack ? value & 0xFFFF : value;
    if (x.pack) cells[1] = value >> 16;
  });
  return findings;
}

namespace {

/// Pointers to the registers of a block.
template <class Word>
std::vector<Word*> pointers(std::span<Word> registers) {
  std::vector<Word*> all;
  for (std::size_t r = 0; r + kThreads <= registers.size(); r += kThreads) {
    all.push_back(registers.data() + r);
  }
  return all;
}

}  // namespace

Findings tmem_load(const TensorMemory& memory, const TmemTransfer& x,
                   std::span<std::uint32_t> registers) {
  return tmem_load(memory, x, std::span<std::uint32_t* const>(pointers(registers)));
}

Findings tmem_store(TensorMemory& memory, const TmemTransfer& x,
                    std::span<const std::uint32_t> registers) {
  return tmem_store(memory, x, std::span<const std::uint32_t* const>(pointers(registers)));
}

void tmem_copy(TensorMemory& memory, const SharedMemory& shared, const TmemCopy& copy) {
  const DecodedSmemDescriptor d = decode_smem_descriptor(Arch::sm_100, copy.descriptor);
  if (!d.swizzle_valid) {
    throw Fault(
        FaultKind::illegal_instruction, "smem_descriptor.swizzle-code",
        "the descriptor's swizzle code " + std::to_string(d.swizzle_code) + " means nothing");
  }
  // Rows of bytes: a K-major operand of 8-bit elements.
  const OperandLayout rows = operand_layout(d.fields, Major::k, Element::u8);
  const TmemCopyRow shape = tmem_copy_row(copy.shape);
  const std::uint32_t lane0 = copy.address >> 16 & (kTmemLanes - 1),
                      column0 = copy.address & 0xFFFF;
  for (std::uint32_t r = 0; r < shape.rows; ++r) {
    for (std::uint32_t byte = 0; byte < shape.bytes; byte += 16) {
      std::uint8_t chunk[16];
      unpack_chunk(copy.format, shared.bytes(rows.address(r, byte), 16, 16), chunk);
      for (std::uint32_t c = 0; c < shape.copies; ++c) {
        const std::uint32_t lane = lane0 + tmem_copy_lane(copy.shape, r, c);
        std::uint32_t* cells = memory.row(lane, column0 + tmem_copy_column(byte), 4);
        for (std::uint32_t i = 0; i < 4; ++i) {
          cells[i] = chunk[4 * i] | chunk[4 * i + 1] << 8 | chunk[4 * i + 2] << 16 |
                     static_cast<std::uint32_t>(chunk[4 * i + 3]) << 24;
        }
      }
    }
  }
}

void tmem_shift(TensorMemory& memory, std::uint32_t address) {
  constexpr std::uint32_t kColumns = 8, kRows = 32;
  const std::uint32_t lane = address >> 16, column = address & 0xFFFF;
  if (lane % kRows != 0) {
    throw Fault(FaultKind::illegal_address, "tmem.shift-lane",
                "tcgen05.shift takes a lane that is a multiple of 32, not " + std::to_string(lane),
                address);
  }
  for (std::uint32_t r = 0; r + 1 < kRows; ++r) {
    const std::uint32_t* from = memory.row(lane + r + 1, column, kColumns);
    std::copy_n(from, kColumns, memory.row(lane + r, column, kColumns));
  }
}

}  // namespace lc::machine
