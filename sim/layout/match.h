#pragma once

#include <cstdint>
#include <optional>

#include "sim/layout/element.h"
#include "sim/layout/host_device.h"
#include "sim/layout/operand.h"
#include "sim/layout/smem_descriptor.h"
#include "sim/layout/tensor_map.h"
#include "sim/layout/tma_box.h"

namespace lc {

/// One axis of an operand in terms of the tensor: the dimensions it runs over, fastest first.
struct OperandAxis {
  int count = 1;
  int dimension[kMaxRank]{};
};

/// "Will this descriptor read what this box wrote?"
struct MatchQuestion {
  TensorMap map;
  Coordinates coordinates{};  ///< of the box
  std::uint64_t smem_address = 0;
  SmemDescriptor descriptor;
  Major major = Major::k;
  Element element = Element::f16;
  Container container = Container::packed;
  std::uint64_t mn = 0, k = 0;
  OperandAxis mn_axis, k_axis;
  Coordinates origin{};  ///< tensor coordinates of operand element (0, 0)
};

/// Where the operand reads one element, what should stand there and what does.
struct MatchPlace {
  std::uint64_t mn = 0, k = 0;
  std::uint64_t bit_address = 0;   ///< byte * 8 + bit
  Coordinates expected{};          ///< tensor element that belongs to (mn, k)
  std::uint32_t expected_bit = 0;  ///< bit inside that tensor element
  TmaElement found;                ///< what the box wrote there
};

/// Answers a MatchQuestion element by element; made once, asked often.
///
/// Operand element (mn, k) belongs to the tensor element reached from `origin` by mn steps along
/// the mn axis and k along the k axis.  A step along a dimension is the map's element stride; an
/// axis of several dimensions takes them in the order given, each as long as the box.  Along
/// dimension 0 positions count bits, so that an f16 operand may come from a map of u8 or u32.
class Matcher {
 public:
  LC_HD constexpr explicit Matcher(const MatchQuestion& q)
      : q_(q),
        box_(make_tma_box(q.map, q.coordinates, q.smem_address)),
        layout_(operand_layout(q.descriptor, q.major, q.element, q.container)),
        operand_bits_(element_format(q.element).bits) {}

  LC_HD constexpr const TmaBox& box() const { return box_; }
  LC_HD constexpr const OperandLayout& layout() const { return layout_; }
  LC_HD constexpr void set_layout(const OperandLayout& layout) { layout_ = layout; }

  /// Bit where the operand keeps (mn, k): inside a byte container the elements stand densely.
  LC_HD constexpr std::uint64_t bit_of(std::uint64_t mn, std::uint64_t k) const {
    const std::uint64_t bit = layout_.bit_address(mn, k);
    if (operand_bits_ == layout_.bits) return bit;
    const std::uint64_t in_cell = bit / 8 % 16;
    return bit / 128 * 128 + in_cell * operand_bits_;
  }

  LC_HD constexpr MatchPlace place(std::uint64_t mn, std::uint64_t k) const {
    MatchPlace p;
    p.mn = mn;
    p.k = k;
    p.bit_address = bit_of(mn, k);
    p.expected = q_.origin;
    advance(p, q_.mn_axis, mn);
    advance(p, q_.k_axis, k);
    p.found = element_at(box_, p.bit_address / 8, static_cast<std::uint32_t>(p.bit_address % 8));
    return p;
  }

  LC_HD constexpr bool agrees(const MatchPlace& p) const {
    if (!p.found.present) return false;
    // element_at places a byte address; the bit inside the byte matters for types under 8 bits.
    const std::uint32_t found_bit =
        box_.element_bits < 8
            ? p.found.bit_in_element
            : p.found.byte_in_element * 8 + static_cast<std::uint32_t>(p.bit_address % 8);
    if (found_bit != p.expected_bit) return false;
    for (int d = 0; d < q_.map.rank; ++d) {
      if (p.found.coordinates[d] != p.expected[d]) return false;
    }
    return true;
  }

  LC_HD constexpr bool agrees(std::uint64_t mn, std::uint64_t k) const {
    return agrees(place(mn, k));
  }

  /// The first element, k fastest, that is not read where the box put it.
  constexpr std::optional<MatchPlace> first_difference() const {
    for (std::uint64_t mn = 0; mn < q_.mn; ++mn) {
      for (std::uint64_t k = 0; k < q_.k; ++k) {
        const MatchPlace p = place(mn, k);
        if (!agrees(p)) return p;
      }
    }
    return std::nullopt;
  }

  /// As `!first_difference()`, but asks the telling elements first: those one step of 1, 2, 4, …
  /// along either axis, and the last ones.
  constexpr bool all_agree() const {
    for (std::uint64_t i = 0; i <= q_.mn; i = i == 0 ? 1 : i * 2) {
      const std::uint64_t mn = i < q_.mn ? i : q_.mn - 1;
      for (std::uint64_t j = 0; j <= q_.k; j = j == 0 ? 1 : j * 2) {
        if (!agrees(mn, j < q_.k ? j : q_.k - 1)) return false;
      }
    }
    return !first_difference().has_value();
  }

 private:
  /// Elements of the operand in one pass over dimension `d` of the box.
  LC_HD constexpr std::uint64_t length(int d) const {
    if (d == 0) return q_.map.box_dim[0] * box_.element_bits / operand_bits_;
    return tma_steps(q_.map.box_dim[d], q_.map.element_stride[d]);
  }

  LC_HD constexpr void advance(MatchPlace& p, const OperandAxis& axis, std::uint64_t index) const {
    for (int i = 0; i < axis.count; ++i) {
      const int d = axis.dimension[i];
      const std::uint64_t n = length(d);
      const bool last = i + 1 == axis.count || n == 0;
      const std::uint64_t here = last ? index : index % n;
      index = last ? 0 : index / n;
      if (d == 0) {
        const std::uint64_t bits = here * operand_bits_;
        p.expected[0] += static_cast<std::int64_t>(bits / box_.element_bits);
        p.expected_bit += static_cast<std::uint32_t>(bits % box_.element_bits);
      } else {
        p.expected[d] += static_cast<std::int64_t>(here * q_.map.element_stride[d]);
      }
    }
  }

  MatchQuestion q_;
  TmaBox box_;
  OperandLayout layout_;
  std::uint32_t operand_bits_;
};

}  // namespace lc
