#include "verify/run/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "verify/error.h"

namespace lc::verify {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxDimensions = 32;

/// Reads the dictionary of a header.
class Header {
 public:
  Header(const std::string& where, std::string_view text) : where_(where), text_(text) {}

  Npy read() {
    Npy npy;
    bool seen[3] = {};
    expect('{');
    while (!next_is('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        npy.descr = quoted();
        seen[0] = true;
      } else if (key == "fortran_order") {
        if (word() != "False") {
          fail("the array is stored column by column", "numpy.ascontiguousarray before numpy.save");
        }
        seen[1] = true;
      } else if (key == "shape") {
        npy.shape = shape();
        seen[2] = true;
      } else {
        fail(fmt::format("the header has a key `{:.40}`", key));
      }
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    if (!seen[0] || !seen[1] || !seen[2]) fail("descr, fortran_order or shape is missing");
    return npy;
  }

  [[noreturn]] void fail(const std::string& problem,
                         const std::string& hint = "is this a file of numpy.save?") const {
    throw Error(where_, problem, hint);
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool next_is(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!next_is(c)) fail(fmt::format("the header lacks a '{}' at byte {}", c, at_));
  }
  std::string quoted() {
    const char quote = next_is('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a text in the header has no end");
    std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }
  std::string_view word() {
    blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'A' && text_[at_] <= 'z') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> dims;
    expect('(');
    while (!next_is(')')) {
      blanks();
      std::uint64_t value = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc{} || dims.size() == kMaxDimensions) fail("the shape cannot be read");
      at_ += static_cast<std::size_t>(end - begin);
      dims.push_back(value);
      if (!next_is(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string where_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Bytes of an element of "<f4", "|u1", "|V2"; 0 for what has no fixed size or is big-endian.
std::uint32_t item_bytes_of(std::string_view descr) {
  if (descr.size() < 3 || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) return 0;
  if (std::string_view("fiubcV").find(descr[1]) == std::string_view::npos) return 0;
  std::uint32_t bytes = 0;
  const char* const end = descr.data() + descr.size();
  const auto [after, error] = std::from_chars(descr.data() + 2, end, bytes);
  return error == std::errc{} && after == end && bytes <= 16 ? bytes : 0;
}

std::string header_text(const std::string& descr, const std::vector<std::uint64_t>& shape) {
  std::string dims;
  for (const std::uint64_t d : shape) dims += fmt::format("{}, ", d);
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  if (shape.size() == 1) dims.resize(dims.size() - 1);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
}

}  // namespace

Npy parse_npy(const std::string& where, std::span<const std::uint8_t> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const Header nothing(where, "");
  if (!text.starts_with(kMagic) || file.size() < 12) nothing.fail("is no .npy file");
  const bool long_form = file[6] >= 2;
  const std::size_t prefix = long_form ? 12 : 10;
  std::uint64_t length = file[8] | file[9] << 8;
  if (long_form) length |= std::uint64_t{file[10]} << 16 | std::uint64_t{file[11]} << 24;
  if (length > file.size() - prefix) nothing.fail("the header passes the end of the file");
  Header header(where, text.substr(prefix, length));
  Npy npy = header.read();
  npy.item_bytes = item_bytes_of(npy.descr);
  if (npy.item_bytes == 0) {
    header.fail(fmt::format("elements of type `{:.40}` cannot be read", npy.descr),
                "little-endian numbers: <f2 <f4 <i4 |u1 …");
  }
  npy.bytes = file.subspan(prefix + length);
  std::uint64_t bytes = npy.item_bytes;
  for (const std::uint64_t d : npy.shape) {
    if (d != 0 && bytes > npy.bytes.size() / d) {
      header.fail("the elements of its shape pass the end of the file", "is the file complete?");
    }
    bytes *= d;
  }
  if (bytes > npy.bytes.size()) {  // no dimension at all
    header.fail("the element passes the end of the file", "is the file complete?");
  }
  npy.bytes = npy.bytes.first(bytes);
  return npy;
}

void write_npy(const std::string& path, const std::string& descr,
               const std::vector<std::uint64_t>& shape, std::span<const std::byte> bytes) {
  std::string header = header_text(descr, shape);
  // Data aligned to 64 bytes, as NumPy does.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << kMagic << '\x01' << '\x00' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(path, "cannot be written", "check the directory and the space left");
}

}  // namespace lc::verify
