#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel/dump_file.h"
#include "kernel/gemm/problem.h"
#include "kernel/smem_dump.cuh"

// How a GEMM kernel is launched for a problem.  A plan is made on the host and does not know who
// launches it: the CUDA runtime (gemm_program.cu), the driver on PTX text, a device or the virtual
// GPU.  Plain C++17; needs no CUDA header.
namespace lc::kernel {

/// A CUtensorMap.
struct alignas(64) TensorMap {
  std::uint64_t words[16];
};

/// cuTensorMapEncodeTiled, whoever answers it.  Throws where the call is refused.
using EncodeTensorMap = std::function<TensorMap(const TensorMapCall&)>;

/// Where the matrices are, as addresses of the device.
struct GemmOperands {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  std::uint64_t bias = 0;                  ///< n f32
  std::uint64_t scale_a = 0, scale_b = 0;  ///< block-scaled types
};

struct GemmSettings {
  std::string variant;  ///< one of GemmKernel::variants; empty: the first
  std::uint32_t multiprocessors = 148;
  SmemDumpBuffer dump{};  ///< counters null: no dump
};

/// One launch.
struct GemmPlan {
  std::string entry;  ///< name of the kernel in its module
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t dynamic_smem = 0;
  std::vector<std::byte> parameters;  ///< the kernel's only parameter, a struct by value
  /// What the dumped tiles of each name should hold; sources are named A_global, B_global,
  /// D_global, SFA_global, SFB_global and begin at the address in GemmOperands.
  std::vector<std::pair<std::string, TileDescription>> tiles;

  // What docs and the command tell about it.
  std::array<std::uint32_t, 3> tile{};  ///< M, N, K of one CTA's (or CTA pair's) tile
  std::uint32_t stages = 0, tmem_columns = 0;

  template <class Parameters>
  void set_parameters(const Parameters& p) {
    static_assert(std::is_trivially_copyable_v<Parameters>);
    parameters.resize(sizeof p);
    std::memcpy(parameters.data(), &p, sizeof p);
  }
};

/// One of our kernels.
struct GemmKernel {
  const char* name;
  const char* module;  ///< NAME of kernel/gemm/NAME.cu and of its PTX
  const char* arch;    ///< "sm_100a" or "sm_90a"
  const char* summary;
  std::vector<std::string> variants;  ///< the first is the default
  /// Throws GemmRefusal for a problem that the kernel does not take.
  GemmPlan (*plan)(const GemmProblem&, const GemmOperands&, const GemmSettings&,
                   const EncodeTensorMap&);
  GemmMajor b_major = GemmMajor::k;  ///< of B, if nobody says otherwise
};

/// Every kernel, simplest first.
const std::vector<GemmKernel>& gemm_kernels();

}  // namespace lc::kernel
