#include "kernel/gemm/tcgen05_gemm_plan.h"

#include <algorithm>
#include <cstring>

#include "kernel/descriptor.cuh"
#include "kernel/gemm/plan_parts.h"
#include "kernel/gemm/tcgen05_gemm_parameters.h"

namespace lc::kernel {

namespace {

/// CUtensorMapDataType and CUtensorMapSwizzle, as the driver numbers them.
enum DataType { kU8 = 0, kU32 = 2, kF16 = 6, kF32 = 7, kBf16 = 9, k16U4Align8B = 13 };
enum Swizzle { kNoSwizzle = 0, kSwizzle64 = 2, kSwizzle128 = 3, kSwizzle128Atom32 = 4 };
constexpr int kPromote128 = 2, kPromote256 = 3;
constexpr std::uint32_t kBand = 8;

/// An instance of the kernel.
struct Instance {
  const char* name;  ///< end of the entry's name
  std::uint32_t group, n, pairs, scale_blocks;
  std::uint32_t stages, shared, columns;
};

template <std::uint32_t group, std::uint32_t n, std::uint32_t pairs, std::uint32_t scale_blocks>
constexpr Instance instance(const char* name) {
  using Sizes = TileSizes<group, n, pairs, scale_blocks>;
  return {name, group, n, pairs, scale_blocks, Sizes::kStages, Sizes::kShared, Sizes::kColumns};
}

constexpr Instance kInstances[] = {
    instance<2, 256, 1, 0>("256x256"), instance<2, 256, 2, 0>("256x256_multicast"),
    instance<1, 128, 1, 0>("128x128"), instance<2, 128, 1, 1>("256x128"),
    instance<1, 128, 1, 1>("128x128"), instance<2, 128, 1, 4>("256x128"),
    instance<1, 128, 1, 4>("128x128"),
};

std::uint32_t scale_blocks(GemmType type) {
  return type == GemmType::mxf8 ? 1 : type == GemmType::nvf4 ? 4 : 0;
}

const char* kind_name(GemmType type) {
  switch (type) {
    case GemmType::f16:
    case GemmType::bf16:
      return "f16";
    case GemmType::tf32:
      return "tf32";
    case GemmType::e4m3:
    case GemmType::e5m2:
      return "f8";
    case GemmType::mxf8:
      return "mxf8";
    case GemmType::nvf4:
      return "nvf4";
    default:
      throw GemmRefusal("type", "tcgen05_gemm does not take s8", "tcgen05_tma does");
  }
}

constexpr const char* kStatic = "_static";

struct Choice {
  const Instance* instance;
  bool static_schedule;
};

/// `variant` is a tile, `auto` or empty, perhaps followed by _static.
Choice choose(const GemmProblem& p, std::string variant) {
  Choice out{nullptr, false};
  const std::size_t end = variant.rfind(kStatic);
  if (end != variant.npos && end + std::strlen(kStatic) == variant.size()) {
    out.static_schedule = true;
    variant.erase(end);
  }
  const std::uint32_t scales = scale_blocks(p.type);
  if (variant.empty() || variant == "auto") {
    variant = p.m <= kTileRows ? "128x128" : scales == 0 ? "256x256" : "256x128";
  }
  for (const Instance& i : kInstances) {
    if (i.scale_blocks == scales && variant == i.name) out.instance = &i;
  }
  if (out.instance == nullptr) {
    throw GemmRefusal("variant", "there is no tile `" + variant + "` for this type", "auto");
  }
  return out;
}

int data_type(GemmType type) {
  switch (type) {
    case GemmType::f16:
      return kF16;
    case GemmType::bf16:
      return kBf16;
    case GemmType::tf32:
      return kF32;
    case GemmType::nvf4:
      return k16U4Align8B;
    default:
      return kU8;
  }
}

int data_type(GemmOutput type) {
  return type == GemmOutput::f32 ? kF32 : type == GemmOutput::f16 ? kF16 : kBf16;
}

std::uint32_t tile_k(GemmType type) {
  return kAtomBytes * 8 / bits_of(type);
}

/// A or B: `rows` of m or n per CTA, in boxes of which each of `shares` CTAs fetches a part.
struct Operand {
  OperandFetch fetch;
  std::uint32_t box[2];
  int swizzle;
};

/// K-major: rows of 128 bytes of K, eight of them an atom.
Operand k_major(GemmType type, std::uint32_t rows, std::uint32_t shares) {
  SmemMatrix m;
  m.stride_byte_offset = 8 * kAtomBytes;
  m.swizzle = SmemSwizzle::b128;
  OperandFetch f{};
  f.descriptor = smem_descriptor_sm100(m);
  f.step_bytes = kStepBytes;
  f.boxes = 1;
  f.box_bytes = rows * kAtomBytes;
  f.share_mn = rows / shares;
  f.share_bytes = f.box_bytes / shares;
  return {f, {tile_k(type), rows / shares}, kSwizzle128};
}

/// MN-major: rows of 128 bytes of m or n (64 where a CTA has no more), one for each k; a box is as
/// wide as such a row.  f32 has atoms of 4 k with swizzled 32-byte cells, the others of 8 k with
/// 16-byte cells.
Operand mn_major(GemmType type, std::uint32_t rows, std::uint32_t shares) {
  const bool wide = type == GemmType::tf32;
  const std::uint32_t width = std::min(kAtomBytes, rows * bits_of(type) / 8), k = tile_k(type);
  OperandFetch f{};
  f.mn_major = 1;
  f.chunk = width * 8 / bits_of(type);
  f.boxes = rows / f.chunk;
  f.box_bytes = k * width;
  f.step_bytes = k / kStepsPerTile * width;
  f.share_k = k / shares;
  f.share_bytes = f.box_bytes / shares;
  SmemMatrix m;
  m.leading_byte_offset = f.box_bytes;
  m.stride_byte_offset = (wide ? 4 : 8) * width;
  m.swizzle = wide ? SmemSwizzle::b128_32 : width == 64 ? SmemSwizzle::b64 : SmemSwizzle::b128;
  f.descriptor = smem_descriptor_sm100(m);
  const int swizzle = wide ? kSwizzle128Atom32 : width == 64 ? kSwizzle64 : kSwizzle128;
  return {f, {f.chunk, k / shares}, swizzle};
}

Operand operand(GemmType type, GemmMajor major, std::uint32_t rows, std::uint32_t shares) {
  return major == GemmMajor::k ? k_major(type, rows, shares) : mn_major(type, rows, shares);
}

/// A map of 4-bit elements counts an even number of them; what pads a row is zero.
TensorMapCall matrix_map(int type, std::uint64_t address, const GemmMatrix& matrix,
                         const std::uint32_t (&box)[2], int swizzle) {
  const std::uint64_t odd = type == k16U4Align8B ? matrix.contiguous % 2 : 0;
  TensorMapCall call;
  call.data_type = type;
  call.global_address = address;
  call.global_dim = {matrix.contiguous + odd, matrix.rows};
  call.global_strides = {matrix.pitch};
  call.box_dim = {box[0], box[1]};
  call.element_strides = {1, 1};
  call.swizzle = swizzle;
  call.l2_promotion = kPromote256;
  return call;
}

/// Blocks of 512 bytes as 128 words: (word, block of K, block of rows).
TensorMapCall scales_map(std::uint64_t address, const GemmScales& s, std::uint32_t k_blocks,
                         std::uint32_t row_blocks) {
  return {kU32,
          address,
          {kScaleBlockBytes / 4, s.k_blocks, s.row_blocks},
          {kScaleBlockBytes, kScaleBlockBytes * s.k_blocks},
          {kScaleBlockBytes / 4, k_blocks, row_blocks},
          {1, 1, 1},
          0,
          kNoSwizzle,
          kPromote128,
          0};
}

std::uint32_t instruction(const GemmProblem& p, const Instance& i) {
  if (block_scaled(p.type)) {
    BlockScaledInstruction d;
    d.a_type = d.b_type = p.type == GemmType::nvf4 ? ab_type::packed_e2m1 : ab_type::e4m3;
    d.m = kTileRows * i.group;
    d.n = i.n;
    d.a_mn_major = p.a_major == GemmMajor::mn;
    d.b_mn_major = p.b_major == GemmMajor::mn;
    d.scale_ue8m0 = p.type == GemmType::mxf8;
    return instruction_descriptor(d);
  }
  return instruction_descriptor(dense_instruction(p, kTileRows * i.group, i.n));
}

/// What this kernel alone does not take, beside what none does.
void refuse_foreign(const GemmProblem& p, const GemmOperands& at) {
  if (p.type == GemmType::nvf4 && (p.a_major == GemmMajor::mn || p.b_major == GemmMajor::mn)) {
    throw GemmRefusal("major", "the tensor core reads nvf4 K-major only", "k");
  }
  if ((at.scale_a | at.scale_b) % 16 != 0) {
    throw GemmRefusal("scale factors", "are not 16-byte aligned");
  }
}

/// Parts of a plan that describe tiles to a reader of the dump.
void describe(GemmPlan& plan, const char* name, const TensorMapCall& map, const char* source) {
  TileSource from;
  from.tensor = source;
  TileDescription d = TileDescription::copied_by_tma(map).from(from);
  d.in(plan.entry);
  plan.tiles.emplace_back(name, d);
}

}  // namespace

std::vector<std::string> tcgen05_gemm_variants() {
  std::vector<std::string> out{"auto"};
  for (const Instance& i : kInstances) {
    if (std::find(out.begin(), out.end(), i.name) == out.end()) out.push_back(i.name);
  }
  const std::size_t tiles = out.size();
  for (std::size_t i = 0; i < tiles; ++i) out.push_back(out[i] + kStatic);
  return out;
}

GemmPlan plan_tcgen05_gemm(const GemmProblem& p, const GemmOperands& at, const GemmSettings& s,
                           const EncodeTensorMap& encode) {
  const char* kind = kind_name(p.type);
  refuse_illegal(p, at);
  refuse_foreign(p, at);
  GemmPlan plan;
  const Choice choice = choose(p, s.variant);
  const Instance& i = *choice.instance;
  plan.entry = std::string("tcgen05_gemm_") + kind + "_" + i.name;

  Tcgen05GemmParameters q{};
  const Operand a = operand(p.type, p.a_major, kTileRows, 1);
  const Operand b = operand(p.type, p.b_major, i.n / i.group, i.pairs);
  const std::uint32_t d_box[2] = {kAtomBytes / bytes_of(p.output), kTileRows / kFinishWarps};
  const TensorMapCall a_map = matrix_map(data_type(p.type), at.a, matrix_a(p), a.box, a.swizzle);
  const TensorMapCall b_map = matrix_map(data_type(p.type), at.b, matrix_b(p), b.box, b.swizzle);
  const TensorMapCall d_map =
      matrix_map(data_type(p.output), at.d, matrix_d(p), d_box, kSwizzle128);
  q.a = encode(a_map);
  q.b = encode(b_map);
  q.d = encode(d_map);
  describe(plan, "A", a_map, "A_global");
  describe(plan, "B", b_map, "B_global");
  describe(plan, "D", d_map, "D_global");
  if (p.beta != 0) {
    q.c = encode(matrix_map(data_type(p.output), at.c, matrix_d(p), d_box, kSwizzle128));
  }
  if (i.scale_blocks != 0) {
    const TensorMapCall sfa =
        scales_map(at.scale_a, scales_of(p.m, p.k, p.type), i.scale_blocks, 1);
    const TensorMapCall sfb =
        scales_map(at.scale_b, scales_of(p.n, p.k, p.type), i.scale_blocks, i.n / 128);
    q.scale_a = encode(sfa);
    q.scale_b = encode(sfb);
    describe(plan, "SFA", sfa, "SFA_global");
    describe(plan, "SFB", sfb, "SFB_global");
  }
  q.fetch_a = a.fetch;
  q.fetch_b = b.fetch;

  const std::uint32_t ctas = i.group * i.pairs, rows = kTileRows * ctas;
  q.m = p.m;
  q.n = p.n;
  q.tiles_m = (p.m + rows - 1) / rows;
  q.tiles_n = (p.n + i.n - 1) / i.n;
  q.band = kBand;
  q.tile_k = tile_k(p.type);
  q.k_tiles = (p.k + q.tile_k - 1) / q.tile_k;
  q.instruction = instruction(p, i);
  q.static_schedule = choice.static_schedule ? 1 : 0;
  q.output = p.output;
  q.activation = p.activation;
  q.alpha = p.alpha;
  q.beta = p.beta;
  q.bias = p.bias ? reinterpret_cast<const float*>(static_cast<std::uintptr_t>(at.bias)) : nullptr;
  q.dump = s.dump;

  const std::uint64_t tiles = std::uint64_t{q.tiles_m} * q.tiles_n;
  const std::uint64_t resident = std::max<std::uint64_t>(1, s.multiprocessors / ctas);
  const std::uint64_t clusters = choice.static_schedule ? std::min(tiles, resident) : tiles;
  if (clusters * ctas > 0x7FFFFFFF) throw GemmRefusal("m, n", "give more tiles than a grid has");
  plan.grid = {static_cast<std::uint32_t>(clusters * ctas), 1, 1};
  plan.block = {kGemmThreads, 1, 1};
  plan.cluster = {ctas, 1, 1};
  plan.dynamic_smem = i.shared;
  plan.tile = {kTileRows * i.group, i.n, q.tile_k};
  plan.stages = i.stages;
  plan.tmem_columns = i.columns;
  plan.set_parameters(q);
  return plan;
}

}  // namespace lc::kernel
