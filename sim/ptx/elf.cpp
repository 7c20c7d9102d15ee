#include "sim/ptx/elf.h"

#include <algorithm>

#include "sim/ptx/error.h"

namespace lc::ptx {
namespace {

// Offsets of the fields of Elf64_Ehdr and Elf64_Shdr (System V ABI, "Object Files").
constexpr std::uint64_t kHeaderSize = 64, kSectionHeaderSize = 64;
constexpr std::uint64_t kClass = 4, kData = 5, kMachine = 18, kSectionOffset = 40;
constexpr std::uint64_t kSectionEntrySize = 58, kSectionCount = 60, kNamesIndex = 62;
constexpr std::uint64_t kName = 0, kType = 4, kOffset = 24, kSize = 32, kLink = 40;
constexpr std::uint32_t kNoBits = 8;         ///< SHT_NOBITS: a size, but no bytes
constexpr std::uint32_t kExtended = 0xffff;  ///< SHN_XINDEX: see section 0

class ElfReader {
 public:
  ElfReader(Bytes file, const std::string& name) : file_(file), name_(name) {}

  ElfFile run() {
    if (!holds(file_, 0, kHeaderSize)) fail("this ELF file is cut short");
    if (file_[kClass] != 2 || file_[kData] != 1) {
      fail("only 64-bit little-endian ELF files are read");
    }
    ElfFile elf;
    elf.machine = read_at<std::uint16_t>(file_, kMachine);
    table_ = read_at<std::uint64_t>(file_, kSectionOffset);
    std::uint64_t count = read_at<std::uint16_t>(file_, kSectionCount);
    std::uint64_t names = read_at<std::uint16_t>(file_, kNamesIndex);
    if (table_ == 0) return elf;
    if (read_at<std::uint16_t>(file_, kSectionEntrySize) != kSectionHeaderSize ||
        !holds(file_, table_, kSectionHeaderSize)) {
      fail("the section table of this ELF file is damaged");
    }
    if (count == 0) count = field<std::uint64_t>(0, kSize);
    if (names == kExtended) names = field<std::uint32_t>(0, kLink);
    if (count > (file_.size() - table_) / kSectionHeaderSize || (count > 0 && names >= count)) {
      fail("the section table of this ELF file does not lie inside it");
    }
    if (count == 0) return elf;
    const Bytes name_bytes = bytes_of(names);
    for (std::uint64_t i = 0; i < count; ++i) {
      elf.sections.push_back({name_at(name_bytes, field<std::uint32_t>(i, kName)), bytes_of(i)});
    }
    return elf;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ParseError(name_, {}, problem, {}, {});
  }

  template <class T>
  T field(std::uint64_t section, std::uint64_t offset) const {
    return read_at<T>(file_, table_ + section * kSectionHeaderSize + offset);
  }

  Bytes bytes_of(std::uint64_t section) const {
    if (field<std::uint32_t>(section, kType) == kNoBits) return {};
    const auto offset = field<std::uint64_t>(section, kOffset);
    const auto size = field<std::uint64_t>(section, kSize);
    if (section == 0 || size == 0) return {};
    if (!holds(file_, offset, size)) fail("a section of this ELF file does not lie inside it");
    return file_.subspan(offset, size);
  }

  std::string_view name_at(Bytes names, std::uint32_t offset) const {
    if (offset >= names.size()) return {};
    constexpr std::size_t kLongestName = 64;  // longer ones are cut: nobody asks for them
    const auto* begin = reinterpret_cast<const char*>(names.data() + offset);
    const std::string_view rest(begin, std::min(kLongestName, names.size() - offset));
    return rest.substr(0, rest.find('\0'));
  }

  Bytes file_;
  const std::string& name_;
  std::uint64_t table_ = 0;
};

}  // namespace

bool looks_like_elf(Bytes file) {
  return holds(file, 0, 4) && std::memcmp(file.data(),
                                          "\x7f"
                                          "ELF",
                                          4) == 0;
}

ElfFile read_elf(Bytes file, const std::string& name) {
  return ElfReader(file, name).run();
}

}  // namespace lc::ptx
