#include "sim/runtime/file_image.h"

#include <fstream>
#include <iterator>

namespace lc::runtime {

Library& load_file(Gpu& gpu, const char* path) {
  if (path == nullptr) throw CudaError(kInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CudaError(kFileNotFound, std::string(path) + " cannot be read");
  // PTX text ends in a zero byte when it is handed over in memory.
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Library& library = gpu.add_library(bytes.c_str());
  gpu.loaded(library);
  library.forget_image();
  return library;
}

}  // namespace lc::runtime
