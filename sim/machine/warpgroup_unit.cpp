#include "sim/machine/warpgroup_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "sim/layout/smem_descriptor_rules.h"
#include "sim/machine/cluster.h"
#include "sim/machine/cta.h"
#include "sim/machine/fault.h"
#include "sim/machine/grid.h"
#include "sim/machine/warp.h"
#include "sim/numerics/sparse.h"

namespace lc::machine {
namespace {

[[noreturn]] void undefined(const char* rule, const std::string& what) {
  throw Fault(FaultKind::undefined, rule, what);
}

std::byte* place_in(const Frame& frame, Ref ref) {
  return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(frame.registers.data())) +
         ref.offset;
}

class WarpgroupWork : public AsyncWork {
 public:
  WarpgroupWork(Cta& cta, const WarpgroupInstruction& instruction,
                std::array<WarpgroupPart, kWarpgroupWarps> parts, const Actor& actor,
                const Place& place)
      : cta_(cta),
        instruction_(instruction),
        parts_(std::move(parts)),
        actor_(actor),
        place_(place) {}

  void write() override {
    WarpgroupMma mma = instruction_.mma;
    mma.a_descriptor = parts_[0].a_descriptor;
    mma.b_descriptor = parts_[0].b_descriptor;
    mma.read_d = parts_[0].read_d;
    const std::vector<std::uint32_t> a = a_registers();
    mma.a_registers = a;
    const std::vector<std::uint16_t> positions = sparse_positions();
    mma.positions = positions;
    tell(mma);
    std::vector<std::uint32_t> d(instruction_.d.size() * kWarpgroupThreads);
    each_d([&](std::byte* frame, std::size_t at) { std::memcpy(&d[at], frame, 128); });
    execute_warpgroup_mma(mma, std::as_const(cta_).shared(), d);
    each_d([&](std::byte* frame, std::size_t at) { std::memcpy(frame, &d[at], 128); });
    warn(mma);
    cta_.cluster().changed();
  }

 private:
  void warn(const WarpgroupMma& mma) const {
    Findings findings = check_smem_descriptor_word(Arch::sm_90, mma.b_descriptor);
    if (mma.a_registers.empty()) {
      findings.append(check_smem_descriptor_word(Arch::sm_90, mma.a_descriptor));
    }
    cta_.cluster().grid().warn(findings, place_);
  }

  template <class F>
  void each_d(F&& f) const {
    for (std::size_t r = 0; r < instruction_.d.size(); ++r) {
      for (std::size_t w = 0; w < kWarpgroupWarps; ++w) {
        f(place_in(*parts_[w].frame, instruction_.d[r]), r * kWarpgroupThreads + w * kWarpLanes);
      }
    }
  }

  std::vector<std::uint32_t> a_registers() const {
    const std::size_t count = parts_[0].a.size() / kWarpLanes;
    std::vector<std::uint32_t> a(count * kWarpgroupThreads);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t w = 0; w < kWarpgroupWarps; ++w) {
        std::copy_n(&parts_[w].a[r * kWarpLanes], kWarpLanes,
                    &a[r * kWarpgroupThreads + w * kWarpLanes]);
      }
    }
    return a;
  }

  std::vector<std::uint16_t> sparse_positions() const {
    if (!instruction_.sparse) return {};
    std::array<std::uint32_t, kWarpgroupThreads> metadata{};
    for (std::size_t w = 0; w < kWarpgroupWarps; ++w) {
      std::copy(parts_[w].metadata.begin(), parts_[w].metadata.end(),
                metadata.begin() + static_cast<std::ptrdiff_t>(w * kWarpLanes));
    }
    return warpgroup_positions(instruction_.mma.a, instruction_.selector, metadata);
  }

  void tell(const WarpgroupMma& mma) {
    const Events& events = cta_.cluster().events();
    const auto operand = [&](OperandRead::Operand which, std::uint64_t descriptor, std::uint32_t mn,
                             std::uint32_t k, Major major, Element element) {
      events.emit([&] {
        OperandRead read;
        read.operand = which;
        read.cta_rank = cta_.rank();
        read.descriptor = descriptor;
        read.mn = mn;
        read.k = k;
        read.item = cta_.cluster().queue().running();
        read.actor = actor_;
        read.place = place_;
        read.arch = Arch::sm_90;
        read.major = major;
        read.element = element;
        return read;
      });
    };
    const std::uint32_t k = warpgroup_k(mma.a, mma.single_bit);
    if (mma.a_registers.empty()) {
      operand(OperandRead::Operand::a, mma.a_descriptor, kWarpgroupRows, k, mma.a_major, mma.a);
    }
    operand(OperandRead::Operand::b, mma.b_descriptor, mma.n, instruction_.sparse ? 2 * k : k,
            mma.b_major, mma.b);
  }

  Cta& cta_;
  const WarpgroupInstruction& instruction_;
  std::array<WarpgroupPart, kWarpgroupWarps> parts_;
  Actor actor_;
  Place place_;
};

}  // namespace

