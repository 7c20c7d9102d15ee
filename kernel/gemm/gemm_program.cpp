#include <algorithm>
#include <exception>
#include <iostream>

#include "kernel/gemm/gemm_flags.h"
#include "kernel/gemm/gemm_run.h"

// lc_gemm: our GEMM kernels by the CUDA runtime, on a device as it is, or on the virtual GPU by
// `layout-check run -- lc_gemm ...`.
namespace {

using namespace lc::kernel;

void print_kernels() {
  for (const GemmKernel& kernel : gemm_kernels()) {
    std::cout << kernel.name << " (" << kernel.arch << "): " << kernel.summary << "\n  variants:";
    for (const std::string& v : kernel.variants) std::cout << ' ' << v;
    std::cout << '\n';
  }
}

/// One line.
int run_and_tell(const GemmRun& run) {
  std::cout << text_of(run) << ": " << std::flush;
  const std::string wrong = run_gemm(run);
  std::cout << (wrong.empty() ? "D equal" : wrong) << std::endl;
  return wrong.empty() ? 0 : 1;
}

int run(const std::vector<std::string>& arguments) {
  const GemmFlags flags = parse_gemm_flags(arguments);
  if (flags.help) std::cout << gemm_usage();
  if (flags.list) print_kernels();
  if (flags.help || flags.list) return 0;
  int worst = 0;
  for (const GemmRun& r : flags.runs) worst = std::max(worst, run_and_tell(r));
  std::cout << flags.runs.size() << (worst == 0 ? " run, all equal\n" : " run, not all equal\n");
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const lc::kernel::GemmRefusal& e) {
    std::cout << std::endl;
    std::cerr << e.where << ": error: " << e.what() << "\n";
    if (!e.hint.empty()) std::cerr << "  try: " << e.hint << "\n";
  } catch (const std::exception& e) {
    std::cout << std::endl;
    std::cerr << "lc_gemm: error: " << e.what() << "\n";
  }
  return 2;
}
