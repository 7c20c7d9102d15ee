// Any bytes as PTX text or as a file that holds some: a module that prints and parses back to
// itself, or a message that says where and what.
#include "sim/ptx/fatbin.h"
#include "sim/ptx/parser.h"
#include "sim/ptx/printer.h"
#include "tests/fuzz/must.h"

using namespace lc::ptx;
using lc::fuzz::must;

namespace {

void check_text(const std::string& text) {
  try {
    const Module module = parse(text, "text");
    const std::string canonical = print(module);
    must(parse(canonical, "text") == module, "the canonical text means the same");
    must(print(parse(canonical, "text")) == canonical, "the canonical text is its own");
  } catch (const ParseError& error) {
    must(!error.message.empty() && error.at.line > 0 && error.at.column > 0,
         "a message says where and what");
  }
}

void check_file(Bytes file) {
  try {
    for (const FatbinContainer& container : read_containers(file, "file")) {
      for (const FatbinEntry& entry : container.entries) {
        if (entry.kind == FatbinEntry::Kind::ptx) ptx_text(entry, "file");
      }
    }
  } catch (const ParseError& error) {
    must(!error.message.empty(), "a message says what");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file(data, size);
  if (size > 4 && data[0] == 'F') {  // the rest is a fat binary or an ELF file
    check_file(file.subspan(1));
  } else {
    check_text(std::string(data, data + size));
  }
  return 0;
}
