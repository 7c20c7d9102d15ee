#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/layout/im2col.h"
#include "sim/layout/tensor_map.h"
#include "verify/run/value_type.h"

namespace lc::verify {

/// Device memory that a launch file names.
struct BufferSpec {
  std::string name;
  std::string where;  ///< for errors: "launch.json: arguments[0]."
  ValueType type = ValueType::u8;
  std::vector<std::uint64_t> shape;
  std::string fill;  ///< "zero", "random:1", a path …
  std::string save;  ///< path; empty: not saved

  std::uint64_t elements() const;
  std::uint64_t bytes() const { return elements() * bytes_of(type); }
};

/// One argument of the kernel.
struct ArgumentSpec {
  struct Scalar {
    ValueType type;
    std::uint64_t bits;
  };
  struct Pointer {
    std::string buffer;
    std::uint64_t byte_offset;
  };
  /// Its global address is filled in when the buffer has one.
  struct Map {
    std::string buffer;
    std::uint64_t byte_offset;
    bool im2col;
    TensorMap tiled;
    Im2colMap column;
  };
  using Bytes = std::vector<std::byte>;

  std::string where;
  std::variant<Scalar, Pointer, Map, Bytes> value;
};

/// How a kernel is launched (docs/run.md), read and checked as far as that is possible without the
/// kernel.
struct LaunchFile {
  std::string path;
  std::string entry;  ///< empty: the only one
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicit_cluster = false;
  bool cooperative = false;
  std::uint32_t shared = 0;  ///< bytes of dynamic shared memory
  std::vector<BufferSpec> buffers;
  std::vector<ArgumentSpec> arguments;
  std::vector<std::string> ignored;  ///< fields that nobody reads

  /// A path in the file, which counts from the file's folder.
  std::string beside(const std::string& name) const;
  const BufferSpec* find_buffer(const std::string& name) const;
};

/// Throws `Error` with the field's place.
LaunchFile parse_launch(const std::string& path, const std::string& text);
LaunchFile read_launch(const std::string& path);

}  // namespace lc::verify
