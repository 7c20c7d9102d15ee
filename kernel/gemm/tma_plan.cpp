#include "kernel/gemm/tma_plan.h"

#include "kernel/gemm/plan_parts.h"
#include "kernel/gemm/tma_tile.h"

namespace lc::kernel {

namespace {

/// CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion, as the driver numbers them.
enum DataType { kU8 = 0, kS32 = 3, kF16 = 6, kF32 = 7, kBf16 = 9 };
enum Swizzle { kSwizzle128 = 3, kSwizzle128Atom32 = 4 };
constexpr int kPromote128 = 2, kPromote256 = 3;

constexpr const char* kVariant = "128x128";
constexpr std::uint32_t kColumns = 128;

/// The kernel of one architecture.
struct Family {
  std::string name;
  bool tcgen05;
  std::uint32_t threads;
};

const Family& tcgen05_family() {
  static const Family kFamily{"tcgen05_tma", true, kTcgen05TmaThreads};
  return kFamily;
}
const Family& wgmma_family() {
  static const Family kFamily{"wgmma_tma", false, kWgmmaTmaThreads};
  return kFamily;
}

void refuse_foreign(const Family& family, const GemmProblem& p) {
  if (block_scaled(p.type)) {
    throw GemmRefusal("type", family.name + " has no scale factors", "tcgen05_gemm");
  }
  const bool mn_major = p.a_major == GemmMajor::mn || p.b_major == GemmMajor::mn;
  if (!family.tcgen05 && mn_major && bits_of(p.type) != 16) {
    throw GemmRefusal("major", "wgmma reads MN-major operands of 16 bits only", "k");
  }
}

/// tcgen05 has an instance for each kind and is told the rest in the instruction descriptor; wgmma
/// has one for each type and major.
std::string entry_name(const Family& family, const GemmProblem& p) {
  if (!family.tcgen05) {
    const char* type = p.type == GemmType::s8 ? "s8" : element_name(p.type);
    return family.name + "_" + type + (p.a_major == GemmMajor::mn ? "_a_mn" : "") +
           (p.b_major == GemmMajor::mn ? "_b_mn" : "");
  }
  const unsigned bits = bits_of(p.type);
  return family.name + (p.type == GemmType::s8 ? "_i8"
                        : bits == 32           ? "_tf32"
                        : bits == 16           ? "_f16"
                                               : "_f8");
}

int data_type(GemmType type) {
  return type == GemmType::f16    ? kF16
         : type == GemmType::bf16 ? kBf16
         : type == GemmType::tf32 ? kF32
                                  : kU8;
}

int data_type(GemmOutput type) {
  return type == GemmOutput::f16    ? kF16
         : type == GemmOutput::bf16 ? kBf16
         : type == GemmOutput::s32  ? kS32
                                    : kF32;
}

/// A matrix as it lies in memory, (column, row), in boxes of one group.
TensorMapCall plain_map(int type, std::uint64_t address, const GemmMatrix& matrix,
                        std::uint32_t columns, std::uint32_t rows, int swizzle) {
  TensorMapCall call;
  call.data_type = type;
  call.global_address = address;
  call.global_dim = {matrix.contiguous, matrix.rows};
  call.global_strides = {matrix.pitch};
  call.box_dim = {columns, rows};
  call.element_strides = {1, 1};
  call.swizzle = swizzle;
  call.l2_promotion = kPromote256;
  return call;
}

/// The whole groups of the same matrix, (column in the group, row, group), in boxes of several.
TensorMapCall grouped_map(const TensorMapCall& plain, std::uint64_t whole_groups,
                          std::uint32_t groups) {
  TensorMapCall call = plain;
  call.global_dim = {plain.box_dim[0], plain.global_dim[1], whole_groups};
  call.global_strides = {plain.global_strides[0], kGroupBytes};
  call.box_dim = {plain.box_dim[0], plain.box_dim[1], groups};
  call.element_strides = {1, 1, 1};
  call.l2_promotion = kPromote128;
  return call;
}

/// A or B: how it is fetched and read.
struct Operand {
  TmaOperand fetch{};
  TensorMapCall plain;
};

/// K-major: two groups of 128 bytes of K; every group is a column of atoms of 8 rows.
SmemMatrix k_major(TmaOperand& f, std::uint32_t rows) {
  f.groups = kTmaTileKBytes / kGroupBytes;
  f.group_bytes = rows * kGroupBytes;
  f.slices_a_group = kGroupBytes / kSliceBytes;
  f.slice_bytes = kSliceBytes;
  SmemMatrix m;
  m.stride_byte_offset = 8 * kGroupBytes;
  m.swizzle = SmemSwizzle::b128;
  return m;
}

/// MN-major: as many groups as `rows` of m or n take; a row of a group for each k.  Atoms have 8 k,
/// for tf32 4 (and swizzle 32-byte cells).  LBO leads to the next group, SBO to the next atom of
/// the same.
SmemMatrix mn_major(TmaOperand& f, GemmType type, std::uint32_t rows) {
  const std::uint32_t tile_k = kTmaTileKBytes * 8 / bits_of(type);
  f.mn_major = 1;
  f.groups = rows * bits_of(type) / 8 / kGroupBytes;
  f.group_bytes = tile_k * kGroupBytes;
  f.slices_a_group = kSlices;
  f.slice_bytes = f.group_bytes / kSlices;
  SmemMatrix m;
  m.leading_byte_offset = f.group_bytes;
  m.stride_byte_offset = (type == GemmType::tf32 ? 4 : 8) * kGroupBytes;
  m.swizzle = type == GemmType::tf32 ? SmemSwizzle::b128_32 : SmemSwizzle::b128;
  return m;
}

Operand operand(const Family& family, GemmType type, GemmMajor major, const GemmMatrix& matrix,
                std::uint64_t address, std::uint32_t rows) {
  Operand out;
  TmaOperand& f = out.fetch;
  const bool mn = major == GemmMajor::mn;
  const SmemMatrix m = mn ? mn_major(f, type, rows) : k_major(f, rows);
  f.descriptor = family.tcgen05 ? smem_descriptor_sm100(m) : smem_descriptor_sm90(m);
  f.group = kGroupBytes * 8 / bits_of(type);
  f.whole = static_cast<std::uint32_t>(matrix.contiguous / f.group * f.group);
  const std::uint32_t box_rows = mn ? kTmaTileKBytes * 8 / bits_of(type) : rows;
  out.plain = plain_map(data_type(type), address, matrix, f.group, box_rows,
                        m.swizzle == SmemSwizzle::b128_32 ? kSwizzle128Atom32 : kSwizzle128);
  return out;
}

TensorMap encode_grouped(const Operand& o, const EncodeTensorMap& encode) {
  if (o.fetch.whole == 0) return {};
  return encode(grouped_map(o.plain, o.fetch.whole / o.fetch.group, o.fetch.groups));
}

void describe(GemmPlan& plan, const char* name, const TensorMapCall& map, const char* source) {
  TileSource from;
  from.tensor = source;
  plan.tiles.emplace_back(name, TileDescription::copied_by_tma(map).from(from).in(plan.entry));
}

GemmPlan plan_tma(const Family& family, const GemmProblem& p, const GemmOperands& at,
                  const GemmSettings& s, const EncodeTensorMap& encode) {
  refuse_illegal(p, at);
  refuse_foreign(family, p);
  if (!s.variant.empty() && s.variant != kVariant) {
    throw GemmRefusal("variant", family.name + " has no `" + s.variant + "`", kVariant);
  }
  GemmPlan plan;
  plan.entry = entry_name(family, p);
  const Operand a = operand(family, p.type, p.a_major, matrix_a(p), at.a, kTmaTileM);
  const Operand b = operand(family, p.type, p.b_major, matrix_b(p), at.b, kTmaTileN);
  const TensorMapCall d_map = plain_map(data_type(p.output), at.d, matrix_d(p),
                                        kGroupBytes / bytes_of(p.output), kTmaTileM, kSwizzle128);

  TmaParameters q{};
  q.a_grouped = encode_grouped(a, encode);
  q.b_grouped = encode_grouped(b, encode);
  q.a = encode(a.plain);
  q.b = encode(b.plain);
  q.d = encode(d_map);
  q.operand_a = a.fetch;
  q.operand_b = b.fetch;
  q.tile_k = kTmaTileKBytes * 8 / bits_of(p.type);
  q.k_tiles = tiles_of(p.k, q.tile_k);
  q.instruction = instruction_descriptor(dense_instruction(p, kTmaTileM, kTmaTileN));
  q.epilogue = epilogue_of(p, at);
  q.dump = s.dump;

  plan.grid = grid_of_tiles(p, kTmaTileM, kTmaTileN);
  plan.block = {family.threads, 1, 1};
  plan.dynamic_smem = kTmaShared;
  plan.tile = {kTmaTileM, kTmaTileN, q.tile_k};
  plan.stages = kTmaStages;
  plan.tmem_columns = family.tcgen05 ? kColumns : 0;
  describe(plan, "A", a.plain, "A_global");
  describe(plan, "B", b.plain, "B_global");
  describe(plan, "D", d_map, "D_global");
  plan.set_parameters(q);
  return plan;
}

}  // namespace

std::vector<std::string> tma_variants() {
  return {kVariant};
}

GemmPlan plan_tcgen05_tma(const GemmProblem& p, const GemmOperands& at, const GemmSettings& s,
                          const EncodeTensorMap& encode) {
  return plan_tma(tcgen05_family(), p, at, s, encode);
}

GemmPlan plan_wgmma_tma(const GemmProblem& p, const GemmOperands& at, const GemmSettings& s,
                        const EncodeTensorMap& encode) {
  return plan_tma(wgmma_family(), p, at, s, encode);
}

}  // namespace lc::kernel
