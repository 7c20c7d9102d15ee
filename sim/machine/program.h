#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/lanes.h"

// What a warp executes: instructions with their handlers bound and their operands placed.  Made
// once, when a module is loaded, by sim/isa; the machine knows no instruction by name.
//
// Registers.  A function's registers live in a frame.  A register of up to 32 bits takes 32 lanes
// of 4 bytes (16- and 8-bit values are zero-extended there), one of 64 bits 32 lanes of 8, one of
// 128 bits 32 lanes of 16.  A predicate is one LaneMask.  So a handler is a loop over lanes that
// compilers vectorise:
//
//     frame   | %p1 | %r1: lane 0, 1, … 31 | %rd1: lane 0 … 31 | …
//
// Constants and special registers are laid out the same way in two blocks of their own, so that a
// source operand is an offset and a choice of block, never a case distinction.
namespace lc::machine {

class Warp;

/// Where an operand's lanes are.
struct Ref {
  enum class Block : std::uint32_t { frame, constants, specials };

  std::uint32_t block : 2 = 0;
  std::uint32_t negated : 1 = 0;  ///< !p
  std::uint32_t offset : 29 = 0;  ///< bytes; at most 512 MiB of frame

  static constexpr Ref in(Block where, std::uint32_t at) {
    Ref r;
    r.block = static_cast<std::uint32_t>(where) & 3;
    r.offset = at & 0x1FFFFFFF;
    return r;
  }
  constexpr Block where() const { return static_cast<Block>(std::uint32_t{block}); }
  constexpr bool operator==(const Ref&) const = default;
};
static_assert(sizeof(Ref) == 4);

/// Bytes of one lane of a register.  `predicate` has no lanes: one LaneMask for all.
enum class LaneWidth : std::uint8_t { predicate = 0, b32 = 4, b64 = 8, b128 = 16 };

constexpr std::uint32_t bytes_of(LaneWidth w) {
  return w == LaneWidth::predicate ? 4 : kWarpLanes * static_cast<std::uint32_t>(w);
}

/// What comes after an instruction.
enum class Flow : std::uint8_t {
  next,   ///< the following instruction
  jump,   ///< the handler has set where the lanes go on (Warp::branch, call, return, exit)
  again,  ///< it waits: the handler has called Warp::wait and runs again when that is over
};

struct Inst;

/// Executes one instruction for the lanes in `active`, never 0: those that are at it and whose
/// guard is true.  Throws Fault.
using Handler = Flow (*)(Warp& warp, const Inst& inst, LaneMask active);

/// One instruction.
struct Inst {
  Handler run = nullptr;
  const void* info = nullptr;  ///< what the handler decoded from modifiers; owned by the program
  Ref guard;                   ///< a predicate; a constant of all lanes when there is none
  std::array<Ref, 6> op{};     ///< operands in an order that handler and binder agree on
  std::uint32_t first = 0;     ///< longer lists: a range of FunctionCode::refs
  std::uint32_t count = 0;
  std::uint32_t target = 0;    ///< instruction that a branch goes to, or function that is called
  std::uint32_t line = 0;      ///< of the PTX text
  std::uint32_t mnemonic = 0;  ///< into Program::mnemonics
};

/// Special registers that do not change while a warp runs: filled in when it starts.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  is_explicit_cluster,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  reserved_smem_offset_begin,
  reserved_smem_offset_end,
  reserved_smem_offset_cap,
  reserved_smem_offset_0,
  reserved_smem_offset_1,
  total_smem_size,
  aggr_smem_size,
  dynamic_smem_size,
  shared_address,  ///< rank << 24 | addend: where a shared variable is
  workspace_high,  ///< %envreg1 and %envreg2: where the CTAs of a cooperative launch meet
  workspace_low,
  zero,  ///< other %envreg, %pm, %current_graph_exec and the w of vectors: always 0
};

struct SpecialUse {
  Special what = Special::zero;
  LaneWidth width = LaneWidth::b32;
  std::uint32_t offset = 0;  ///< in the block
  std::uint32_t addend = 0;
};

/// A parameter of a function.
struct ParameterPlace {
  std::uint32_t offset = 0;  ///< kernels: in the parameter buffer; others: in the local frame
  std::uint32_t size = 0;
  std::uint32_t align = 1;
  bool is_register = false;  ///< .reg parameters of a .func
  Ref reg;
  LaneWidth width = LaneWidth::b32;
};

/// A function, ready to run.
struct FunctionCode {
  std::string name;
  bool is_entry = false;
  std::vector<Inst> code;  ///< ends in an instruction that returns
  std::vector<Ref> refs;   ///< operand lists of instructions that have many
  /// Offsets of the registers that instruction i names, from touched_from[i] to touched_from[i +
  /// 1].
  std::vector<std::uint32_t> touched, touched_from;
  /// Where each instruction stands in Program::source.
  struct Text {
    std::uint32_t offset = 0, length = 0;
  };
  std::vector<Text> texts;
  std::uint32_t frame_bytes = 0;
  /// Per-thread memory of a frame: .local variables, and .param variables of calls and of
  /// non-entry functions.
  std::uint32_t local_bytes = 0;
  std::vector<ParameterPlace> parameters, results;
};

/// Base class of whatever handlers keep.
struct InstInfo {
  virtual ~InstInfo() = default;
};

/// An entry and everything it can call.
struct Program {
  std::string file;                      ///< for messages
  std::string_view source;               ///< the PTX text; `owner` keeps it
  std::vector<std::string> mnemonics;    ///< "tcgen05.mma.cta_group::1.kind::f16", as written
  std::vector<FunctionCode> functions;   ///< the entry is [0]
  std::vector<std::uint64_t> constants;  ///< the block, laid out as a frame
  std::vector<SpecialUse> specials;
  std::uint32_t specials_bytes = 0;
  std::uint32_t parameter_bytes = 0;                ///< of the entry
  std::uint32_t static_shared_bytes = 0;            ///< from offset kSharedReserved on
  std::uint32_t dynamic_shared_begin = 0x400;       ///< offset of dynamic shared memory
  std::array<std::uint32_t, 3> required_cluster{};  ///< .reqnctapercluster; 0: not said
  std::array<std::uint32_t, 3> required_block{};    ///< .reqntid; 0: not said
  std::uint32_t max_threads = 0;                    ///< .maxntid; 0: not said
  bool explicit_cluster = false;
  std::vector<std::unique_ptr<InstInfo>> infos;
  /// Keeps the module and whatever else must outlive the program.
  std::shared_ptr<const void> owner;

  const FunctionCode& entry() const { return functions.front(); }
  /// By the number in a function's address (address_map.h); -1: not part of the program.
  std::vector<std::int32_t> by_number;
};

}  // namespace lc::machine
