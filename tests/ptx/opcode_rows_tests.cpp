#include <set>

#include "sim/ptx/parser.h"
#include "sim/ptx/printer.h"
#include "tests/golden.h"
#include "tests/test.h"

// Every instruction seen in public kernels (opcodes.csv), in the form the manual gives it; ptxas
// 13.0 accepts both programs.
namespace lc::tests {
namespace {

/// Opcode and modifiers with the modifiers sorted: their order says nothing.
std::string set_of(std::string_view opcode, const std::vector<std::string>& modifiers) {
  std::multiset<std::string> sorted(modifiers.begin(), modifiers.end());
  std::string text(opcode);
  for (const std::string& modifier : sorted) text += "." + modifier;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(opcode_rows_tests)

BOOST_AUTO_TEST_CASE(every_row_parses_and_keeps_its_modifiers) {
  std::set<std::string> seen;
  for (const char* name : {"ptx/opcodes_sm_100.ptx", "ptx/opcodes_sm_90.ptx"}) {
    const ptx::Module module = ptx::parse(read_text(name), name);
    BOOST_TEST((ptx::parse(ptx::print(module), name) == module));
    for (const ptx::Mnemonic& mnemonic : module.mnemonics) {
      seen.insert(set_of(mnemonic.opcode, {mnemonic.modifiers.begin(), mnemonic.modifiers.end()}));
    }
  }
  const std::vector<CsvRow> rows = read_csv("ptx/opcodes.csv");
  BOOST_TEST(rows.size() == 340u);
  for (const CsvRow& row : rows) {
    const std::string wanted = set_of(row.at("opcode"), split(row.at("modifiers"), '.'));
    BOOST_TEST(seen.contains(wanted), wanted);
  }
}

BOOST_AUTO_TEST_CASE(operands_have_the_shape_that_was_written) {
  const ptx::Module module = ptx::parse(read_text("ptx/opcodes_sm_100.ptx"), "opcodes");
  using Kind = ptx::Operand::Kind;
  const auto shape = [&](std::string_view spelling) {
    std::vector<Kind> kinds;
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Instruction& instruction : function.instructions) {
        if (module.mnemonic_of(instruction).text() != spelling) continue;
        for (const ptx::Operand& o : function.operands_of(instruction)) kinds.push_back(o.kind);
        return kinds;
      }
    }
    return kinds;
  };
  BOOST_TEST((shape("elect.sync") == std::vector{Kind::pair, Kind::constant}));
  BOOST_TEST((shape("bra.uni") == std::vector{Kind::label}));
  BOOST_TEST((shape("call.uni") == std::vector{Kind::arguments, Kind::function, Kind::arguments}));
  BOOST_TEST((shape("tcgen05.ld.sync.aligned.32x32b.x64.b32") ==
              std::vector{Kind::vector, Kind::address}));
  BOOST_TEST((shape("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group") ==
              std::vector{Kind::address, Kind::address}));
  BOOST_TEST((shape("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32") ==
              std::vector{Kind::address, Kind::constant}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
