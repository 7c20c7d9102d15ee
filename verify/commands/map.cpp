#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/operand_rules.h"
#include "verify/commands/commands.h"
#include "verify/error.h"
#include "verify/findings.h"
#include "verify/ops/operand_request.h"
#include "verify/ops/ops.h"
#include "verify/picture/grid.h"
#include "verify/picture/operand_map.h"
#include "verify/picture/svg.h"

namespace lc::verify {
namespace {

struct Mapped {
  OperandMap map;
  Findings findings;
  std::string title;
};

Mapped mapped(const Request& request) {
  Mapped m;
  if (request.has("descriptor")) {
    const Arch arch = request.choice<Arch>("arch");
    const ElementChoice e = read_element(request);
    const Major major = request.choice<Major>("major");
    const Extents n = read_extents(request);
    const SmemDescriptor d = read_descriptor(request, arch);
    m.map = map_of_descriptor(d, major, e.element, e.container, n.mn, n.k);
    m.findings = check_operand(arch, d, major, e.element, e.container, n.mn, n.k);
    m.title =
        fmt::format("{} descriptor 0x{:016x}: {} x {} {}, {}-major", name_of(arch),
                    request.number("descriptor"), n.mn, n.k, name_of(e.element), name_of(major));
    return m;
  }
  const OperandTile tile = read_tile(request);
  m.findings = check_tile(tile);
  m.title = fmt::format("{} x {} {}, {}-major, swizzle {}, at 0x{:x}", tile.mn, tile.k,
                        name_of(tile.element), name_of(tile.major), name_of(tile.swizzle),
                        tile.start_address);
  if (tile_geometry(tile).atom_elements == 0 || stored_bits(tile.element, tile.container) == 6) {
    request.fail("element", "packed 6-bit elements have no layout", "--container 8");
  }
  if (tile.mn * tile.k > kMaxElements) {
    request.fail("mn", "the tile fits no shared memory",
                 fmt::format("at most {} elements", kMaxElements));
  }
  m.map = map_of_tile(tile);
  return m;
}

void write_csv(const OperandMap& map, std::ostream& out) {
  out << (map.bits < 8 ? "mn,k,address,bit,line,bank_sector\n" : "mn,k,address,line,bank_sector\n");
  for (std::uint64_t mn = 0; mn < map.mn; ++mn) {
    for (std::uint64_t k = 0; k < map.k; ++k) {
      const std::uint64_t bit = map.bit_address(mn, k), a = bit / 8;
      if (map.bits < 8) {
        out << fmt::format("{},{},{},{},{},{}\n", mn, k, a, bit % 8, a / 128, a / 16 % 8);
      } else {
        out << fmt::format("{},{},{},{},{}\n", mn, k, a, a / 128, a / 16 % 8);
      }
    }
  }
}

void write_json(const Mapped& m, const Output& output) {
  const OperandMap& map = m.map;
  std::vector<std::uint64_t> addresses;
  addresses.reserve(map.mn * map.k);
  for (std::uint64_t i = 0; i < map.mn * map.k; ++i) {
    const std::uint64_t bit = map.bit_address(i / map.k, i % map.k);
    addresses.push_back(map.bits < 8 ? bit : bit / 8);
  }
  Answer answer = {{"mn", map.mn}, {"k", map.k}};
  answer[map.bits < 8 ? "bit_addresses" : "addresses"] = std::move(addresses);
  answer["findings"] = to_json(m.findings);
  output.out << answer.dump() << '\n';
}

int run(const Question& question, const Output& output) {
  const Request request(question);
  const Mapped m = mapped(request);
  const int code = m.findings.has_error() ? 1 : 0;
  const std::size_t max_lines =
      request.has("all")
          ? SIZE_MAX
          : static_cast<std::size_t>(request.number_or("lines", 64, 1, kMaxElements));
  const auto lines = [&] { return memory_lines(m.map, 0, m.map.rows(), m.map.chunks()); };
  if (request.has("svg")) {
    const std::string path = request.text("svg");
    if (path.empty()) request.fail("svg", "the name is empty", "--svg tile.svg");
    std::ofstream file(path);
    file << memory_svg(m.title, m.map, lines(), max_lines);
    file.close();
    if (!file) throw Error(path, "cannot write the picture", "a path in a folder that exists");
    if (!output.json) output.out << "wrote " << path << '\n';
    if (!request.has("csv") && !output.json) return code;
  }
  if (output.json) {
    write_json(m, output);
  } else if (request.has("csv")) {
    write_csv(m.map, output.out);
  } else {
    output.out << output.paint.bold(m.title) << '\n'
               << chunk_legend(m.map) << "\n\n"
               << memory_picture(lines(), max_lines, output.paint);
    if (m.findings.begin() != m.findings.end()) output.out << '\n';
    print_findings(output, to_json(m.findings));
  }
  return code;
}

}  // namespace

Command map_command() {
  using enum OptionKind;
  return {"map",
          "Where is every element? A grid of memory, a table, or a picture",
          "layout-check map --arch sm_100 --element f16 --major k --swizzle 64B --mn 16 --k 32\n"
          "layout-check map --arch sm_90 --element f16 --major mn --mn 128 --k 16 \\\n"
          "  --descriptor 0x4000008000400440 --svg tile.svg",
          nullptr,
          false,
          joined({operand_options(),
                  {{"--swizzle", text, "MODE", "none 32B 64B 128B 128B_32B"},
                   {"--start-address", text, "ADDR", "of the tile in shared memory (0x400)"},
                   {"--atom-order", text, "ORDER", "mn_first (default) or k_first"},
                   {"--descriptor", text, "WORD", "the map of this descriptor instead of a tile"},
                   {"--csv", flag, "", "one line per element: mn, k, address, line, bank sector"},
                   {"--svg", text, "FILE", "write a picture"},
                   {"--lines", text, "N", "lines of 128 bytes to show (64)"},
                   {"--all", flag, "", "show every line"}}}),
          run};
}

}  // namespace lc::verify
