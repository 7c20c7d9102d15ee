#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

/// The second formulation of many maps: a layout as shapes and strides, the way CuTe writes it.
/// Coordinate x counts the first mode fastest; its address is the sum of digit * stride.
struct StrideLayout {
  struct Mode {
    std::uint32_t shape, stride;
  };
  std::vector<Mode> modes;

  StrideLayout(std::initializer_list<Mode> list) : modes(list) {}

  std::uint32_t operator()(std::uint32_t x) const {
    std::uint32_t sum = 0;
    for (const Mode& mode : modes) {
      sum += x % mode.shape * mode.stride;
      x /= mode.shape;
    }
    return sum;
  }
};
