#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

namespace {

using Kind = Graph::Node::Kind;

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

int copy(const char* function, void* to, const void* from, std::size_t bytes, CopyKind kind,
         void* stream) {
  return call(function, [&](Gpu& gpu) {
    gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
      if (bytes == 0) return;
      check_direction(gpu.memory(), kind, to, from);
      gpu.memory().copy(to, from, bytes);
    });
  });
}

template <class T>
int fill(const char* function, std::uint64_t to, std::size_t pitch, T value, std::size_t width,
         std::size_t height, void* stream) {
  return call(function, [&](Gpu& gpu) {
    require(to % sizeof(T) == 0 && (height == 1 || pitch % sizeof(T) == 0), kInvalidValue);
    gpu.stream(stream).submit(Kind::fill, [=, &gpu] {
      for (std::size_t y = 0; y < height; ++y) {
        gpu.memory().fill(pointer_to(to + y * pitch), &value, sizeof value, width);
      }
    });
  });
}

/// One end of a copy; CUmemorytype: 1 host, 2 device, 3 array, 4 unified.
std::uint8_t* end_of(int type, const void* host, std::uint64_t device) {
  require(type != 3, kNotSupported, "CUDA arrays are not part of the virtual GPU");
  require(type == 1 || type == 2 || type == 4, kInvalidValue);
  return static_cast<std::uint8_t*>(type == 1 ? const_cast<void*>(host) : pointer_to(device));
}

int copy_2d(const char* function, const abi::DriverCopy2d* parameters, void* stream) {
  return call(function, [&](Gpu& gpu) {
    require(parameters != nullptr, kInvalidValue);
    const abi::DriverCopy2d p = *parameters;
    std::uint8_t* const to = end_of(p.target_type, p.target_host, p.target_device);
    const std::uint8_t* const from = end_of(p.source_type, p.source_host, p.source_device);
    const std::size_t to_pitch = p.target_pitch != 0 ? p.target_pitch : p.width;
    const std::size_t from_pitch = p.source_pitch != 0 ? p.source_pitch : p.width;
    gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
      gpu.memory().copy_2d(to + p.target_y * to_pitch + p.target_x, to_pitch,
                           from + p.source_y * from_pitch + p.source_x, from_pitch, p.width,
                           p.height);
    });
  });
}

int copy_3d(const char* function, const abi::DriverCopy3d* parameters, void* stream) {
  return call(function, [&](Gpu& gpu) {
    require(parameters != nullptr, kInvalidValue);
    const abi::DriverCopy3d p = *parameters;
    std::uint8_t* const to = end_of(p.target_type, p.target_host, p.target_device);
    const std::uint8_t* const from = end_of(p.source_type, p.source_host, p.source_device);
    const auto at = [](std::size_t x, std::size_t y, std::size_t z, std::size_t pitch,
                       std::size_t height) { return (z * height + y) * pitch + x; };
    gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
      for (std::size_t z = 0; z < p.depth; ++z) {
        gpu.memory().copy_2d(
            to + at(p.target_x, p.target_y, p.target_z + z, p.target_pitch, p.target_height),
            p.target_pitch,
            from + at(p.source_x, p.source_y, p.source_z + z, p.source_pitch, p.source_height),
            p.source_pitch, p.width, p.height);
      }
    });
  });
}

}  // namespace

extern "C" {

int cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return copy("cuMemcpy", pointer_to(to), pointer_to(from), bytes, CopyKind::any, nullptr);
}

int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyAsync", pointer_to(to), pointer_to(from), bytes, CopyKind::any, stream);
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  return copy("cuMemcpyHtoD", pointer_to(to), from, bytes, CopyKind::host_to_device, nullptr);
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyHtoDAsync", pointer_to(to), from, bytes, CopyKind::host_to_device, stream);
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  return copy("cuMemcpyDtoH", to, pointer_to(from), bytes, CopyKind::device_to_host, nullptr);
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyDtoHAsync", to, pointer_to(from), bytes, CopyKind::device_to_host, stream);
}

int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return copy("cuMemcpyDtoD", pointer_to(to), pointer_to(from), bytes, CopyKind::device_to_device,
              nullptr);
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  return copy("cuMemcpyDtoDAsync", pointer_to(to), pointer_to(from), bytes,
              CopyKind::device_to_device, stream);
}

int cuMemcpy2D_v2(const abi::DriverCopy2d* p) {
  return copy_2d("cuMemcpy2D", p, nullptr);
}

int cuMemcpy2DUnaligned_v2(const abi::DriverCopy2d* p) {
  return copy_2d("cuMemcpy2DUnaligned", p, nullptr);
}

int cuMemcpy2DAsync_v2(const abi::DriverCopy2d* p, void* stream) {
  return copy_2d("cuMemcpy2DAsync", p, stream);
}

int cuMemcpy3D_v2(const abi::DriverCopy3d* p) {
  return copy_3d("cuMemcpy3D", p, nullptr);
}

int cuMemcpy3DAsync_v2(const abi::DriverCopy3d* p, void* stream) {
  return copy_3d("cuMemcpy3DAsync", p, stream);
}

int cuMemsetD8_v2(std::uint64_t to, unsigned char value, std::size_t count) {
  return fill("cuMemsetD8", to, 0, value, count, 1, nullptr);
}

int cuMemsetD16_v2(std::uint64_t to, unsigned short value, std::size_t count) {
  return fill("cuMemsetD16", to, 0, value, count, 1, nullptr);
}

int cuMemsetD32_v2(std::uint64_t to, unsigned value, std::size_t count) {
  return fill("cuMemsetD32", to, 0, value, count, 1, nullptr);
}

int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t count, void* stream) {
  return fill("cuMemsetD8Async", to, 0, value, count, 1, stream);
}

int cuMemsetD16Async(std::uint64_t to, unsigned short value, std::size_t count, void* stream) {
  return fill("cuMemsetD16Async", to, 0, value, count, 1, stream);
}

int cuMemsetD32Async(std::uint64_t to, unsigned value, std::size_t count, void* stream) {
  return fill("cuMemsetD32Async", to, 0, value, count, 1, stream);
}

int cuMemsetD2D8_v2(std::uint64_t to, std::size_t pitch, unsigned char value, std::size_t width,
                    std::size_t height) {
  return fill("cuMemsetD2D8", to, pitch, value, width, height, nullptr);
}

int cuMemsetD2D16_v2(std::uint64_t to, std::size_t pitch, unsigned short value, std::size_t width,
                     std::size_t height) {
  return fill("cuMemsetD2D16", to, pitch, value, width, height, nullptr);
}

int cuMemsetD2D32_v2(std::uint64_t to, std::size_t pitch, unsigned value, std::size_t width,
                     std::size_t height) {
  return fill("cuMemsetD2D32", to, pitch, value, width, height, nullptr);
}

}  // extern "C"
