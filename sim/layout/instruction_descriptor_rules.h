#pragma once

#include "sim/layout/finding.h"

namespace lc {

/// What can be wrong with an instruction descriptor.  Tables are those of PTX ISA 9.0: 42 to 44
/// (fields), 39 (shapes), 51 and 52 (transpose, negate), 57 (scale types).
namespace idesc_rules {
using enum Severity;

inline constexpr Rule kReserved{"instruction_descriptor.reserved", error, "descriptor",
                                "bit {value} is reserved in this kind's descriptor and must be 0"};
inline constexpr Rule kDType{
    "instruction_descriptor.d-type", error, "d",
    "this kind cannot accumulate in that type: f16 kind f16 or f32, tf32 f32, f8f6f4 f16 or f32, "
    "i8 s32, block-scaled kinds f32"};
inline constexpr Rule kDCode{"instruction_descriptor.d-code", error, "d",
                             "code {value} names no accumulator type (0 f16, 1 f32, 2 s32)"};
inline constexpr Rule kDNeedsF16{
    "instruction_descriptor.d-f16-inputs", error, "d",
    "kind f16 accumulates in f16 only when A and B are both f16; bf16 inputs need f32"};
inline constexpr Rule kAType{"instruction_descriptor.a-type", error, "a",
                             "this kind does not take A elements of that type"};
inline constexpr Rule kBType{"instruction_descriptor.b-type", error, "b",
                             "this kind does not take B elements of that type"};
inline constexpr Rule kACode{"instruction_descriptor.a-code", error, "a",
                             "code {value} names no element type of this kind"};
inline constexpr Rule kBCode{"instruction_descriptor.b-code", error, "b",
                             "code {value} names no element type of this kind"};
inline constexpr Rule kMixed16{
    "instruction_descriptor.mixed-16-bit", note, "b",
    "A and B differ between f16 and bf16; the ISA lists both types without saying whether they "
    "may be mixed (not measured)"};

inline constexpr Rule kNoSuchForm{
    "instruction_descriptor.form", error, "kind",
    "this kind cannot be issued that way: .ws exists for kinds f16, tf32, f8f6f4 and i8 with "
    "cta_group::1 only"};
inline constexpr Rule kM{"instruction_descriptor.m", error, "m",
                         "M = {value} is not legal for this kind and way of issue: cta_group::1 "
                         "takes 64 and 128 (block-scaled 128), cta_group::2 128 and 256 (sparse "
                         "block-scaled 256), .ws 32, 64 and 128"};
inline constexpr Rule kN8{"instruction_descriptor.n", error, "n",
                          "N = {value} is not legal: with cta_group::1, N is 8, 16, 24 .. 256"};
inline constexpr Rule kN8Then16{
    "instruction_descriptor.n", error, "n",
    "N = {value} is not legal: kind i8 with cta_group::1 takes N = 8, 16, 24, 32, then 48, 64 .. "
    "256 in steps of 16"};
inline constexpr Rule kN16{"instruction_descriptor.n", error, "n",
                           "N = {value} is not legal: with cta_group::2, N is 16, 32, 48 .. 256"};
inline constexpr Rule kN32{
    "instruction_descriptor.n", error, "n",
    "N = {value} is not legal: kind i8 with cta_group::2 takes N = 32, 64, 96 .. 256"};
inline constexpr Rule kNPowers{
    "instruction_descriptor.n", error, "n",
    "N = {value} is not legal: .ws takes N = 64, 128 and, with a dense A, 256"};
inline constexpr Rule kNTransposed{
    "instruction_descriptor.n-transposed-b", error, "n",
    "an N-major B of 8-bit elements needs N in steps of {limit}, got {value}"};

inline constexpr Rule kNSparsePair{
    "instruction_descriptor.n-sparse-pair", warning, "n",
    "CuTe asks for N in steps of {limit} when a sparse f8f6f4 is issued with cta_group::2, the ISA "
    "does not; got {value}"};

inline constexpr Rule kTransposeA{"instruction_descriptor.a-transpose", error, "a_major",
                                  "kinds mxf4 and mxf4nvf4 read A K-major only"};
inline constexpr Rule kTransposeB{"instruction_descriptor.b-transpose", error, "b_major",
                                  "kinds mxf4 and mxf4nvf4 read B K-major only"};
inline constexpr Rule kSubByteTransposeA{
    "instruction_descriptor.a-sub-byte-transpose", warning, "a_major",
    "M-major 4- and 6-bit elements: the ISA's table of majors lists 8, 16 and 32 bits only, yet "
    "libraries ship such kernels; not measured"};
inline constexpr Rule kSubByteTransposeB{
    "instruction_descriptor.b-sub-byte-transpose", warning, "b_major",
    "N-major 4- and 6-bit elements: the ISA's table of majors lists 8, 16 and 32 bits only, yet "
    "libraries ship such kernels; not measured"};
inline constexpr Rule kTf32TransposeA{
    "instruction_descriptor.a-tf32-transpose", note, "a_major",
    "an M-major tf32 operand must stand in shared memory with swizzle 128B_32B"};
inline constexpr Rule kTf32TransposeB{
    "instruction_descriptor.b-tf32-transpose", note, "b_major",
    "an N-major tf32 operand must stand in shared memory with swizzle 128B_32B"};

inline constexpr Rule kNegateA{"instruction_descriptor.a-negate", error, "negate_a",
                               "kind i8 cannot negate its operands"};
inline constexpr Rule kNegateB{"instruction_descriptor.b-negate", error, "negate_b",
                               "kind i8 cannot negate its operands"};
inline constexpr Rule kSaturate{"instruction_descriptor.saturate", error, "saturate",
                                "only kind i8 saturates"};

inline constexpr Rule kSelectorRange{"instruction_descriptor.selector-range", error,
                                     "sparsity_selector",
                                     "the selector has 2 bits, {value} does not fit"};
inline constexpr Rule kSelectorDense{
    "instruction_descriptor.selector-dense", warning, "sparsity_selector",
    "the selector is read only with a sparse A; write 0 with a dense one"};
inline constexpr Rule kSelectorKind{
    "instruction_descriptor.selector-kind", error, "sparsity_selector",
    "only kinds f16 and tf32 select metadata columns; elsewhere the selector must be 0, got "
    "{value}"};
inline constexpr Rule kSelectorHigh{
    "instruction_descriptor.selector-high", note, "sparsity_selector",
    "selector {value} is allowed by the field table, but no source shows what it selects; known "
    "kernels use 0 and 1"};

inline constexpr Rule kShiftValue{"instruction_descriptor.max-shift-value", error, "max_shift",
                                  "the largest shift is 0, 8, 16 or 32 columns, not {value}"};
inline constexpr Rule kShiftForm{
    "instruction_descriptor.max-shift-form", error, "max_shift",
    "a shift of B exists only in .ws instructions; this shape or form is not one"};
inline constexpr Rule kShiftM32{
    "instruction_descriptor.max-shift-m32", note, "max_shift",
    "with M = 32 a zero-column mask shifts by 16 columns at most, so 32 is never used"};

inline constexpr Rule kScaleType{"instruction_descriptor.scale-type", error, "scale_type",
                                 "only kind mxf4nvf4 takes ue4m3 scale factors; mxf8f6f4 and mxf4 "
                                 "take ue8m0"};
inline constexpr Rule kSfaKind{"instruction_descriptor.sfa-id-kind", error, "sfa_id",
                               "only block-scaled kinds have scale factors, so no id {value}"};
inline constexpr Rule kSfbKind{"instruction_descriptor.sfb-id-kind", error, "sfb_id",
                               "only block-scaled kinds have scale factors, so no id {value}"};
inline constexpr Rule kSfaRange{"instruction_descriptor.sfa-id-range", error, "sfa_id",
                                "a scale-factor id is 0 .. 3, got {value}"};
inline constexpr Rule kSfbRange{"instruction_descriptor.sfb-id-range", error, "sfb_id",
                                "a scale-factor id is 0 .. 3, got {value}"};
inline constexpr Rule kSfaOdd{
    "instruction_descriptor.sfa-id-odd", error, "sfa_id",
    "two scale factors of a row lie in half a cell: kinds mxf4 and mxf4nvf4 take id 0 or 2, got "
    "{value}"};
inline constexpr Rule kSfbOdd{
    "instruction_descriptor.sfb-id-odd", error, "sfb_id",
    "two scale factors of a row lie in half a cell: kinds mxf4 and mxf4nvf4 take id 0 or 2, got "
    "{value}"};
inline constexpr Rule kSfaFour{
    "instruction_descriptor.sfa-id-4x", error, "sfa_id",
    "ue4m3 goes with four scale factors a row, which fill the cell: the id must be 0, got "
    "{value}"};
inline constexpr Rule kSfbFour{
    "instruction_descriptor.sfb-id-4x", error, "sfb_id",
    "ue4m3 goes with four scale factors a row, which fill the cell: the id must be 0, got "
    "{value}"};

inline constexpr Rule kK{"instruction_descriptor.k", error, "k",
                         "K is no field: this kind multiplies {limit} elements along K, not "
                         "{value}"};
inline constexpr Rule kK96Shape{"instruction_descriptor.k96-shape", error, "k",
                                "K = 96 exists for a dense A with M = 256 and cta_group::2 only"};
inline constexpr Rule kK96Arch{"instruction_descriptor.k96-arch", warning, "k",
                               "K = 96 exists on sm_103a only"};
inline constexpr Rule kK96Kind{"instruction_descriptor.k96-kind", error, "k",
                               "K = 96 exists for kinds mxf4 and mxf4nvf4 only"};
}  // namespace idesc_rules
}  // namespace lc
