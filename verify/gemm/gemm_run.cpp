#include "verify/gemm/gemm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>

#include "kernel/gemm/ptx_text.h"
#include "kernel/smem_dump_records.h"
#include "verify/error.h"
#include "verify/gemm/gemm_explain.h"
#include "verify/gemm/gpu.h"

namespace lc::verify {
namespace {

/// Of D before the kernel runs: NaN in every type, so that what was not written is seen.
constexpr std::uint8_t kUntouched = 0xFF;
constexpr std::uint32_t kMostTiles = 1u << 16;
constexpr std::uint64_t kMostDump = std::uint64_t{4} << 30;

std::string ptx_of(const GemmOptions& options) {
  if (options.ptx.empty()) {
    const std::string_view text = kernel::gemm_ptx(options.kernel->module);
    if (!text.empty()) return std::string(text);
    throw Error("kernel", fmt::format("the PTX of {} does not ship", options.kernel->name),
                "--ptx FILE");
  }
  std::ifstream in(options.ptx, std::ios::binary);
  if (!in) throw Error(options.ptx, "cannot be read", "PTX text, as nvcc -ptx writes it");
  return {std::istreambuf_iterator<char>(in), {}};
}

void require_arch(const GemmOptions& options, const Gpu& gpu) {
  const bool hopper = std::string_view(options.kernel->arch).starts_with("sm_90");
  const int capability = gpu.compute_capability();
  if (hopper ? capability == 90 : capability == 100 || capability == 103) return;
  throw Error(
      "device",
      fmt::format("{} has compute capability {}.{}, {} is built for {}", gpu.name(),
                  capability / 10, capability % 10, options.kernel->name, options.kernel->arch),
      "--device virtual");
}

/// Device memory of one problem.
struct Matrices {
  Matrices(const Gpu& gpu, const kernel::GemmProblem& p, const GemmData& data)
      : a(gpu, data.a.size()),
        b(gpu, data.b.size()),
        c(gpu, data.c.size()),
        d(gpu, kernel::matrix_d(p).bytes()),
        bias(gpu, data.bias.size()),
        scale_a(gpu, data.scale_a.size()),
        scale_b(gpu, data.scale_b.size()) {
    a.put(data.a);
    b.put(data.b);
    c.put(data.c);
    bias.put(data.bias);
    scale_a.put(data.scale_a);
    scale_b.put(data.scale_b);
    d.fill(kUntouched);
  }

  kernel::GemmOperands operands() const {
    kernel::GemmOperands at;
    at.a = a.address();
    at.b = b.address();
    at.c = c.address();
    at.d = d.address();
    at.bias = bias.address();
    at.scale_a = scale_a.address();
    at.scale_b = scale_b.address();
    return at;
  }

  Gpu::Buffer a, b, c, d, bias, scale_a, scale_b;
};

/// A dump buffer in device memory.
class DumpBuffer {
 public:
  DumpBuffer(const Gpu& gpu, std::uint64_t bytes)
      : counters_(gpu, sizeof(kernel::SmemDumpCounters)),
        records_(gpu, std::uint64_t{kMostTiles} * sizeof(kernel::SmemDumpRecord)),
        data_(gpu, bytes) {
    counters_.fill(0);
  }

  kernel::SmemDumpBuffer handle(std::uint64_t first_cta, std::uint64_t ctas) const {
    kernel::SmemDumpBuffer out{};
    out.counters = pointer<kernel::SmemDumpCounters>(counters_);
    out.records = pointer<kernel::SmemDumpRecord>(records_);
    out.data = pointer<unsigned char>(data_);
    out.data_capacity = data_.size();
    out.record_capacity = kMostTiles;
    out.first_cta = first_cta;
    out.cta_count = ctas;
    return out;
  }

  kernel::SmemDumpContents fetch(const std::string& device) const {
    kernel::SmemDumpContents out;
    out.device = device;
    out.record_capacity = kMostTiles;
    counters_.get({reinterpret_cast<std::uint8_t*>(&out.used), sizeof out.used});
    out.records.resize(std::min(out.used.records, kMostTiles));
    records_.get({reinterpret_cast<std::uint8_t*>(out.records.data()),
                  out.records.size() * sizeof(kernel::SmemDumpRecord)});
    out.data.resize(std::min<std::uint64_t>(out.used.data_bytes, data_.size()));
    data_.get(out.data);
    return out;
  }

 private:
  template <class T>
  static T* pointer(const Gpu::Buffer& buffer) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(buffer.address()));
  }

  Gpu::Buffer counters_, records_, data_;
};

/// Bytes that the chosen CTAs copy: their tiles of A and B for all of K, and of D.
std::uint64_t dump_bytes(const kernel::GemmProblem& p, const kernel::GemmPlan& plan,
                         std::uint64_t ctas) {
  const std::uint64_t all = std::uint64_t{plan.grid[0]} * plan.grid[1] * plan.grid[2];
  const std::uint64_t tiles = std::uint64_t{(p.m + 127) / 128} * ((p.n + 63) / 64);
  const std::uint64_t each = std::max<std::uint64_t>(1, tiles / all);  // persistent: tiles of a CTA
  const std::uint64_t k_bytes = (p.k * kernel::bits_of(p.type) / 8 + 128) / 128 * 128 + 4096;
  const std::uint64_t rows = std::uint64_t{plan.tile[0]} + plan.tile[1];
  const std::uint64_t d = std::uint64_t{plan.tile[0]} * plan.tile[1] * 4;
  return std::min(ctas, all) * each * 2 * (rows * k_bytes + d) + (1u << 20);
}

