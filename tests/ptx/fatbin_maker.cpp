#include "tests/ptx/fatbin_maker.h"

#include <lz4.h>
#include <zstd.h>

#include <stdexcept>

namespace lc::tests {
namespace {

/// Little-endian, as many bytes as T has.
template <class T>
void put(std::string& out, std::uint64_t value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

std::string packed(const FatbinPart& part) {
  std::string out;
  switch (part.compression) {
    case ptx::Compression::none:
      return part.text;
    case ptx::Compression::lz4: {
      out.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(part.text.size()))));
      const int size =
          LZ4_compress_default(part.text.data(), out.data(), static_cast<int>(part.text.size()),
                               static_cast<int>(out.size()));
      out.resize(static_cast<std::size_t>(size));
      return out;
    }
    case ptx::Compression::zstd: {
      out.resize(ZSTD_compressBound(part.text.size()));
      const std::size_t size =
          ZSTD_compress(out.data(), out.size(), part.text.data(), part.text.size(), 3);
      if (ZSTD_isError(size)) throw std::runtime_error("zstd");
      out.resize(size);
      return out;
    }
  }
  return out;
}

std::string make_entry(const FatbinPart& part) {
  std::string payload = packed(part);
  const bool compressed = part.compression != ptx::Compression::none;
  const std::uint64_t packed_size = payload.size();
  payload.resize((payload.size() + 7) / 8 * 8, '\0');
  std::string out;
  put<std::uint16_t>(out, part.kind);
  put<std::uint16_t>(out, 0x0101);
  put<std::uint32_t>(out, 64);
  put<std::uint64_t>(out, payload.size());
  put<std::uint32_t>(
      out, compressed ? packed_size + static_cast<std::uint64_t>(part.compressed_lie) : 0);
  put<std::uint32_t>(out, 0);
  put<std::uint16_t>(out, 0);
  put<std::uint16_t>(out, 9);
  put<std::uint32_t>(out, part.arch);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, part.compression == ptx::Compression::lz4    ? 0x3011
                          : part.compression == ptx::Compression::zstd ? 0x9011
                                                                       : 0x1011);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out,
                     compressed ? part.text.size() + static_cast<std::uint64_t>(part.size_lie) : 0);
  return out + payload;
}

}  // namespace

std::string make_fatbin(const std::vector<FatbinPart>& parts) {
  std::string entries;
  for (const FatbinPart& part : parts) entries += make_entry(part);
  std::string out;
  put<std::uint32_t>(out, 0xba55ed50);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, 16);
  put<std::uint64_t>(out, entries.size());
  return out + entries;
}

std::string make_elf(const std::string& section, const std::string& bytes, std::uint16_t machine) {
  const std::string names = std::string("\0.shstrtab\0", 11) + section + '\0';
  const std::uint64_t bytes_at = 64, names_at = bytes_at + bytes.size();
  const std::uint64_t table_at = names_at + names.size();
  std::string out(
      "\x7f"
      "ELF\2\1\1");
  out.resize(16, '\0');
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, machine);
  put<std::uint32_t>(out, 1);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, table_at);
  put<std::uint32_t>(out, 0);
  for (const unsigned half : {64u, 0u, 0u, 64u, 3u, 1u}) put<std::uint16_t>(out, half);
  out += bytes + names;
  const auto header = [&](std::uint32_t name, std::uint32_t type, std::uint64_t at,
                          std::uint64_t size) {
    put<std::uint32_t>(out, name);
    put<std::uint32_t>(out, type);
    put<std::uint64_t>(out, 0);
    put<std::uint64_t>(out, 0);
    put<std::uint64_t>(out, at);
    put<std::uint64_t>(out, size);
    out.append(24, '\0');
  };
  header(0, 0, 0, 0);
  header(1, 3, names_at, names.size());
  header(11, 1, bytes_at, bytes.size());
  return out;
}

}  // namespace lc::tests
