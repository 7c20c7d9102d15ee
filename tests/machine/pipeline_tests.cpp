#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/async.h"
#include "sim/machine/ledger.h"
#include "sim/machine/tensor_core.h"
#include "sim/machine/tma_unit.h"
#include "sim/numerics/minifloat.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

// All units together, as a kernel uses them: a two-stage pipeline of tensor copies and matrix
// instructions in one CTA.  D = A * B^T with A 128 x 256 and B 64 x 256, bf16.
BOOST_AUTO_TEST_SUITE(pipeline_tests)

namespace {

constexpr std::uint32_t kM = 128, kN = 64, kK = 256, kBlockK = 64, kStages = 2, kMmaK = 16;
constexpr std::uint32_t kABytes = kM * kBlockK * 2, kBBytes = kN * kBlockK * 2;
constexpr std::uint32_t kFull = 0x400, kEmpty = 0x410, kDone = 0x420, kTiles = 0x800;
constexpr std::uint32_t kStageBytes = kABytes + kBBytes;

int value_a(std::uint32_t m, std::uint32_t k) {
  return static_cast<int>((m * 5 + k * 3) % 5) - 2;
}
int value_b(std::uint32_t n, std::uint32_t k) {
  return static_cast<int>((n * 7 + k) % 7) - 3;
}

/// What a careless author changes.
struct Mutation {
  bool skip_full_wait = false;
  bool skip_empty_wait = false;
  bool flip_full_parity = false;
  std::uint32_t expected_bytes = kStageBytes;
};

class TensorLoad : public AsyncWork {
 public:
  TensorLoad(TmaPlan plan, const GlobalMemory& from, SharedMemory& to, MbarrierUnit& barriers,
             std::uint32_t barrier)
      : plan_(std::move(plan)), from_(from), to_(to), barriers_(barriers), barrier_(barrier) {}
  void read() override { packed_ = read_global(plan_, from_); }
  void write() override {
    write_shared(plan_, packed_, to_);
    barriers_.apply(barrier_, MbarrierOp::complete_tx, plan_.transaction_bytes(), {Unit::tma});
  }

 private:
  TmaPlan plan_;
  const GlobalMemory& from_;
  SharedMemory& to_;
  MbarrierUnit& barriers_;
  std::uint32_t barrier_;
  std::vector<std::byte> packed_;
};

class MatrixInstruction : public AsyncWork {
 public:
  MatrixInstruction(const MmaRequest& request, MmaCta cta) : request_(request), cta_(cta) {}
  void write() override { execute_mma(request_, {&cta_, 1}); }

 private:
  MmaRequest request_;
  MmaCta cta_;
};

class Commit : public AsyncWork {
 public:
  Commit(MbarrierUnit& barriers, std::uint32_t barrier) : barriers_(barriers), barrier_(barrier) {}
  void write() override { barriers_.apply(barrier_, MbarrierOp::arrive, 1, {Unit::tensor_core}); }

 private:
  MbarrierUnit& barriers_;
  std::uint32_t barrier_;
};

struct Deadlock : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Kernel {
 public:
  Kernel(const Schedule& schedule, const Mutation& mutation)
      : mutation_(mutation), queue_(schedule, 0), shared_(0x400 + kStages * kStageBytes) {
    a_ = matrix(kM, value_a);
    b_ = matrix(kN, value_b);
    tensor_.allocate(64, 1);
    for (std::uint32_t s = 0; s < kStages; ++s) {
      barriers_.init(shared_, kFull + 8 * s, 1);
      barriers_.init(shared_, kEmpty + 8 * s, 1);
    }
    barriers_.init(shared_, kDone, 1);
  }

  /// The producer runs ahead as far as the stages allow; both are written in one thread here.
  void run() {
    const std::uint32_t blocks = kK / kBlockK;
    for (std::uint32_t i = 0; i < blocks + 1; ++i) {
      if (i < blocks) produce(i);
      if (i > 0) consume(i - 1);
    }
    issue(std::make_unique<Commit>(barriers_, kDone), "commit", 0, kDone, 1);
    wait(kDone, 0);
  }

  bool is_right() const {
    for (std::uint32_t m = 0; m < kM; ++m) {
      for (std::uint32_t n = 0; n < kN; ++n) {
        int want = 0;
        for (std::uint32_t k = 0; k < kK; ++k) want += value_a(m, k) * value_b(n, k);
        if (numerics::to_double(numerics::Format::f32, tensor_.read(m, n)) != want) return false;
      }
    }
    return true;
  }

