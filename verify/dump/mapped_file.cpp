#include "verify/dump/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "verify/error.h"

namespace lc::verify {
namespace {

/// A file descriptor that closes itself.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& what, const char* hint) {
  throw Error(path.empty() ? "''" : path, what, hint);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.fd < 0) {
    fail(path, std::string("cannot be opened: ") + std::strerror(errno), "check path and rights");
  }
  struct stat info {};
  if (fstat(file.fd, &info) != 0) {
    fail(path, std::string("cannot be examined: ") + std::strerror(errno), "check the file");
  }
  if (S_ISDIR(info.st_mode)) {
    fail(path, "is a directory", "name the .safetensors files in it");
  }
  if (!S_ISREG(info.st_mode)) {
    fail(path, "is no regular file", "write the bytes to a file first");
  }
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ == 0) return;
  void* const memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (memory == MAP_FAILED) {
    size_ = 0;
    fail(path, std::string("cannot be mapped: ") + std::strerror(errno), "check the file system");
  }
  data_ = static_cast<const std::uint8_t*>(memory);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace lc::verify
