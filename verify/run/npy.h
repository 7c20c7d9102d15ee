#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// NumPy's .npy format: "\x93NUMPY", a version, the length of a header, the header as a Python
/// dictionary, then the elements.
///
///   {'descr': '<f4', 'fortran_order': False, 'shape': (128, 64), }
///
/// The reader believes nothing: sizes are checked against the file before they are used.
namespace lc::verify {

struct Npy {
  std::string descr;  ///< "<f4"
  std::vector<std::uint64_t> shape;
  std::uint32_t item_bytes = 0;
  std::span<const std::uint8_t> bytes;
};

/// Parses a whole file.  `where` names it in errors.  Throws `Error`.
Npy parse_npy(const std::string& where, std::span<const std::uint8_t> file);

/// Writes an array, row-major.  Throws `Error` when the path cannot be written.
void write_npy(const std::string& path, const std::string& descr,
               const std::vector<std::uint64_t>& shape, std::span<const std::byte> bytes);

}  // namespace lc::verify