std::vector<std::uint16_t> warpgroup_positions(
    Element a, std::uint32_t selector, std::span<const std::uint32_t, kWarpgroupThreads> metadata) {
  const std::uint32_t bits = stored_bits(a);
  const numerics::Kind kind = numerics::kind_of_operand(format_of(a));
  const numerics::SparseForm form = numerics::sparse_form(kind);
  const std::uint32_t stored_k = warpgroup_k(a);
  const std::uint32_t groups = stored_k / form.stored;  // nibbles of a row
  std::vector<std::uint16_t> positions(std::size_t{kWarpgroupRows} * stored_k);
  for (std::uint32_t m = 0; m < kWarpgroupRows; ++m) {
    const std::uint32_t quad = m / 16 * 32 + m % 8 * 4, below = m % 16 / 8;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::uint32_t half = g / (groups / 2), nibble_index = g % (groups / 2);
      const std::uint32_t thread = bits == 8 ? quad + below + 2 * half : quad + 2 * selector + half;
      const std::uint32_t shift = 4 * nibble_index + (bits == 8 ? 0 : 16 * below);
      const std::uint32_t nibble = metadata[thread] >> shift & 15;
      if (!numerics::is_legal_nibble(kind, nibble)) {
        undefined("wgmma.metadata", "metadata " + hex(nibble) + " in row " + std::to_string(m) +
                                        " names no pair of places (PTX ISA, sparse storage)");
      }
      numerics::expand_nibble(kind, g, nibble,
                              &positions[std::size_t{m} * stored_k + g * form.stored]);
    }
  }
  return positions;
}

void WarpgroupUnit::check_agreement(const Request& request, std::uint32_t warp,
                                    const WarpgroupInstruction& instruction,
                                    const WarpgroupPart& part) const {
  const auto other = static_cast<std::uint32_t>(std::countr_zero(request.joined));
  const WarpgroupPart& first = request.parts[other];
  const std::string who =
      "warps " + std::to_string(warp / 4 * 4 + other) + " and " + std::to_string(warp);
  if (request.instruction != &instruction) {
    undefined("wgmma.not-together",
              who +
                  " of a warpgroup execute different wgmma.mma_async instructions together (the "
                  "other is in line " +
                  std::to_string(request.place.line) + ")");
  }
  if (part.b_descriptor != first.b_descriptor || part.a_descriptor != first.a_descriptor) {
    undefined("wgmma.descriptor", who + " of a warpgroup give different matrix descriptors");
  }
  if (part.read_d != first.read_d) {
    undefined("wgmma.scale-d", who + " of a warpgroup give different scale-d");
  }
}

void WarpgroupUnit::join(std::uint32_t warp, const WarpgroupInstruction& instruction,
                         WarpgroupPart part, const Place& place) {
  const std::uint32_t number = warp / kWarpgroupWarps, member = warp % kWarpgroupWarps;
  if (cta_.warps().size() < std::size_t{number + 1} * kWarpgroupWarps) {
    undefined("wgmma.warpgroup", "warp " + std::to_string(warp) +
                                     " belongs to no whole warpgroup: a warpgroup is four warps, "
                                     "the first a multiple of 4");
  }
  Group& group = groups_[number];
  const std::uint64_t index = group.joined[member]++ - group.issued;
  if (index >= group.open.size()) group.open.resize(index + 1);
  Request& request = group.open[index];
  if (request.joined == 0) {
    request.instruction = &instruction;
    request.place = place;
  } else {
    check_agreement(request, warp, instruction, part);
  }
  request.parts[member] = std::move(part);
  request.joined |= 1u << member;
  if (request.joined == (1u << kWarpgroupWarps) - 1) issue(number);
}

/// A warp joins requests in order, so the oldest open one is complete first.
void WarpgroupUnit::issue(std::uint32_t number) {
  Group& group = groups_[number];
  Request request = std::move(group.open.front());
  group.open.pop_front();
  AsyncItem item;
  item.what = "wgmma";
  item.actor = {Unit::tensor_core, cta_.rank(), static_cast<std::int32_t>(number * kWarpgroupWarps),
                -1};
  item.place = request.place;
  // Apart from the chains of other instructions.
  item.chain = std::uint64_t{'w'} << 48 | std::uint64_t{cta_.rank()} << 32 | (number + 1);
  item.work = std::make_unique<WarpgroupWork>(cta_, *request.instruction, std::move(request.parts),
                                              item.actor, item.place);
  Cluster& cluster = cta_.cluster();
  ++group.issued;
  cluster.changed();
  group.items.push_back(cluster.queue().issue(std::move(item)));
  if (cluster.events().watched()) group.watched.push_back(group.items.back());
  while (!group.items.empty() && cluster.queue().reached(group.items.front(), AsyncStage::done)) {
    group.items.pop_front();
    ++group.first_item;
  }
}

void WarpgroupUnit::commit(std::uint32_t warp) {
  commits_[warp].push_back(groups_[warp / kWarpgroupWarps].joined[warp % kWarpgroupWarps]);
}

std::uint64_t WarpgroupUnit::needed(std::uint32_t warp, std::uint64_t pending) const {
  const auto found = commits_.find(warp);
  if (found == commits_.end() || found->second.size() <= pending) return 0;
  return found->second[found->second.size() - 1 - pending];
}

void WarpgroupUnit::wait(std::uint32_t warp, std::uint64_t needed) {
  Group& group = groups_[warp / kWarpgroupWarps];
  std::uint64_t& told = group.told[warp % kWarpgroupWarps];
  for (; told < std::min<std::uint64_t>(needed, group.watched.size()); ++told) {
    cta_.cluster().events().emit([&] { return ItemWait{group.watched[told]}; });
  }
  while (group.first_item < needed) {
    cta_.cluster().queue().finish(group.items.front());
    group.items.pop_front();
    ++group.first_item;
  }
  // Groups that all warps' waits have passed need not be remembered.
  std::vector<std::uint64_t>& commits = commits_[warp];
  const auto done =
      std::find_if(commits.begin(), commits.end(), [&](std::uint64_t end) { return end > needed; });
  if (done - commits.begin() > 64) commits.erase(commits.begin(), done - 1);
}

}  // namespace lc::machine
