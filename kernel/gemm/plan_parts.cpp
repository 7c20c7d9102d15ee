#include "kernel/gemm/plan_parts.h"

namespace lc::kernel {

void refuse_illegal(const GemmProblem& p, const GemmOperands& at) {
  if (p.m == 0 || p.n == 0 || p.k == 0) throw GemmRefusal("m, n, k", "have to be at least 1");
  if ((at.a | at.b | at.c | at.d) % 16 != 0) {
    throw GemmRefusal("operands", "are not 16-byte aligned");
  }
  if (at.bias % 4 != 0) throw GemmRefusal("bias", "is not 4-byte aligned");
  if (p.output != GemmOutput::s32) return;
  if (p.type != GemmType::s8) throw GemmRefusal("output", "s32 belongs to s8", "f32, f16 or bf16");
  if (p.alpha != 1 || p.beta != 0 || p.bias || p.activation != GemmActivation::none) {
    throw GemmRefusal("output", "s32 is the sum as it is, without alpha, beta, bias, activation",
                      "f32");
  }
}

const char* element_name(GemmType type) {
  switch (type) {
    case GemmType::f16:
      return "f16";
    case GemmType::bf16:
      return "bf16";
    case GemmType::tf32:
      return "tf32";
    case GemmType::e5m2:
      return "e5m2";
    case GemmType::s8:
      return "i8";
    case GemmType::nvf4:
      return "e2m1";
    case GemmType::e4m3:
    case GemmType::mxf8:
      break;
  }
  return "e4m3";
}

Epilogue epilogue_of(const GemmProblem& p, const GemmOperands& at) {
  const auto pointer = [](std::uint64_t address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  };
  Epilogue e{};
  e.output = p.output;
  e.activation = p.activation;
  e.integer_accumulator = p.type == GemmType::s8 ? 1 : 0;
  e.alpha = p.alpha;
  e.beta = p.beta;
  e.bias = p.bias ? static_cast<const float*>(pointer(at.bias)) : nullptr;
  e.c = pointer(at.c);
  e.d = pointer(at.d);
  e.pitch = matrix_d(p).pitch;
  e.m = p.m;
  e.n = p.n;
  return e;
}

DenseInstruction dense_instruction(const GemmProblem& p, std::uint32_t m, std::uint32_t n) {
  std::uint32_t type = 0;
  switch (p.type) {
    case GemmType::bf16:
      type = ab_type::bf16;
      break;
    case GemmType::tf32:
      type = ab_type::tf32;
      break;
    case GemmType::e5m2:
      type = ab_type::e5m2;
      break;
    case GemmType::s8:
      type = ab_type::s8;
      break;
    default:
      type = ab_type::f16;  // 0, as e4m3
      break;
  }
  DenseInstruction d;
  d.d_type = p.type == GemmType::s8 ? d_type::s32 : d_type::f32;
  d.a_type = d.b_type = type;
  d.m = m;
  d.n = n;
  d.a_mn_major = p.a_major == GemmMajor::mn;
  d.b_mn_major = p.b_major == GemmMajor::mn;
  return d;
}

std::array<std::uint32_t, 3> grid_of_tiles(const GemmProblem& p, std::uint32_t tile_m,
                                           std::uint32_t tile_n) {
  const std::uint32_t tiles_m = tiles_of(p.m, tile_m), tiles_n = tiles_of(p.n, tile_n);
  if (tiles_m > 0x7FFFFFFF) throw GemmRefusal("m", "gives more tiles than a grid has");
  if (tiles_n > 65535) {
    throw GemmRefusal("n", "gives more than 65535 tiles",
                      "tcgen05_gemm, or n up to " + std::to_string(65535u * tile_n));
  }
  return {tiles_m, tiles_n, 1};
}

}  // namespace lc::kernel
