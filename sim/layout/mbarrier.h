#pragma once

#include <cstdint>

#include "sim/layout/bit_field.h"
#include "sim/layout/field_line.h"
#include "sim/layout/finding.h"

namespace lc {

/// An mbarrier object as a value, and its arithmetic (PTX ISA 9.0, 9.7.13.15; every record of
/// tests/golden/h200/mbarrier.csv).  A phase is complete when no arrival is pending and the
/// transaction count is zero; the count may be negative meanwhile, because bytes may complete
/// before they are expected.
///
///   63     62      43  42  41     21  20      1  0
///   phase | -pending | 0 | -tx      | -expected | 0      the word an H200 leaves after inval
struct Mbarrier {
  std::uint64_t phase = 0;     ///< completed phases; hardware keeps the lowest bit
  std::uint32_t expected = 0;  ///< arrivals of the next phase
  std::uint32_t pending = 0;   ///< arrivals this phase still waits for
  std::int64_t tx = 0;         ///< bytes expected and not yet complete

  constexpr bool operator==(const Mbarrier&) const = default;
};

/// Counts are 1 .. 2^20 - 1, the transaction count is within +-(2^20 - 1); outside, behaviour is
/// undefined.
inline constexpr std::uint32_t kMbarrierLimit = (1u << 20) - 1;

namespace mbarrier_fields {
inline constexpr BitField kZero0{"reserved", 0, 1, 0}, kExpected{"expected", 1, 20, 0},
    kTx{"tx", 21, 21, 0}, kZero42{"reserved", 42, 1, 0}, kPending{"pending", 43, 20, 0},
    kPhase{"phase", 63, 1, 0};
}  // namespace mbarrier_fields

enum class MbarrierOp : std::uint8_t {
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  arrive_expect_tx
};

constexpr std::array<Spelled<MbarrierOp>, 5> spellings(MbarrierOp) {
  return {{{MbarrierOp::arrive, "arrive"},
           {MbarrierOp::arrive_drop, "arrive_drop"},
           {MbarrierOp::expect_tx, "expect_tx"},
           {MbarrierOp::complete_tx, "complete_tx"},
           {MbarrierOp::arrive_expect_tx, "arrive_expect_tx"}}};
}

constexpr bool counts_arrivals(MbarrierOp op) {
  return op == MbarrierOp::arrive || op == MbarrierOp::arrive_drop;
}

constexpr Mbarrier mbarrier_init(std::uint32_t count) {
  return {0, count, count, 0};
}

/// The state after an operation that `check_mbarrier` finds no error in.
constexpr Mbarrier apply(Mbarrier b, MbarrierOp op, std::uint32_t operand) {
  switch (op) {
    case MbarrierOp::arrive_drop:
      b.expected -= operand;
      [[fallthrough]];
    case MbarrierOp::arrive:
      b.pending -= operand;
      break;
    case MbarrierOp::expect_tx:
      b.tx += operand;
      break;
    case MbarrierOp::complete_tx:
      b.tx -= operand;
      break;
    case MbarrierOp::arrive_expect_tx:
      b.tx += operand;
      b.pending -= 1;
      break;
  }
  if (b.pending == 0 && b.tx == 0) {
    ++b.phase;
    b.pending = b.expected;
  }
  return b;
}

/// test_wait.parity / try_wait.parity: true when the phase with that parity is not the current
/// one.  A fresh barrier therefore answers true for parity 1 at once.
constexpr bool wait_parity(const Mbarrier& b, std::uint32_t parity) {
  return (b.phase & 1) != (parity & 1);
}

/// The 64-bit object.  Plain loads of a live barrier on an H200 do not show it, only loads after
/// mbarrier.inval do; the PTX ISA calls it opaque.
constexpr std::uint64_t encode(const Mbarrier& b) {
  namespace f = mbarrier_fields;
  return f::kExpected.put(0 - std::uint64_t{b.expected}) |
         f::kTx.put(0 - static_cast<std::uint64_t>(b.tx)) |
         f::kPending.put(0 - std::uint64_t{b.pending}) | f::kPhase.put(b.phase);
}

constexpr Mbarrier decode_mbarrier(std::uint64_t word) {
  namespace f = mbarrier_fields;
  Mbarrier b;
  b.phase = f::kPhase.raw(word);
  b.expected = static_cast<std::uint32_t>((0 - f::kExpected.raw(word)) & f::kExpected.mask());
  b.pending = static_cast<std::uint32_t>((0 - f::kPending.raw(word)) & f::kPending.mask());
  const std::uint64_t raw_tx = f::kTx.raw(word);
  const bool negative = raw_tx >> (f::kTx.width - 1) != 0;
  const auto stored = static_cast<std::int64_t>(raw_tx) -
                      (negative ? std::int64_t{1} << f::kTx.width : std::int64_t{0});
  b.tx = -stored;
  return b;
}

/// The token an arrival returns: the upper half of the object before the operation, and below it
/// the operand (1 for .noComplete).  Seen on an H200.
constexpr std::uint64_t mbarrier_token(const Mbarrier& before, std::uint32_t operand) {
  return (encode(before) >> 32 << 32) | operand;
}

/// mbarrier.pending_count: arrivals pending before the arrival that returned the token.
constexpr std::uint32_t pending_count(std::uint64_t token) {
  return decode_mbarrier(token).pending;
}

/// test_wait with a token: true when the phase it was taken in is over.  Only meaningful in that
/// phase and the next.
constexpr bool wait_token(const Mbarrier& b, std::uint64_t token) {
  return (b.phase & 1) != mbarrier_fields::kPhase.raw(token);
}

namespace mbarrier_rules {
inline constexpr Rule kCount{"mbarrier.count", Severity::error, "count",
                             "an mbarrier is initialised with 1 .. {limit} arrivals, not {value}"};
inline constexpr Rule kOperand{"mbarrier.arrivals", Severity::error, "ops",
                               "one operation counts 1 .. {limit} arrivals, not {value}"};
inline constexpr Rule kUnderflow{
    "mbarrier.pending-underflow", Severity::error, "ops",
    "{value} arrivals where only {limit} are pending: the count would fall below 0, which is "
    "undefined"};
inline constexpr Rule kTxRange{
    "mbarrier.tx-range", Severity::error, "ops",
    "the transaction count would become {value}, outside +-{limit}, which is undefined"};
inline constexpr Rule kAllDropped{
    "mbarrier.all-dropped", Severity::warning, "ops",
    "the last participant leaves: no arrival is expected in later phases, which is outside the "
    "range 1 .. {limit} of a barrier in use"};
inline constexpr Rule kOpenPhase{
    "mbarrier.open-phase", Severity::note, "ops",
    "the last phase is still open: {value} arrivals pending, transaction count {limit}"};
inline constexpr Rule kReservedBit{
    "mbarrier.reserved", Severity::warning, "word",
    "bit {value} is set, but was 0 in every word seen on an H200: is this an mbarrier?"};
inline constexpr Rule kNeverInitialised{
    "mbarrier.never-initialised", Severity::warning, "word",
    "{value} arrivals are expected of the next phase, but counts are 1 .. {limit}: this word is no "
    "barrier, or every arrival was dropped"};
inline constexpr Rule kResting{
    "mbarrier.resting", Severity::warning, "word",
    "no arrival and no byte is pending: a phase turns at that moment, so a barrier never rests "
    "there"};
}  // namespace mbarrier_rules

constexpr Findings check_mbarrier_count(std::uint64_t count) {
  Findings out;
  if (count == 0 || count > kMbarrierLimit) {
    out.add(mbarrier_rules::kCount, static_cast<std::int64_t>(count), kMbarrierLimit);
  }
  return out;
}

/// What an operation would do that the ISA leaves undefined.  `index` is the operation's place in
/// a list, or -1.
constexpr Findings check_mbarrier(const Mbarrier& b, MbarrierOp op, std::uint32_t operand,
                                  int index = -1) {
  namespace r = mbarrier_rules;
  Findings out;
  std::uint32_t arrivals = 0;
  if (counts_arrivals(op)) {
    arrivals = operand;
    if (operand == 0 || operand > kMbarrierLimit) {
      out.add_at(r::kOperand, index, operand, kMbarrierLimit);
      return out;
    }
  } else {
    if (op == MbarrierOp::arrive_expect_tx) arrivals = 1;
    const std::int64_t tx = op == MbarrierOp::complete_tx ? b.tx - operand : b.tx + operand;
    if (tx > std::int64_t{kMbarrierLimit} || tx < -std::int64_t{kMbarrierLimit}) {
      out.add_at(r::kTxRange, index, tx, kMbarrierLimit);
    }
  }
  if (arrivals > b.pending) out.add_at(r::kUnderflow, index, arrivals, b.pending);
  if (op == MbarrierOp::arrive_drop && operand == b.expected && !out.has_error()) {
    out.add_at(r::kAllDropped, index, operand, kMbarrierLimit);
  }
  return out;
}

using MbarrierLines = FieldLines<6>;

/// Every field of an mbarrier object, ready for a table.
constexpr MbarrierLines mbarrier_lines(std::uint64_t word) {
  namespace f = mbarrier_fields;
  const Mbarrier b = decode_mbarrier(word);
  MbarrierLines lines;
  const auto add = [&](const BitField& field, std::int64_t value, const char* meaning) {
    lines.add({field, field.raw(word), value, meaning, false});
  };
  lines.add(
      {f::kZero0, f::kZero0.raw(word), static_cast<std::int64_t>(f::kZero0.raw(word)), "", true});
  add(f::kExpected, b.expected, "arrivals of the next phase (stored negated)");
  add(f::kTx, b.tx, "bytes expected and not complete (stored negated)");
  lines.add({f::kZero42, f::kZero42.raw(word), static_cast<std::int64_t>(f::kZero42.raw(word)), "",
             true});
  add(f::kPending, b.pending, "arrivals still pending in this phase (stored negated)");
  add(f::kPhase, static_cast<std::int64_t>(b.phase),
      b.phase == 0 ? "parity of the current phase: wait(1) passes, wait(0) blocks"
                   : "parity of the current phase: wait(0) passes, wait(1) blocks");
  return lines;
}

constexpr Findings check_mbarrier_word(std::uint64_t word) {
  namespace f = mbarrier_fields;
  Findings out;
  for (const BitField& field : {f::kZero0, f::kZero42}) {
    if (field.raw(word) != 0) out.add(mbarrier_rules::kReservedBit, field.lo);
  }
  const Mbarrier b = decode_mbarrier(word);
  if (b.expected == 0) out.add(mbarrier_rules::kNeverInitialised, b.expected, kMbarrierLimit);
  if (b.expected != 0 && b.pending == 0 && b.tx == 0) out.add(mbarrier_rules::kResting);
  return out;
}

}  // namespace lc
