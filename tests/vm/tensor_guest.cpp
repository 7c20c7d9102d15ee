#include "tests/vm/tensor_guest.h"

#include <fmt/format.h>

#include <random>

namespace lc {
namespace {

/// {%x0, %x1, … %x31}
std::string thirty_two(const char* name) {
  std::string text;
  for (int i = 0; i < 32; ++i) text += fmt::format("{}%{}{}", i == 0 ? "{" : ", ", name, i);
  return text + "}";
}

/// Every warp moves its 32 lanes, 32 columns at a time, between Tensor Memory and `global`.
std::string move_tensor(bool in, const char* global, const char* label) {
  std::string text = fmt::format(
      "ld.param.u64 %d0, [{}]; mad.wide.u32 %d0, %rank, 262144, %d0;\n"
      "mad.wide.u32 %d0, %thr, 2048, %d0; mov.u32 %r0, 0; mov.u32 %r1, %base;\n{}:\n",
      global, label);
  if (!in) {
    text += "tcgen05.ld.sync.aligned.32x32b.x32.b32 " + thirty_two("v") +
            ", [%r1]; tcgen05.wait::ld.sync.aligned;\n";
  }
  for (int i = 0; i < 32; ++i) {
    text += in ? fmt::format("ld.global.u32 %v{}, [%d0+{}];\n", i, 4 * i)
               : fmt::format("st.global.u32 [%d0+{}], %v{};\n", 4 * i, i);
  }
  if (in) {
    text += "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r1], " + thirty_two("v") +
            "; tcgen05.wait::st.sync.aligned;\n";
  }
  return text + fmt::format(
                    "add.u64 %d0, %d0, 128; add.u32 %r1, %r1, 32; add.u32 %r0, %r0, 1;\n"
                    "setp.lt.u32 %p0, %r0, 16; @%p0 bra {};\n",
                    label);
}

constexpr const char* kRegisters =
    ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b32 %v<32>; .reg .b32 %w<160>;\n"
    ".reg .b64 %d<8>; .reg .b64 %b<32>; .reg .b32 %thr; .reg .b32 %rank; .reg .b32 %warp;\n"
    ".reg .b32 %base; .reg .b64 %out;\n"
    "mov.u32 %thr, %tid.x; mov.u32 %rank, %cluster_ctarank; shr.u32 %warp, %thr, 5;\n"
    "ld.param.u64 %out, [result];\n";

/// Every thread brings 16 bytes of every 2048.
constexpr const char* kCopyTile =
    "ld.param.u64 %d0, [tile_in]; mad.wide.u32 %d0, %rank, 40960, %d0;\n"
    "mad.wide.u32 %d0, %thr, 16, %d0; mov.u32 %r0, tile; mad.lo.u32 %r0, %thr, 16, %r0;\n"
    "mov.u32 %r1, 0;\nCOPY:\n"
    "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%d0]; st.shared.v4.u32 [%r0], {%v0, %v1, %v2, %v3};\n"
    "add.u64 %d0, %d0, 2048; add.u32 %r0, %r0, 2048; add.u32 %r1, %r1, 1;\n"
    "setp.lt.u32 %p0, %r1, 20; @%p0 bra COPY;\nfence.proxy.async;\n";

std::string everybody(std::uint32_t ctas) {
  return ctas == 1 ? "tcgen05.fence::before_thread_sync; bar.sync 0; "
                     "tcgen05.fence::after_thread_sync;\n"
                   : "tcgen05.fence::before_thread_sync; barrier.cluster.arrive.aligned; "
                     "barrier.cluster.wait.aligned; tcgen05.fence::after_thread_sync;\n";
}

}  // namespace

TensorKernel::TensorKernel(std::uint32_t cta_count, std::uint32_t seed) : ctas(cta_count) {
  std::mt19937 random(seed);
  tile.resize(std::size_t{ctas} * kTileBytes);
  for (auto& byte : tile) byte = static_cast<std::uint8_t>(random());
  tensor.resize(std::size_t{ctas} * kCells);
  for (auto& word : tensor) word = static_cast<std::uint32_t>(random());
}

std::string TensorKernel::ptx() const {
  const std::string sync = everybody(ctas), group = fmt::format("cta_group::{}", ctas);
  std::string text = kRegisters + extra_registers + "\n" + kCopyTile;
  text += fmt::format(
      "setp.ne.u32 %p0, %warp, 0; @%p0 bra ALLOCATED;\n"
      "setp.eq.u32 %p0, %thr, 0; @%p0 mbarrier.init.shared.b64 [bar], 1;\n"
      "tcgen05.alloc.{0}.sync.aligned.shared::cta.b32 [slot], 512;\n"
      "tcgen05.relinquish_alloc_permit.{0}.sync.aligned;\nALLOCATED:\n{1}"
      "ld.shared.b32 %base, [slot];\n",
      group, sync);
  text += move_tensor(true, "tensor_in", "IN") + sync + warp_body + "\n";
  text += "or.b32 %r0, %thr, %rank; setp.ne.u32 %p0, %r0, 0; @%p0 bra ISSUED;\n" + body + "\n";
  if (commits && ctas == 1) {
    text += "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";
  } else if (commits) {
    text +=
        "mov.b16 %h0, 3; tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster."
        "multicast::cluster.b64 [bar], %h0;\n";
  }
  text += "ISSUED:\n";
  if (!commits) {
    text += sync;
  } else {
    text +=
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0; @!%p0 bra WAIT;\n"
        "tcgen05.fence::after_thread_sync;\n";
  }
  text += move_tensor(false, "tensor_out", "OUT") + sync;
  text += fmt::format(
      "setp.ne.u32 %p0, %warp, 0; @%p0 bra END;\n"
      "tcgen05.dealloc.{}.sync.aligned.b32 %base, 512;\nEND: ret;\n",
      group);
  return kernel(
      ".param .u64 tile_in, .param .u64 tensor_in, .param .u64 tensor_out, "
      ".param .u64 result",
      text,
      ".shared .align 1024 .b8 tile[40960];\n.shared .align 8 .b64 bar;\n"
      ".shared .align 4 .b32 slot;\n");
}

std::vector<std::uint32_t> TensorKernel::run(const machine::RunOptions& options,
                                             std::vector<std::uint32_t>* result) const {
  Guest guest(ptx(), options);
  const std::uint64_t tile_at = guest.buffer(tile), tensor_at = guest.buffer(tensor);
  const std::uint64_t out = guest.buffer<std::uint32_t>(tensor.size());
  const std::size_t words = result == nullptr ? 1 : result->size();
  const std::uint64_t result_at =
      result == nullptr ? guest.buffer<std::uint32_t>(1) : guest.buffer(*result);
  machine::Launch launch = guest.launch({128, 1, 1}, {tile_at, tensor_at, out, result_at});
  launch.grid = launch.cluster = {ctas, 1, 1};
  launch.explicit_cluster = ctas > 1;
  guest.run(launch);
  if (result != nullptr) *result = guest.read<std::uint32_t>(result_at, words);
  return guest.read<std::uint32_t>(out, tensor.size());
}

std::vector<std::uint32_t> TensorKernel::expect(
    const std::function<void(std::vector<Memories>& ctas)>& work) const {
  std::vector<Memories> all;
  for (std::uint32_t v = 0; v < ctas; ++v) {
    all.push_back({machine::SharedMemory(kTileBytes + 64), {}});
    std::memcpy(all[v].shared.bytes(kTile, kTileBytes, 1, machine::Access::write),
                tile.data() + std::size_t{v} * kTileBytes, kTileBytes);
    all[v].tensor.allocate(kTmemColumns, ctas);
    std::memcpy(all[v].tensor.row(0, 0, kTmemColumns), tensor.data() + std::size_t{v} * kCells,
                kCells * 4);
  }
  work(all);
  std::vector<std::uint32_t> after;
  for (Memories& m : all) {
    const std::uint32_t* cells = m.tensor.row(0, 0, kTmemColumns);
    after.insert(after.end(), cells, cells + kCells);
  }
  return after;
}

std::vector<machine::RunOptions> schedules() {
  using machine::Schedule;
  std::vector<machine::RunOptions> all(5);
  all[0].schedule = {Schedule::Kind::eager, 0};
  all[1].schedule = {Schedule::Kind::lazy, 0};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    all[2 + seed].schedule = {Schedule::Kind::random, seed};
  }
  return all;
}

std::string rule_of(const TensorKernel& kernel, const machine::RunOptions& options) {
  try {
    kernel.run(options);
  } catch (const machine::Fault& fault) {
    return fault.rule;
  }
  return "none";
}

}  // namespace lc
