// Which rows of an LU panel are exchanged when an inner panel of its columns is finished.
#pragma once

#include <cstdint>
#include <utility>

#include "cpu/panel_bands.hpp"

namespace duoblas {

/// The combined effect of an inner panel's successive exchanges of rows with their pivots.
class RowSwaps {
 public:
  RowSwaps(std::int64_t first, std::int64_t end, const std::int64_t* pivots) {
    for (std::int64_t row = first; row < end; ++row) add(row);
    for (std::int64_t row = first; row < end; ++row)
      std::swap(whose_[row - first], whose_[place_of(pivots[row - first])]);
    inner_ = end - first;
  }

  /// The row that ends up as that pivot.
  std::int64_t pivot(std::int64_t number) const { return whose_[number]; }
  /// Number of rows behind the inner panel that receive one of the inner panel's rows.
  std::int64_t count() const { return places_ - inner_; }
  std::int64_t to(std::int64_t number) const { return rows_[inner_ + number]; }
  std::int64_t from(std::int64_t number) const { return whose_[inner_ + number]; }

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

  std::int64_t places_ = 0, inner_ = 0;
  /// For each place its row, and the row that ends up there.
  std::int64_t rows_[2 * inner_width], whose_[2 * inner_width];
};

}  // namespace duoblas
