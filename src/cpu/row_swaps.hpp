// Which rows of an LU panel are exchanged when a leaf of its columns is finished.
#pragma once

#include <cstdint>
#include <utility>

#include "cpu/panel_bands.hpp"

namespace duoblas {

/// The combined effect of a leaf's successive exchanges of rows with their pivots.
class RowSwaps {
 public:
  RowSwaps(std::int64_t first, std::int64_t end, const std::int64_t* pivots) {
    for (std::int64_t row = first; row < end; ++row) add(row);
    for (std::int64_t row = first; row < end; ++row)
      std::swap(whose_[row - first], whose_[place_of(pivots[row - first])]);
    leaf_ = end - first;
  }

  /// The row that ends up as that pivot.
  std::int64_t pivot(std::int64_t number) const { return whose_[number]; }
  /// Number of rows behind the leaf that receive one of the leaf's rows.
  std::int64_t count() const { return places_ - leaf_; }
  std::int64_t to(std::int64_t number) const { return rows_[leaf_ + number]; }
  std::int64_t from(std::int64_t number) const { return whose_[leaf_ + number]; }

 private:
  std::int64_t add(std::int64_t row) {
    rows_[places_] = whose_[places_] = row;
    return places_++;
  }
  std::int64_t place_of(std::int64_t row) {
    for (std::int64_t place = 0; place < places_; ++place)
      if (rows_[place] == row) return place;
    return add(row);
  }

  std::int64_t places_ = 0, leaf_ = 0;
  /// For each place its row, and the row that ends up there.
  std::int64_t rows_[2 * panel_leaf], whose_[2 * panel_leaf];
};

}  // namespace duoblas
