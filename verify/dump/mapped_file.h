#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lc::verify {

/// A file's bytes, mapped read-only.  Throws `Error` for what is no readable regular file.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lc::verify
