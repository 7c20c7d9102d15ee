#include <array>
#include <cstring>
#include <string>

#include "sim/isa/families.h"
#include "sim/isa/location.h"
#include "sim/layout/tmem_transfer.h"

// ldmatrix, stmatrix and movmatrix (PTX ISA 9.0, 9.7.14.5.15 - 9.7.14.5.17).  A line is the 16
// bytes at one lane's address: a row, or with .trans a column.  With q = lane % 4 and g = lane / 4,
// byte j of a lane's register i is
//
//     form             line                                   byte of it
//     m8n8             8 i + g                                4 q + j
//     m8n8.trans       8 i + 2 q + j / 2                      2 g + j % 2
//     m8n16            8 i + g                                4 q + j, after unpacking
//     m16n16.trans     16 (i / 2) + 4 q + 2 (i % 2) + j % 2   g + 8 (j / 2), after unpacking
//     m16n8.trans      8 i + 2 q + j % 2                      g + 8 (j / 2)
//
// The last two are how CuTe's copy traits for sm_100 take them; the ISA shows them in pictures
// only.
namespace lc::isa {
namespace {

constexpr std::uint32_t kLineBytes = 16;
using Line = std::array<std::uint8_t, kLineBytes>;

enum class Form : std::uint8_t { m8n8, m8n8_trans, m8n16, m16n16_trans, m16n8_trans };

struct Cell {
  std::uint32_t line = 0, byte = 0;
};

constexpr Cell cell(Form form, std::uint32_t lane, std::uint32_t i, std::uint32_t j) {
  const std::uint32_t q = lane % 4, g = lane / 4;
  switch (form) {
    case Form::m8n8:
    case Form::m8n16:
      return {8 * i + g, 4 * q + j};
    case Form::m8n8_trans:
      return {8 * i + 2 * q + j / 2, 2 * g + j % 2};
    case Form::m16n16_trans:
      return {16 * (i / 2) + 4 * q + 2 * (i % 2) + j % 2, g + 8 * (j / 2)};
    case Form::m16n8_trans:
      return {8 * i + 2 * q + j % 2, g + 8 * (j / 2)};
  }
  return {};
}

struct MatrixMove {
  Location location{};
  TmemDecompression unpack = TmemDecompression::none;
  std::uint32_t registers = 1;
  std::uint32_t lines = 8;  ///< the lowest lanes, one a line, give their addresses
};

/// Every code of a packed line in a byte of its own.
Line unpacked(const Line& packed, TmemDecompression format) {
  if (format == TmemDecompression::none) return packed;
  const TmemUnpacking how = tmem_unpacking(format);
  Line line{};
  for (std::uint32_t i = 0; i < kLineBytes; ++i) {
    std::uint32_t code = 0;
    for (std::uint32_t k = 0; k < how.bits; ++k) {
      const std::uint32_t bit = how.bits * i + k;
      code |= (packed[bit / 8] >> bit % 8 & 1u) << k;
    }
    line[i] = static_cast<std::uint8_t>(code << how.shift);
  }
  return line;
}

constexpr LaneMask lowest_lanes(std::uint32_t count) {
  return count == kWarpLanes ? kAllLanes : (1u << count) - 1;
}

/// Host memory of every line; addresses must lie in shared memory.
struct LinePointers {
  std::byte* at[kWarpLanes] = {};
  std::uint64_t addresses[kWarpLanes];
};

void find_lines(Warp& warp, const MatrixMove& m, LaneMask active, Access access,
                LinePointers& lines) {
  m.location.of(warp, active, lines.addresses);
  if (m.location.window != Window::generic) {
    const LaneBytes all = bytes_of_lanes(warp, m.location.window, lowest_lanes(m.lines),
                                         lines.addresses, kLineBytes, access);
    if (all.base != nullptr) {
      for (std::uint32_t lane = 0; lane < m.lines; ++lane) {
        lines.at[lane] = all.of(lane, lines.addresses[lane]);
      }
      return;
    }
  }
  for (std::uint32_t lane = 0; lane < m.lines; ++lane) {
    const auto place = shared_place(warp, m.location.window, lines.addresses[lane]);
    lines.at[lane] = place.cta->shared().bytes(place.offset, kLineBytes, kLineBytes, access);
  }
}

void check_whole_warp(const Warp& warp, const Inst&) {
  if (warp.live() == kAllLanes) return;
  throw machine::Fault(machine::FaultKind::undefined, "matrix.whole-warp",
                       "matrices are moved by all 32 lanes, but some have exited or never were: "
                       "lanes " +
                           machine::hex(warp.live()) + " are left");
}

/// How many bytes side by side in a register are side by side in their line.
constexpr std::uint32_t run_of(Form form) {
  return form == Form::m8n8 || form == Form::m8n16 ? 4 : form == Form::m8n8_trans ? 2 : 1;
}

template <Form form>
Flow load_matrix(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  check_whole_warp(warp, inst);
  const auto& m = info<MatrixMove>(inst);
  LinePointers from;
  find_lines(warp, m, active, Access::read, from);
  std::array<Line, kWarpLanes> lines;
  for (std::uint32_t i = 0; i < m.lines; ++i) {
    std::memcpy(lines[i].data(), from.at[i], kLineBytes);
    lines[i] = unpacked(lines[i], m.unpack);
  }
  for (std::uint32_t i = 0; i < m.registers; ++i) {
    std::uint32_t* d = warp.out32(warp.listed(inst, i));
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      std::uint32_t word = 0;
      for (std::uint32_t j = 0; j < 4; j += run_of(form)) {
        const Cell c = cell(form, lane, i, j);
        std::uint32_t part = 0;
        std::memcpy(&part, &lines[c.line][c.byte], run_of(form));
        word |= part << 8 * j;
      }
      d[lane] = word;
    }
  }
  warp.note_access(m.location.window, Access::read, false, kLineBytes, lowest_lanes(m.lines),
                   from.addresses);
  return Flow::next;
}

template <Form form>
Flow store_matrix(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  check_whole_warp(warp, inst);
  const auto& m = info<MatrixMove>(inst);
  LinePointers to;
  find_lines(warp, m, active, Access::write, to);
  for (std::uint32_t i = 0; i < m.registers; ++i) {
    const std::uint32_t* s = warp.in32(warp.listed(inst, i));
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      for (std::uint32_t j = 0; j < 4; j += run_of(form)) {
        const Cell c = cell(form, lane, i, j);
        const std::uint32_t part = s[lane] >> 8 * j;
        std::memcpy(to.at[c.line] + c.byte, &part, run_of(form));
      }
    }
  }
  warp.cluster().changed();
  warp.note_access(m.location.window, Access::write, false, kLineBytes, lowest_lanes(m.lines),
                   to.addresses);
  return Flow::next;
}

