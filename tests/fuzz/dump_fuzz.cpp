// Any bytes as a dump file: a report or an error, never a crash; the report prints, and a file that
// can be read survives being written again.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fuzz/must.h"
#include "verify/check/check_file.h"
#include "verify/check/report.h"
#include "verify/dump/safetensors.h"
#include "verify/error.h"

using namespace lc::verify;
using lc::fuzz::must;

namespace {

void write_again(const SafeTensors& file) {
  std::vector<NamedBytes> tensors;
  for (const SafeTensor& t : file.tensors) tensors.push_back({t.name, t.bytes});
  const std::string text = safetensors_file(tensors, file.metadata);
  const SafeTensors again =
      parse_safetensors("again", {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  must(again.tensors.size() == file.tensors.size(), "every tensor is written");
  must(again.metadata == file.metadata, "the metadata is written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  const FileReport report = check_bytes("input", bytes);
  std::ostringstream text;
  print_report(report, Output{text});
  must(!text.str().empty(), "a person is told something");
  must(to_json(report).is_object(), "a script is told something");
  for (const TileReport& tile : report.tiles) {
    must((tile.result == TileReport::Result::unknown) == tile.problem.has_value(),
         "what cannot be checked has a reason");
  }
  try {
    write_again(parse_safetensors("input", bytes));
  } catch (const Error& e) {
    must(report.result() == TileReport::Result::unknown, "a broken file cannot be checked");
    must(!e.where.empty() && !e.message.empty(), "an error says where and what");
  }
  return 0;
}