 private:
  TensorMapObject matrix(std::uint32_t rows, int (*value)(std::uint32_t, std::uint32_t)) {
    TensorMapObject object;
    TensorMap& map = object.tiled;
    map.data_type = DataType::bf16;
    map.rank = 2;
    map.global_address = *memory_.allocate(std::uint64_t{rows} * kK * 2);
    map.global_dim = {kK, rows, 1, 1, 1};
    map.global_stride = {kK * 2};
    map.box_dim = {kBlockK, rows, 1, 1, 1};
    map.swizzle = Swizzle::b128;
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t k = 0; k < kK; ++k) {
        const std::uint32_t code =
            numerics::encode(numerics::Format::bf16, value(i, k), numerics::Rounding::nearest_even);
        std::memcpy(memory_.bytes(map.global_address + (std::uint64_t{i} * kK + k) * 2, 2, 2,
                                  Access::write),
                    &code, 2);
      }
    }
    return decode_object(encode_object(object));
  }

  void produce(std::uint32_t block) {
    const std::uint32_t s = block % kStages, round = block / kStages;
    if (!mutation_.skip_empty_wait) wait(kEmpty + 8 * s, (round & 1) ^ 1);
    barriers_.apply(kFull + 8 * s, MbarrierOp::arrive_expect_tx, mutation_.expected_bytes, {});
    load(a_, block, tile(s), kFull + 8 * s);
    load(b_, block, tile(s) + kABytes, kFull + 8 * s);
  }

  void load(const TensorMapObject& map, std::uint32_t block, std::uint32_t to,
            std::uint32_t barrier) {
    TensorCopy copy;
    copy.rank = 2;
    copy.first = {block * kBlockK, 0};
    copy.smem_offset = to;
    TmaPlan plan = plan_load(map, copy, Arch::sm_100, shared_.size());
    const std::uint64_t bytes = plan.transaction_bytes();
    issue(std::make_unique<TensorLoad>(std::move(plan), memory_, shared_, barriers_, barrier),
          "tensor load", bytes, barrier, 0);
  }

  void consume(std::uint32_t block) {
    const std::uint32_t s = block % kStages, round = block / kStages;
    const std::uint32_t parity = (round & 1) ^ (mutation_.flip_full_parity ? 1 : 0);
    if (!mutation_.skip_full_wait) wait(kFull + 8 * s, parity);
    InstructionDescriptor x;
    x.a = x.b = Element::bf16;
    x.m = kM;
    x.n = kN;
    for (std::uint32_t k = 0; k < kBlockK / kMmaK; ++k) {
      MmaRequest q;
      q.instruction = encode(x);
      q.read_d = block != 0 || k != 0;
      const auto descriptor = [&](std::uint32_t at) {
        return encode_smem_descriptor(Arch::sm_100, {at + 32 * k, 16, 1024, 0, {}, Swizzle::b128});
      };
      q.a_descriptor = descriptor(tile(s));
      q.b_descriptor = descriptor(tile(s) + kABytes);
      issue(std::make_unique<MatrixInstruction>(q, MmaCta{&shared_, &tensor_}), "mma", 0, {}, 1);
    }
    issue(std::make_unique<Commit>(barriers_, kEmpty + 8 * s), "commit", 0, kEmpty + 8 * s, 1);
  }

  static std::uint32_t tile(std::uint32_t stage) { return kTiles + stage * kStageBytes; }

  void issue(std::unique_ptr<AsyncWork> work, const char* what, std::uint64_t bytes,
             std::optional<std::uint32_t> barrier, std::uint64_t chain) {
    AsyncItem item;
    item.what = what;
    item.bytes = bytes;
    item.chain = chain;
    if (barrier) item.signals.push_back({0, *barrier});
    item.work = std::move(work);
    queue_.issue(std::move(item));
  }

  void wait(std::uint32_t barrier, std::uint32_t parity) {
    const BarrierKey key{0, barrier};
    queue_.tick();
    while (!barriers_.test_parity(barrier, parity)) {
      if (queue_.progress_for(key) || queue_.progress()) continue;
      throw Deadlock(describe(barriers_.ledger(barrier), queue_.in_flight(&key)));
    }
  }

  Mutation mutation_;
  GlobalMemory memory_;
  AsyncQueue queue_;
  SharedMemory shared_;
  TensorMemory tensor_;
  MbarrierUnit barriers_;
  TensorMapObject a_, b_;
};

std::vector<Schedule> schedules() {
  std::vector<Schedule> all{{Schedule::Kind::eager, 0}, {Schedule::Kind::lazy, 0}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) all.push_back({Schedule::Kind::random, seed});
  return all;
}

/// "right", "wrong", or the first line of the fault or of the ledger.
std::string outcome(const Schedule& schedule, const Mutation& mutation) {
  Kernel kernel(schedule, mutation);
  try {
    kernel.run();
  } catch (const Deadlock& deadlock) {
    return std::string("deadlock: ") + deadlock.what();
  } catch (const Fault& fault) {
    return fault.rule;
  }
  return kernel.is_right() ? "right" : "wrong";
}

/// Whether some schedule tells the mutant from the right kernel.
bool is_caught(const Mutation& mutation) {
  for (const Schedule& schedule : schedules()) {
    if (outcome(schedule, mutation) != "right") return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_right_kernel_is_right_under_every_schedule) {
  for (const Schedule& schedule : schedules()) {
    BOOST_TEST_CONTEXT(to_text(schedule)) {
      BOOST_TEST(outcome(schedule, {}) == "right");
    }
  }
}

BOOST_AUTO_TEST_CASE(every_mistake_shows_under_some_schedule) {
  Mutation m;
  m.skip_full_wait = true;
  BOOST_TEST(outcome({Schedule::Kind::eager, 0}, m) == "right");
  BOOST_TEST(outcome({Schedule::Kind::lazy, 0}, m) != "right");
  m = {};
  m.flip_full_parity = true;
  BOOST_TEST(is_caught(m));
  m = {};
  m.skip_empty_wait = true;
  BOOST_TEST(is_caught(m));
  m = {};
  m.expected_bytes = kStageBytes / 2;
  BOOST_TEST(is_caught(m));
}

BOOST_AUTO_TEST_CASE(bytes_that_never_come_are_a_deadlock_with_its_ledger) {
  Mutation m;
  m.expected_bytes = kStageBytes + 512;
  for (const Schedule& schedule : schedules()) {
    const std::string text = outcome(schedule, m);
    BOOST_TEST(text.starts_with("deadlock: mbarrier at 0x400: phase 0"), text);
    BOOST_TEST(text.find("512 bytes owed") != std::string::npos);
    BOOST_TEST(text.find("no copy in flight") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
