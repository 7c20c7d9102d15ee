#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

using Kind = Graph::Node::Kind;

std::uint8_t* moved(const void* base, std::size_t bytes) {
  return static_cast<std::uint8_t*>(const_cast<void*>(base)) + bytes;
}

void copy(Gpu& gpu, void* stream, void* to, const void* from, std::size_t bytes, int kind) {
  gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
    if (bytes == 0) return;
    check_direction(gpu.memory(), static_cast<CopyKind>(kind), to, from);
    gpu.memory().copy(to, from, bytes);
  });
}

struct Plane {
  void* address;
  std::size_t pitch;
};

void copy_2d(Gpu& gpu, void* stream, Plane to, Plane from, std::size_t width, std::size_t height,
             int kind) {
  require(width <= to.pitch && width <= from.pitch, 12, "a row is wider than the pitch");
  gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
    check_direction(gpu.memory(), static_cast<CopyKind>(kind), to.address, from.address);
    gpu.memory().copy_2d(to.address, to.pitch, from.address, from.pitch, width, height);
  });
}

std::uint8_t* corner(const abi::PitchedPointer& p, const abi::Position& at, std::size_t z) {
  return moved(p.pointer, ((at.z + z) * p.y_size + at.y) * p.pitch + at.x);
}

void copy_3d(Gpu& gpu, void* stream, const abi::Copy3d* parameters) {
  require(parameters != nullptr, kInvalidValue);
  const abi::Copy3d p = *parameters;
  require(p.source_array == nullptr && p.target_array == nullptr, kNotSupported,
          "CUDA arrays are not part of the virtual GPU");
  gpu.stream(stream).submit(Kind::copy, [=, &gpu] {
    check_direction(gpu.memory(), static_cast<CopyKind>(p.kind), p.target.pointer,
                    p.source.pointer);
    for (std::size_t z = 0; z < p.extent.depth; ++z) {
      gpu.memory().copy_2d(corner(p.target, p.target_position, z), p.target.pitch,
                           corner(p.source, p.source_position, z), p.source.pitch, p.extent.width,
                           p.extent.height);
    }
  });
}

void fill(Gpu& gpu, void* stream, void* to, int value, std::size_t bytes) {
  gpu.stream(stream).submit(Kind::fill, [=, &gpu] {
    const auto byte = static_cast<std::uint8_t>(value);
    gpu.memory().fill(to, &byte, 1, bytes);
  });
}

void fill_2d(Gpu& gpu, void* stream, Plane to, int value, std::size_t width, std::size_t height) {
  for (std::size_t y = 0; y < height; ++y) {
    fill(gpu, stream, moved(to.address, y * to.pitch), value, width);
  }
}

void fill_3d(Gpu& gpu, void* stream, const abi::PitchedPointer& to, int value,
             const abi::Extent& extent) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    fill_2d(gpu, stream, {moved(to.pointer, z * to.y_size * to.pitch), to.pitch}, value,
            extent.width, extent.height);
  }
}

/// Part of a variable; copies into constants are the host's privilege.
void* part_of(Gpu& gpu, const void* symbol, std::size_t bytes, std::size_t offset) {
  const HostVariable variable = variable_of(gpu, symbol);
  require(offset <= variable.bytes && bytes <= variable.bytes - offset, kInvalidValue,
          "the copy passes the end of the variable");
  return moved(variable.address, offset);
}

}  // namespace

extern "C" {

int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return call("cudaMemcpy", [&](Gpu& gpu) { copy(gpu, nullptr, to, from, bytes, kind); });
}

int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return call("cudaMemcpyAsync", [&](Gpu& gpu) { copy(gpu, stream, to, from, bytes, kind); });
}

int cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return call("cudaMemcpyPeer", [&](Gpu& gpu) { copy(gpu, nullptr, to, from, bytes, 4); });
}

int cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, void* stream) {
  return call("cudaMemcpyPeerAsync", [&](Gpu& gpu) { copy(gpu, stream, to, from, bytes, 4); });
}

int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::size_t height, int kind) {
  return call("cudaMemcpy2D", [&](Gpu& gpu) {
    copy_2d(gpu, nullptr, {to, to_pitch}, {const_cast<void*>(from), from_pitch}, width, height,
            kind);
  });
}

int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int kind, void* stream) {
  return call("cudaMemcpy2DAsync", [&](Gpu& gpu) {
    copy_2d(gpu, stream, {to, to_pitch}, {const_cast<void*>(from), from_pitch}, width, height,
            kind);
  });
}

int cudaMemcpy3D(const abi::Copy3d* parameters) {
  return call("cudaMemcpy3D", [&](Gpu& gpu) { copy_3d(gpu, nullptr, parameters); });
}

int cudaMemcpy3DAsync(const abi::Copy3d* parameters, void* stream) {
  return call("cudaMemcpy3DAsync", [&](Gpu& gpu) { copy_3d(gpu, stream, parameters); });
}

int cudaMemset(void* to, int value, std::size_t bytes) {
  return call("cudaMemset", [&](Gpu& gpu) { fill(gpu, nullptr, to, value, bytes); });
}

int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return call("cudaMemsetAsync", [&](Gpu& gpu) { fill(gpu, stream, to, value, bytes); });
}

int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return call("cudaMemset2D", [&](Gpu& gpu) {
    fill_2d(gpu, nullptr, {to, pitch}, value, width, height);
  });
}

int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      void* stream) {
  return call("cudaMemset2DAsync", [&](Gpu& gpu) {
    fill_2d(gpu, stream, {to, pitch}, value, width, height);
  });
}

int cudaMemset3D(abi::PitchedPointer to, int value, abi::Extent extent) {
  return call("cudaMemset3D", [&](Gpu& gpu) { fill_3d(gpu, nullptr, to, value, extent); });
}

int cudaMemset3DAsync(abi::PitchedPointer to, int value, abi::Extent extent, void* stream) {
  return call("cudaMemset3DAsync", [&](Gpu& gpu) { fill_3d(gpu, stream, to, value, extent); });
}

int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                            std::size_t offset, int kind, void* stream) {
  return call("cudaMemcpyToSymbol", [&](Gpu& gpu) {
    copy(gpu, stream, part_of(gpu, symbol, bytes, offset), from, bytes, kind);
  });
}

int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                       int kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                              int kind, void* stream) {
  return call("cudaMemcpyFromSymbol", [&](Gpu& gpu) {
    copy(gpu, stream, to, part_of(gpu, symbol, bytes, offset), bytes, kind);
  });
}

int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                         int kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

}  // extern "C"
