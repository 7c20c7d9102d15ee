#include "sim/ptx/fatbin.h"

#include <algorithm>

#include "sim/ptx/elf.h"
#include "sim/ptx/error.h"

namespace lc::ptx {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kContainerHeader = 16, kEntryHeader = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;

std::string hexadecimal(std::uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

class FatbinReader {
 public:
  FatbinReader(Bytes bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::vector<FatbinContainer> run() {
    std::vector<FatbinContainer> containers;
    std::uint64_t at = 0;
    while (true) {
      while (at < bytes_.size() && bytes_[at] == 0) ++at;  // padding between containers
      if (at == bytes_.size()) return containers;
      containers.push_back(container(at));
    }
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& problem) const {
    throw ParseError(name_, {}, "fat binary, byte " + hexadecimal(at) + ": " + problem, {}, {});
  }

  FatbinContainer container(std::uint64_t& at) {
    if (!holds(bytes_, at, kContainerHeader)) fail(at, "the header is cut short");
    if (read_at<std::uint32_t>(bytes_, at) != kMagic) fail(at, "no container begins here");
    const std::uint64_t header = read_at<std::uint16_t>(bytes_, at + 6);
    const auto size = read_at<std::uint64_t>(bytes_, at + 8);
    if (header < kContainerHeader || !holds(bytes_, at, header) ||
        !holds(bytes_, at + header, size)) {
      fail(at, "the container does not lie inside the file");
    }
    FatbinContainer result;
    at += header;
    const std::uint64_t end = at + size;
    while (at < end) result.entries.push_back(entry(at, end));
    return result;
  }

  FatbinEntry entry(std::uint64_t& at, std::uint64_t end) {
    if (end - at < kEntryHeader) fail(at, "an entry is cut short");
    const std::uint64_t header = read_at<std::uint32_t>(bytes_, at + 4);
    const auto size = read_at<std::uint64_t>(bytes_, at + 8);
    if (header < kEntryHeader || header > end - at || size > end - at - header) {
      fail(at, "an entry does not lie inside its container");
    }
    FatbinEntry result;
    const auto kind = read_at<std::uint16_t>(bytes_, at);
    result.kind = kind == 1   ? FatbinEntry::Kind::ptx
                  : kind == 2 ? FatbinEntry::Kind::elf
                              : FatbinEntry::Kind::other;
    result.version_minor = read_at<std::uint16_t>(bytes_, at + 24);
    result.version_major = read_at<std::uint16_t>(bytes_, at + 26);
    result.arch = read_at<std::uint32_t>(bytes_, at + 28);
    result.options = options(bytes_.subspan(at, header));
    result.payload = bytes_.subspan(at + header, size);
    compression(result, at);
    at += header + size;
    return result;
  }

  void compression(FatbinEntry& entry, std::uint64_t at) const {
    const auto flags = read_at<std::uint64_t>(bytes_, at + 40);
    entry.size = entry.payload.size();
    if ((flags & (kFlagLz4 | kFlagZstd)) == 0) return;
    if ((flags & kFlagLz4) != 0 && (flags & kFlagZstd) != 0) {
      fail(at, "an entry is compressed in two ways at once");
    }
    entry.compression = (flags & kFlagLz4) != 0 ? Compression::lz4 : Compression::zstd;
    const std::uint64_t packed = read_at<std::uint32_t>(bytes_, at + 16);
    if (packed > entry.payload.size()) fail(at, "the compressed data is longer than its entry");
    entry.payload = entry.payload.first(packed);
    entry.size = read_at<std::uint64_t>(bytes_, at + 56);
  }

  /// What the compiler was told, "--compile-only"; empty where there is nothing or it is damaged.
  static std::string_view options(Bytes header) {
    const auto at = read_at<std::uint32_t>(header, 20);
    if (at == 0 || !holds(header, at, 8)) return {};
    const auto offset = read_at<std::uint32_t>(header, at);
    const auto length = read_at<std::uint32_t>(header, std::uint64_t{at} + 4);
    if (!holds(header, offset, length)) return {};
    return {reinterpret_cast<const char*>(header.data() + offset), length};
  }

  Bytes bytes_;
  const std::string& name_;
};

}  // namespace

bool looks_like_fatbin(Bytes file) {
  return holds(file, 0, 4) && read_at<std::uint32_t>(file, 0) == kMagic;
}

std::vector<FatbinContainer> read_fatbin(Bytes bytes, const std::string& name) {
  return FatbinReader(bytes, name).run();
}

std::vector<FatbinContainer> read_containers(Bytes file, const std::string& name) {
  if (looks_like_fatbin(file)) return read_fatbin(file, name);
  if (!looks_like_elf(file)) {
    throw ParseError(name, {}, "this is neither an ELF file nor a fat binary", {}, {});
  }
  const ElfFile elf = read_elf(file, name);
  if (elf.machine == kElfMachineCuda) {
    throw ParseError(name, {}, "this is a cubin: machine code without PTX", {},
                     "the .ptx, .fatbin or executable it came from; nvcc keeps PTX with "
                     "-gencode arch=compute_100a,code=compute_100a");
  }
  std::vector<FatbinContainer> containers;
  for (const ElfSection& section : elf.sections) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    for (FatbinContainer& container : read_fatbin(section.bytes, name)) {
      containers.push_back(std::move(container));
    }
  }
  return containers;
}

std::string ptx_text(const FatbinEntry& entry, const std::string& name) {
  Decompressed result = decompress(entry.compression, entry.payload, entry.size);
  if (!result.problem.empty()) {
    throw ParseError(
        name, {}, "PTX for sm_" + std::to_string(entry.arch) + ": " + std::string(result.problem),
        {}, {});
  }
  std::string& text = result.bytes;
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return std::move(text);
}

}  // namespace lc::ptx
