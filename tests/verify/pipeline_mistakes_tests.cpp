// A two-stage pipeline of TMA copies and tcgen05 products (tests/golden/run/pipeline.ptx), as it is
// and with one line changed: the right one computes the same under every schedule, a wrong one
// shows under some: another result, a fault, or a deadlock with the ledger of the barrier.
#include <filesystem>
#include <fstream>

#include "tests/golden.h"
#include "tests/test.h"
#include "tests/verify/shell.h"

namespace fs = std::filesystem;
using namespace lc::tests;

namespace {

struct Mistake {
  const char* what;
  const char* file;  ///< "pipeline.ptx" or "pipeline.json"
  const char* old_text;
  const char* new_text;
  const char* says;  ///< under some schedule
};

constexpr const char* kDiffers = "elements differ";
constexpr const char* kWaitFull =
    "  mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r24], %r22;\n  @!%p6 bra WAIT_FULL;\n";
constexpr const char* kWaitEmpty =
    "  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r15], %r12;\n  @!%p3 bra WAIT_EMPTY;\n";
constexpr const char* kWaitDone =
    "  mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r5], 0;\n  @!%p8 bra WAIT_DONE;\n";

const Mistake kMistakes[] = {
    {"no wait for a full stage", "pipeline.ptx", kWaitFull, "", kDiffers},
    {"no wait for an empty stage", "pipeline.ptx", kWaitEmpty, "", "mbarrier.pending-underflow"},
    {"no wait for the last product", "pipeline.ptx", kWaitDone, "", kDiffers},
    {"half the bytes expected", "pipeline.ptx", "_, [%r14], 24576", "_, [%r14], 12288",
     "12288 bytes came that"},
    {"more bytes expected than come", "pipeline.ptx", "_, [%r14], 24576", "_, [%r14], 24640",
     "64 bytes owed"},
    {"one arrival too many expected", "pipeline.ptx", "[%r3+8], 1", "[%r3+8], 2",
     "1 of 2 arrivals pending"},
    {"parity of full swapped", "pipeline.ptx", "  shr.u32 %r22, %r20, 1;\n",
     "  shr.u32 %r22, %r20, 1;\n  xor.b32 %r22, %r22, 1;\n", kDiffers},
    {"parity of empty swapped", "pipeline.ptx", "  xor.b32 %r12, %r12, 1;\n", "", "deadlock"},
    {"parity that never flips", "pipeline.ptx", "  shr.u32 %r22, %r20, 1;\n",
     "  mov.u32 %r22, 0;\n", kDiffers},
    {"no commit to the empty barrier", "pipeline.ptx",
     "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r25];\n", "",
     "deadlock"},
    {"descriptor of B one row further", "pipeline.ptx", "%rd7, %rd6, 1024", "%rd7, %rd6, 1016",
     kDiffers},
    {"K step of 16 bytes", "pipeline.ptx",
     "  add.s64 %rd7, %rd7, 2;\n  tcgen05.mma.cta_group::1.kind::f16 [%r7], %rd6, %rd7, %r29, "
     "%p5;\n"
     "  tcgen05.commit",
     "  add.s64 %rd7, %rd7, 1;\n  tcgen05.mma.cta_group::1.kind::f16 [%r7], %rd6, %rd7, %r29, "
     "%p5;\n"
     "  tcgen05.commit",
     kDiffers},
    {"SBO halved", "pipeline.ptx", "0x4000404000010000", "0x4000402000010000", kDiffers},
    {"descriptor swizzle 64B", "pipeline.ptx", "0x4000404000010000", "0x8000404000010000",
     kDiffers},
    {"fixed bits of the descriptor missing", "pipeline.ptx", "0x4000404000010000",
     "0x4000004000010000", "smem_descriptor.fixed-bits"},
    {"tensor map of A without swizzle", "pipeline.json",
     "\"box_dim\": [64, 128], \"swizzle\": \"128B\"",
     "\"box_dim\": [64, 128], \"swizzle\": \"none\"", kDiffers},
    {"box of B a row short", "pipeline.json", "\"box_dim\": [64, 64]", "\"box_dim\": [64, 63]",
     "128 bytes owed"},
    {"N of the instruction halved", "pipeline.ptx", "0x8100490", "0x8080490", kDiffers},
    {"first product adds to what was there", "pipeline.ptx", "  setp.ne.u32 %p5, %r20, 0;\n",
     "  setp.eq.u32 %p5, %r20, 0;\n", kDiffers},
    {"every product starts anew", "pipeline.ptx", "  setp.eq.u32 %p5, %r29, %r29;\n", "", kDiffers},
    {"stage 1 used for both", "pipeline.ptx", "  and.b32 %r21, %r20, 1;\n", "  mov.u32 %r21, 1;\n",
     "deadlock"},
    {"tile of stage 1 in the wrong place", "pipeline.ptx", "mul.lo.s32 %r26, %r21, 24576",
     "mul.lo.s32 %r26, %r21, 16384", kDiffers},
    {"one column of Tensor Memory further", "pipeline.ptx", "  add.s32 %r32, %r7, %r31;\n",
     "  add.s32 %r32, %r7, %r31;\n  add.s32 %r32, %r32, 1;\n", "column"},
    {"lanes of another warp", "pipeline.ptx", "and.b32 %r30, %r1, 96", "and.b32 %r30, %r1, 64",
     "tmem"},
};

constexpr const char* kSchedules[] = {"eager",    "lazy",     "random:1", "random:2",
                                      "random:3", "random:4", "random:5"};

std::string changed(std::string text, const std::string& old_text, const std::string& new_text) {
  const std::size_t at = text.find(old_text);
  BOOST_TEST_REQUIRE(at != text.npos);
  BOOST_TEST_REQUIRE(text.find(old_text, at + 1) == text.npos);
  return text.replace(at, old_text.size(), new_text);
}

/// The pipeline in a folder of its own.
class Pipeline {
 public:
  Pipeline() {
    for (const char* file : {"pipeline.ptx", "pipeline.json"}) put(file, original(file));
    fs::copy(fs::path(LC_GOLDEN_DIR) / "run/pipeline_d.npy", scratch_.file("pipeline_d.npy"));
  }
  static std::string original(const char* file) { return read_text(std::string("run/") + file); }
  void put(const char* file, const std::string& text) const {
    std::ofstream(scratch_.file(file)) << text;
  }
  ShellResult run(const std::string& schedule) const {
    return run_in_shell(
        "layout-check run pipeline.ptx --launch pipeline.json --max-instructions 1M "
        "--fresh-shared 127 --expect d=pipeline_d.npy --schedule " +
            schedule,
        scratch_, scratch_.file("."));
  }

 private:
  Scratch scratch_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_mistakes_tests)

BOOST_AUTO_TEST_CASE(the_right_pipeline_is_right_under_every_schedule) {
  const Pipeline pipeline;
  for (const char* schedule : kSchedules) {
    const ShellResult got = pipeline.run(schedule);
    BOOST_TEST(got.code == "0", schedule << ": " << got.out << got.err);
  }
}

BOOST_AUTO_TEST_CASE(every_mistake_shows_under_some_schedule) {
  for (const Mistake& mistake : kMistakes) {
    const Pipeline pipeline;
    pipeline.put(mistake.file,
                 changed(Pipeline::original(mistake.file), mistake.old_text, mistake.new_text));
    bool shown = false;
    std::string all;
    for (const char* schedule : kSchedules) {
      const ShellResult got = pipeline.run(schedule);
      BOOST_TEST((got.code == "0" || got.code == "1"), mistake.what << ": " << got.err);
      const std::string text = got.out + got.err;
      shown = shown || text.find(mistake.says) != text.npos;
      all += schedule + (" ends with " + got.code) + ": " + text + "\n";
    }
    BOOST_TEST(shown, mistake.what << " was not told: " << all);
  }
}

BOOST_AUTO_TEST_SUITE_END()
