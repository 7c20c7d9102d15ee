#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Golden PTX programs: tests/ptx/*.ptx, each a PTX file that says in comments how it is run and
// what it leaves in memory.  This header reads the comments and compares; it knows no device, so
// that the virtual GPU and a real one can be given the same programs.
//
//     // RUN: entry=k grid=1 block=32
//     // ARG: out u32[32]
//     // ARG: in s16[32] random:7
//     // ARG: n u32 = 5
//     // EXPECT: out = 0 1 2 3 0*28
//
// RUN begins a run; the lines after it, up to the next RUN, belong to it.
//     entry=NAME                default: the only entry
//     grid=X[,Y[,Z]] block=… cluster=…     default 1
//     shared=BYTES              dynamic shared memory, default 0
//     arch=sm_90|sm_100         default sm_100.  Runs with sm_90 also go to an H200
//     schedule=eager;lazy;random:7         every one is tried; default eager
//     gpu=no                    not on a real GPU: it hangs, faults or has other bits there
// ARG is a parameter of the entry, in order.
//     NAME TYPE[COUNT] [FILL]   a buffer in global memory; the parameter is its address.
//                               FILL: zero (default), iota, random:SEED (random bits),
//                               uniform:SEED (numbers in [-1, 1), whole ones for integers in
//                               -64 … 63 or 0 … 127), = V V … (the rest 0)
//     NAME TYPE = V             a value
//     NAME tensor_map {JSON}    128 bytes, the fields of `tensor_map.check`, or with
//     pixel_box_lower
//                               of `tensor_map.check_im2col`; "global_address": "NAME" is a buffer,
//                               "NAME+16" an address in it
// EXPECT is what a buffer holds afterwards.
//     NAME[AT] [within R] = V V …   from element AT on (default 0); `within` allows a relative
//                               difference R, for instructions the ISA calls approximate.  A real
//                               GPU is compared with that tolerance, the virtual one exactly.
// FAULT RULE ["text"]           the run stops with that fault, whose sentence contains the text.
//                               A program that cannot be loaded has the rule `load`.
//
// TYPE is u8 … u64, s8 … s64, f32, f64, or b8 … b64 and f16, bf16, whose values are written in hex.
// V is a number, 0x and the bits, or V*COUNT.  With LC_BLESS=1 in the environment the tests rewrite
// the values of the EXPECT lines, and FAULT lines, as the virtual GPU has them; `EXPECT: out` alone
// asks for all of a buffer.
namespace lc::tests {

enum class ElementType : std::uint8_t {
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f32,
  f64,
  f16,
  bf16,
  b8,
  b16,
  b32,
  b64
};

std::uint32_t bytes_of(ElementType type);
std::string to_text(ElementType type, std::uint64_t bits);

struct GoldenArg {
  enum class Kind : std::uint8_t { buffer, value, tensor_map } kind = Kind::buffer;
  std::string name;
  ElementType type = ElementType::u32;
  std::uint64_t count = 1;          ///< elements of a buffer
  std::vector<std::uint8_t> bytes;  ///< what the buffer is filled with; the value
  std::string json;                 ///< of a tensor map
};

struct GoldenExpect {
  std::string name;
  std::uint64_t at = 0;
  std::optional<double> tolerance;
  bool everything = false;  ///< no values yet: LC_BLESS writes all
  std::vector<std::uint64_t> values;
  std::uint32_t line = 0;  ///< from 1
};

struct GoldenFault {
  std::string rule, text;
};

struct GoldenRun {
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicit_cluster = false;
  std::uint32_t shared = 0;
  std::string arch = "sm_100";
  std::vector<std::string> schedules{"eager"};
  bool gpu = true;
  std::vector<GoldenArg> args;
  std::vector<GoldenExpect> expects;
  std::optional<GoldenFault> fault;
  std::uint32_t line = 0;       ///< of RUN, from 1
  std::uint32_t last_line = 0;  ///< of its last directive
};

struct GoldenProgram {
  std::string file;  ///< without folder
  std::string text;
  std::vector<GoldenRun> runs;
};

/// Throws std::runtime_error "file:line: …".
GoldenProgram parse_golden_program(const std::string& file, const std::string& text);

/// The buffers of a run afterwards, or the fault it stopped with.
struct GoldenOutcome {
  std::vector<std::vector<std::uint8_t>> buffers;  ///< by argument; empty for the others
  std::optional<GoldenFault> fault;
};

/// What differs from the expectations, one line each; `tolerant`: `within` counts.
std::vector<std::string> differences(const GoldenProgram& program, const GoldenRun& run,
                                     const GoldenOutcome& outcome, bool tolerant);

/// The text with the expectations of every run as in `outcomes`.
std::string blessed(const GoldenProgram& program, const std::vector<GoldenOutcome>& outcomes);

/// Where a buffer is, for tensor maps.
struct BufferAddress {
  std::string name;
  std::uint64_t address = 0;
};
/// The 128 bytes of a tensor map as the virtual GPU's encoder makes them.
std::array<std::uint8_t, 128> tensor_map_bytes(const std::string& json,
                                               const std::vector<BufferAddress>& buffers);

}  // namespace lc::tests
