#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The safetensors format: 8 bytes of little-endian length, that much JSON, then the bytes.
///
///   {"__metadata__": {"key": "text", …},
///    "name": {"dtype": "U8", "shape": [8192], "data_offsets": [0, 8192]}, …}
///
/// Offsets count from the end of the JSON.  The reader believes nothing: every size is checked
/// against the file before it is used, and tensors must tile the bytes without gap or overlap.
namespace lc::verify {

struct SafeTensor {
  std::string name;
  std::string dtype;  ///< "U8", "BF16", …
  std::vector<std::uint64_t> shape;
  std::span<const std::uint8_t> bytes;
};

/// A parsed file; its tensors point into the bytes that were parsed.
struct SafeTensors {
  std::vector<SafeTensor> tensors;  ///< in order of their bytes
  std::map<std::string, std::string> metadata;

  const SafeTensor* find(const std::string& name) const;
};

/// Parses a whole file.  `where` names it in errors.  Throws `Error`.
SafeTensors parse_safetensors(const std::string& where, std::span<const std::uint8_t> file);

/// One tensor to write, as U8 of one dimension.
struct NamedBytes {
  std::string name;
  std::span<const std::uint8_t> bytes;
};

/// The bytes of a file that holds these tensors.
std::string safetensors_file(const std::vector<NamedBytes>& tensors,
                             const std::map<std::string, std::string>& metadata);

/// Writes that file.  Throws `Error` when the path cannot be written.
void write_safetensors(const std::string& path, const std::vector<NamedBytes>& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace lc::verify