/// Sources that the tiles name, as they are in device memory now.
void add_sources(kernel::DumpFile& file, const kernel::GemmPlan& plan, const GemmData& data,
                 const Bytes& d) {
  const auto named = [&](const char* source) {
    return std::any_of(plan.tiles.begin(), plan.tiles.end(),
                       [&](const auto& tile) { return tile.second.source.tensor == source; });
  };
  const std::pair<const char*, const Bytes*> sources[] = {{"A_global", &data.a},
                                                          {"B_global", &data.b},
                                                          {"D_global", &d},
                                                          {"SFA_global", &data.scale_a},
                                                          {"SFB_global", &data.scale_b}};
  for (const auto& [name, bytes] : sources) {
    if (named(name)) file.add({name, *bytes, ""});
  }
}

Bytes bytes_of(const kernel::DumpFile& file) {
  const std::string head = file.header();
  Bytes out(head.begin(), head.end());
  for (const kernel::DumpFile::Tensor& t : file.tensors()) {
    out.insert(out.end(), t.bytes.begin(), t.bytes.end());
  }
  return out;
}

kernel::DumpFile dump_file(const GemmOptions& options, const kernel::GemmPlan& plan,
                           kernel::SmemDumpContents contents) {
  kernel::DumpFile file;
  std::vector<std::string> problems;
  report_lost(contents, problems);
  if (!problems.empty()) {
    file.set_fact("incomplete",
                  fmt::format("{} problems while dumping; {}", problems.size(), problems.front()));
  }
  std::map<std::string, const kernel::TileDescription*> descriptions;
  for (const auto& [name, description] : plan.tiles) descriptions[name] = &description;
  const auto& wanted_stages = options.stages;
  for (auto& [facts, tensor] : dumped_tiles(contents)) {
    if (!wanted_stages.empty() &&
        std::find(wanted_stages.begin(), wanted_stages.end(), facts.stage) == wanted_stages.end()) {
      continue;
    }
    const auto known = descriptions.find(facts.name);
    if (known != descriptions.end()) tensor.description = json_text(facts, *known->second);
    file.add(std::move(tensor));
  }
  if (file.tensors().empty() && (!options.default_ctas || !wanted_stages.empty())) {
    throw Error("ctas", "those CTAs and stages have no tile",
                fmt::format("CTAs 0 to {}, stages 0 to {}",
                            std::uint64_t{plan.grid[0]} * plan.grid[1] * plan.grid[2] - 1,
                            plan.stages - 1));
  }
  file.set_fact("device", contents.device);
  file.set_fact("created_by", "layout-check gemm");
  return file;
}

void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(path, "cannot be written", "check the directory and the space left");
}

}  // namespace

GemmOutcome run_gemm(const GemmOptions& options, const std::string& library, std::string command,
                     std::ostream* progress) {
  const auto tell = [&](const char* what) {
    if (progress != nullptr) *progress << "\r\x1b[K" << what << std::flush;
  };
  const kernel::GemmProblem& p = options.problem;
  GemmOutcome out;
  try {
    tell("matrices …");
    const std::string ptx = ptx_of(options);
    const GemmData data = make_gemm_data(p, options.fill, options.seed);
    const Gpu gpu(library);
    require_arch(options, gpu);
    out.device = gpu.name();
    out.virtual_device = out.device.find("virtual") != std::string::npos;
    const Matrices matrices(gpu, p, data);
    const kernel::GemmOperands at = matrices.operands();
    const auto encode = [&](const kernel::TensorMapCall& call) { return gpu.encode(call); };
    kernel::GemmSettings settings;
    settings.variant = options.variant;
    settings.multiprocessors = gpu.multiprocessors();
    // Once to know its size, once with the dump buffer.
    const kernel::GemmPlan shape = options.kernel->plan(p, at, settings, encode);
    const std::uint64_t cluster =
        std::uint64_t{shape.cluster[0]} * shape.cluster[1] * shape.cluster[2];
    const std::uint64_t ctas = options.default_ctas ? cluster : options.cta_count;
    const DumpBuffer dump(gpu, std::min(kMostDump, dump_bytes(p, shape, ctas)));
    settings.dump = dump.handle(options.first_cta, ctas);
    out.plan = options.kernel->plan(p, at, settings, encode);

    tell("kernel …");
    gpu.run(ptx, out.plan);
    Bytes d(matrices.d.size());
    matrices.d.get(d);
    tell("product …");
    const bool sm_90 = std::string_view(options.kernel->arch).starts_with("sm_90");
    const Bytes expected = expected_d(p, options.fill, data, sm_90);
    out.d = compare_d(p, d, expected);
    if (out.d.differ != 0) out.explanations = explain_d(p, out.plan, data, d, expected, kUntouched);
    tell("tiles …");
    kernel::DumpFile file = dump_file(options, out.plan, dump.fetch(out.device));
    file.set_fact("command", command);
    add_sources(file, out.plan, data, d);
    out.dump = bytes_of(file);
    out.report = check_bytes("the dump", out.dump);
    if (!options.dump.empty()) {
      write_file(options.dump, out.dump);
      out.saved = options.dump;
    }
  } catch (const kernel::GemmRefusal& refusal) {
    tell("");
    throw Error(refusal.where, refusal.what(), refusal.hint);
  } catch (const kernel::SmemDumpError& error) {
    tell("");
    throw Error("dump", error.what());
  } catch (...) {
    tell("");
    throw;
  }
  tell("");
  return out;
}

}  // namespace lc::verify
