#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/layout/finding.h"

/// How a unit of the virtual GPU says that the guest program did something wrong.
namespace lc::machine {

/// What the hardware reports; the runtime turns it into a CUDA error.
enum class FaultKind : std::uint8_t {
  illegal_address,
  misaligned_address,
  illegal_instruction,
  invalid_address_space,
  undefined,      ///< the ISA leaves the result open; real hardware may say nothing
  out_of_memory,  ///< a limit of the guest
  deadlock,       ///< nothing can go on
  limit,          ///< of instructions
  trap,           ///< trap, brkpt or a failed assertion
  launch,         ///< the kernel cannot be started that way
};

constexpr std::array<Spelled<FaultKind>, 10> spellings(FaultKind) {
  return {{{FaultKind::illegal_address, "illegal address"},
           {FaultKind::misaligned_address, "misaligned address"},
           {FaultKind::illegal_instruction, "illegal instruction"},
           {FaultKind::invalid_address_space, "invalid address space"},
           {FaultKind::undefined, "undefined behaviour"},
           {FaultKind::out_of_memory, "out of memory"},
           {FaultKind::deadlock, "deadlock"},
           {FaultKind::limit, "limit reached"},
           {FaultKind::trap, "trap"},
           {FaultKind::launch, "launch failure"}}};
}

/// Who did it.  Units know none of this: the caller fills in what it knows.
struct Place {
  int line = -1;  ///< of the PTX text
  std::uint32_t cta[3] = {};
  int warp = -1;  ///< in the CTA
  int lane = -1;
  std::string function;  ///< that the instruction is in

  bool known() const { return line >= 0 || warp >= 0; }
  bool operator==(const Place&) const = default;
};

/// Thrown by units.  `rule` is a stable identifier such as "shared.out-of-bounds".
struct Fault : std::runtime_error {
  Fault(FaultKind k, std::string rule_id, const std::string& message,
        std::optional<std::uint64_t> at = std::nullopt)
      : std::runtime_error(message), kind(k), rule(std::move(rule_id)), address(at) {}

  FaultKind kind;
  std::string rule;
  std::optional<std::uint64_t> address;
  Place place;
};

/// "0x1c00".
std::string hex(std::uint64_t value);

/// The sentence of a finding with its numbers filled in.
std::string sentence_of(const Finding& finding);

/// A finding of the layout model as a fault.
Fault fault_of(FaultKind kind, const Finding& finding,
               std::optional<std::uint64_t> address = std::nullopt);

/// Throws the first error among the findings, if there is one.
void throw_first_error(FaultKind kind, const Findings& findings,
                       std::optional<std::uint64_t> address = std::nullopt);

/// Throws `Fault` with the place, if the fault has none yet; call inside a catch block.
[[noreturn]] void rethrow_at(Fault fault, const Place& place);

}  // namespace lc::machine