/// A register holds row g, columns 2 q and 2 q + 1; the result holds the transposed matrix so.
Flow transpose(Warp& warp, const Inst& inst, LaneMask active) {
  if (const Flow flow = warp.gather_all(active); flow != Flow::next) return flow;
  check_whole_warp(warp, inst);
  const std::uint32_t* a = warp.in32(inst.op[1]);
  std::array<std::uint32_t, kWarpLanes> result;
  const auto element = [&](std::uint32_t row, std::uint32_t column) {
    return a[4 * row + column / 2] >> 16 * (column % 2) & 0xFFFF;
  };
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint32_t q = lane % 4, g = lane / 4;
    result[lane] = element(2 * q, g) | element(2 * q + 1, g) << 16;
  }
  std::copy(result.begin(), result.end(), warp.out32(inst.op[0]));
  return Flow::next;
}

void bind_move(Binder& b, MatrixMove m, std::uint32_t registers, std::uint32_t lines,
               std::size_t address, bool is_load) {
  const std::size_t list = 1 - address;
  m.registers = registers;
  m.lines = lines;
  m.location = locate(b, address, b.modifiers["ss"]);
  const auto elements = b.elements(list);
  if (elements.size() != registers) {
    b.fail(b.operand(list), std::to_string(registers) + " registers are expected here");
  }
  for (const ptx::Operand& o : elements) {
    b.list(is_load ? b.out(o, Type::b32) : b.in(o, Type::b32));
  }
  b.keep(m);
}

TmemDecompression unpacking(const Modifiers& m) {
  return m["packed"] == "b6x16_p32"   ? TmemDecompression::b6x16_p32
         : m["packed"] == "b4x16_p64" ? TmemDecompression::b4x16_p64
                                      : TmemDecompression::none;
}

template <Form form>
void bind_load(Binder& b) {
  const std::uint32_t count = b.modifiers.number("num");
  constexpr std::uint32_t kPer = form == Form::m16n16_trans ? 2 : 1;
  bind_move(b, {.unpack = unpacking(b.modifiers)}, kPer * count, 8 * kPer * count, 1, true);
  b.run(load_matrix<form>);
}

template <Form form>
void bind_store(Binder& b) {
  const std::uint32_t count = b.modifiers.number("num");
  bind_move(b, {}, count, 8 * count, 0, false);
  b.run(store_matrix<form>);
}

void bind_transpose(Binder& b) {
  b.inst().op[0] = b.out(0, Type::b32);
  b.inst().op[1] = b.in(1, Type::b32);
  b.run(transpose);
}

#define LC_SHARED " [ss=shared|shared::cta] "
#define LC_PACKED "b8x16 packed=b6x16_p32|b4x16_p64"

constexpr std::array kOps{
    Op{"ldmatrix", "sync aligned m8n8 num=x1|x2|x4" LC_SHARED "b16", "d, [a]",
       bind_load<Form::m8n8>},
    Op{"ldmatrix", "sync aligned m8n8 num=x1|x2|x4 trans" LC_SHARED "b16", "d, [a]",
       bind_load<Form::m8n8_trans>},
    Op{"ldmatrix", "sync aligned m8n16 num=x1|x2|x4" LC_SHARED LC_PACKED, "d, [a]",
       bind_load<Form::m8n16>},
    Op{"ldmatrix", "sync aligned m16n16 num=x1|x2 trans" LC_SHARED "b8", "d, [a]",
       bind_load<Form::m16n16_trans>},
    Op{"ldmatrix", "sync aligned m16n16 num=x1|x2 trans" LC_SHARED LC_PACKED, "d, [a]",
       bind_load<Form::m16n16_trans>},
    Op{"stmatrix", "sync aligned m8n8 num=x1|x2|x4" LC_SHARED "b16", "[a], d",
       bind_store<Form::m8n8>},
    Op{"stmatrix", "sync aligned m8n8 num=x1|x2|x4 trans" LC_SHARED "b16", "[a], d",
       bind_store<Form::m8n8_trans>},
    Op{"stmatrix", "sync aligned m16n8 num=x1|x2|x4 trans" LC_SHARED "b8", "[a], d",
       bind_store<Form::m16n8_trans>},
    Op{"movmatrix", "sync aligned m8n8 trans b16", "d, a", bind_transpose},
};

}  // namespace

std::span<const Op> matrix_move_ops() {
  return kOps;
}

}  // namespace lc::isa
