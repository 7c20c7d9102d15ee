#include "sim/ptx/fatbin.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/ptx/elf.h"
#include "sim/ptx/error.h"
#include "sim/ptx/parser.h"
#include "sim/ptx/printer.h"
#include "tests/golden.h"
#include "tests/ptx/fatbin_maker.h"
#include "tests/test.h"

namespace lc::tests {
namespace {

using ptx::Compression;

constexpr Compression kAll[] = {Compression::none, Compression::lz4, Compression::zstd};

ptx::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string program(const std::string& target) {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n.entry k() { ret; }\n";
}

/// Reads every image; false: refused with a message.
bool readable(const std::string& file) {
  try {
    for (const ptx::FatbinContainer& c : ptx::read_containers(bytes_of(file), "file")) {
      for (const ptx::FatbinEntry& entry : c.entries) ptx::ptx_text(entry, "file");
    }
    return true;
  } catch (const ptx::ParseError& error) {
    BOOST_TEST_REQUIRE(!error.message.empty());
    return false;
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fatbin_tests)

BOOST_AUTO_TEST_CASE(what_is_packed_comes_out) {
  for (const Compression compression : kAll) {
    for (const std::size_t length : {0, 1, 7, 8, 1000, 70000}) {
      const std::string text = program("sm_100a") + std::string(length, '\n') + "// end";
      const std::string file = make_fatbin({{1, 90, program("sm_90a"), compression},
                                            {1, 100, text, compression},
                                            {2, 100,
                                             "\x7f"
                                             "ELF",
                                             compression}});
      for (const std::string& carrier :
           {file, make_elf(".nv_fatbin", file), make_elf("__nv_relfatbin", file)}) {
        const auto containers = ptx::read_containers(bytes_of(carrier), "file");
        BOOST_TEST_REQUIRE(containers.size() == 1u);
        BOOST_TEST_REQUIRE(containers[0].entries.size() == 3u);
        const ptx::FatbinEntry& entry = containers[0].entries[1];
        BOOST_TEST(entry.arch == 100u);
        BOOST_TEST(entry.version_major == 9u);
        BOOST_TEST((entry.compression == compression));
        BOOST_TEST((ptx::ptx_text(entry, "file") == text));
        BOOST_TEST((containers[0].entries[2].kind == ptx::FatbinEntry::Kind::elf));
      }
    }
  }
}

/// Written by nvcc 13.0 from scale.cu, one file for each way to compress.
BOOST_AUTO_TEST_CASE(files_of_the_compiler_say_the_same_however_compressed) {
  std::vector<std::string> canonical;
  for (const char* name :
       {"ptx/scale_none.fatbin", "ptx/scale_speed.fatbin", "ptx/scale_size.fatbin"}) {
    const std::vector<std::uint8_t> file = read_bytes(name);
    const auto containers = ptx::read_containers(file, name);
    BOOST_TEST_REQUIRE(containers.size() == 1u);
    std::string all;
    for (const char* device : {"sm_80", "sm_90", "sm_100", "sm_103", "sm_120"}) {
      const auto image = ptx::choose_ptx(containers[0], device, name);
      BOOST_TEST_REQUIRE(image.has_value());
      const ptx::Module module = ptx::parse(image->text, name);
      BOOST_TEST(module.find_function("scale")->entry);
      all += image->target + "\n" + ptx::print(module);
    }
    canonical.push_back(all);
  }
  BOOST_TEST(canonical[0] == canonical[1]);
  BOOST_TEST(canonical[0] == canonical[2]);
}

BOOST_AUTO_TEST_CASE(containers_follow_one_another_with_padding) {
  const std::string one = make_fatbin({{1, 90, program("sm_90")}});
  const std::string both = one + std::string(24, '\0') + one + std::string(8, '\0');
  BOOST_TEST(ptx::read_containers(bytes_of(both), "file").size() == 2u);
  BOOST_TEST(!readable(one + "x"));
  BOOST_TEST(ptx::read_containers(bytes_of(make_elf(".text", "x")), "file").empty());
}

BOOST_AUTO_TEST_CASE(the_image_that_suits_the_device_is_chosen) {
  struct Case {
    std::vector<std::string> targets;
    const char* device;
    const char* want;
  };
  const Case cases[] = {
      {{"sm_80", "sm_90", "sm_90a", "sm_100a"}, "sm_90", "sm_90a"},
      {{"sm_80", "sm_90", "sm_90a", "sm_100a"}, "sm_90a", "sm_90a"},
      {{"sm_80", "sm_90", "sm_90a"}, "sm_100", "sm_90"},
      {{"sm_100", "sm_100f", "sm_100a"}, "sm_100", "sm_100a"},
      {{"sm_100", "sm_100f", "sm_100a"}, "sm_103", "sm_100f"},
      {{"sm_100", "sm_100f", "sm_100a"}, "sm_120", "sm_100"},
      {{"sm_90", "sm_80"}, "sm_120", "sm_90"},
      {{"sm_90a"}, "sm_100", ""},
      {{"sm_100a"}, "sm_90", ""},
      {{"compute_90a"}, "sm_90", "compute_90a"},
  };
  for (const Case& c : cases) {
    std::vector<FatbinPart> parts;
    for (const std::string& target : c.targets) {
      const auto arch = std::stoul(target.substr(target.find('_') + 1));
      parts.push_back({1, static_cast<std::uint32_t>(arch), program(target), Compression::zstd});
    }
    const std::string file = make_fatbin(parts);
    const auto containers = ptx::read_containers(bytes_of(file), "file");
    const auto image = ptx::choose_ptx(containers[0], c.device, "file");
    BOOST_TEST((image ? image->target : "") == c.want);
  }
  const auto containers = ptx::read_fatbin(bytes_of(make_fatbin({})), "file");
  BOOST_CHECK_THROW(ptx::choose_ptx(containers[0], "b200", "file"), ptx::ParseError);
}

BOOST_AUTO_TEST_CASE(a_cubin_is_named_as_such) {
  try {
    ptx::read_containers(bytes_of(make_elf(".text", "x", ptx::kElfMachineCuda)), "k.cubin");
    BOOST_ERROR("accepted");
  } catch (const ptx::ParseError& error) {
    BOOST_TEST(error.message == "this is a cubin: machine code without PTX");
    BOOST_TEST(error.hint.find("code=compute_100a") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(sizes_that_lie_are_refused) {
  const std::string text = program("sm_100a") + std::string(5000, ' ');
  for (const Compression compression : {Compression::lz4, Compression::zstd}) {
    for (const std::int64_t lie : {-5000L, -1L, 1L, 8L, 1L << 20, 1L << 28, 1L << 40, -1L << 62}) {
      BOOST_TEST(!readable(make_fatbin({{1, 100, text, compression, lie, 0}})));
    }
    for (const std::int64_t lie : {-20L, -1L, 100L, 0x7fffff00L}) {
      BOOST_TEST(!readable(make_fatbin({{1, 100, text, compression, 0, lie}})));
    }
  }
}

BOOST_AUTO_TEST_CASE(files_cut_short_or_changed_are_judged) {
  const std::string fatbin = make_fatbin({{1, 100, program("sm_100a"), Compression::lz4},
                                          {1, 90, program("sm_90a"), Compression::zstd},
                                          {1, 80, program("sm_80")}});
  for (const std::string& file : {fatbin, make_elf(".nv_fatbin", fatbin)}) {
    BOOST_TEST(readable(file));
    for (std::size_t length = 0; length < file.size(); ++length) {
      readable(file.substr(0, length));
    }
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::string changed = file;
        changed[at] = static_cast<char>(value);
        readable(changed);
      }
    }
  }
}

/// Programs of this build, where there is a CUDA toolkit: all their PTX parses and prints back.
BOOST_AUTO_TEST_CASE(programs_of_this_build_hold_ptx_that_parses) {
  std::size_t found = 0;
  for (const char* name : {"tile_probe", "dump_my_tile", "lc_gpu_tests"}) {
    const std::string path = std::string(LC_PROGRAM_DIR) + "/" + name;
    if (!std::filesystem::exists(path)) continue;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    const std::string file = bytes.str();
    for (const ptx::FatbinContainer& c : ptx::read_containers(bytes_of(file), name)) {
      for (const ptx::FatbinEntry& entry : c.entries) {
        if (entry.kind != ptx::FatbinEntry::Kind::ptx) continue;
        const ptx::Module module = ptx::parse(ptx::ptx_text(entry, name), name);
        BOOST_TEST((ptx::parse(ptx::print(module), name) == module));
        ++found;
      }
    }
  }
  if (found == 0) BOOST_TEST_MESSAGE("no program of this build holds PTX: no CUDA toolkit");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace lc::tests
