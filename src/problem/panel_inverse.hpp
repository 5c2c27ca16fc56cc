// The inverse of the unit lower triangle L of an LU panel, by which rows of U are multiplied
// instead of being solved for.
#pragma once

#include <cstdint>
#include <limits>

namespace duoblas {

struct PanelInverse {
  /// The widest panel whose inverse is made.
  static constexpr std::int64_t most_columns = 128;

  /// Memory for the inverse's columns, so many numbers apart. Behind a column it gets zeros.
  void* columns = nullptr;
  std::int64_t pitch = 0;
  /// The largest sum of a column of |L| times that of its inverse; may be NaN. Infinite: there is
  /// no inverse.
  double condition = std::numeric_limits<double>::infinity();
};

}  // namespace duoblas
