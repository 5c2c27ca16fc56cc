// Sums over the lines of a matrix that is stored by columns, in double precision, and of the
// squares of their terms, by which rounding errors are judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/factorisation_body.hpp"
#include "check/row_sums.hpp"

namespace duoblas {

/// Of elements of type T. The square of a term is that of the matrix's element, times the square
/// of what it is multiplied by, or a sum of such squares.
template <typename T>
struct LineSums {
  using W = Wide<T>;

  explicit LineSums(std::int64_t lines) : values(index(lines)), squares(index(lines)) {}

  void add(std::int64_t line, W element, W factor, double square_of_factor) {
    values[index(line)] += element * factor;
    squares[index(line)] += std::norm(element) * square_of_factor;
  }

  /// Line first + i gets column[i] * factor.
  void add_column(std::int64_t first, const T* column, std::int64_t count, W factor,
                  double square_of_factor) {
    if constexpr (is_real<T>)
      row_sums<T>().add_with_squares(column, factor, square_of_factor, count, values.data() + first,
                                     squares.data() + first);
    else
      for (std::int64_t i = 0; i < count; ++i)
        add(first + i, W(column[i]), factor, square_of_factor);
  }

  /// The line gets conj(column[i]) * factors[i], for each i.
  template <typename Factor>
  void add_turned(std::int64_t line, const T* column, std::int64_t count, const Factor* factors,
                  const double* squares_of_factors) {
    if constexpr (is_real<T>) {
      const RowSum sum = row_sums<T>().dot(column, factors, count);
      values[index(line)] += (sum.places[0] + sum.places[1]) + (sum.places[2] + sum.places[3]);
      squares[index(line)] += row_sums<T>().dot_of_squares(column, squares_of_factors, count);
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        add(line, std::conj(W(column[i])), factors[i], squares_of_factors[i]);
    }
  }

  void add(const LineSums& others) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += others.values[i];
      squares[i] += others.squares[i];
    }
  }

  std::vector<W> values;
  std::vector<double> squares;
};

/// NaN if there is one.
template <typename T>
double largest_magnitude(const T* column, std::int64_t count) {
  if constexpr (is_real<T>) {
    return static_cast<double>(row_sums<T>().maximum(column, count));
  } else {
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = std::abs(Wide<T>(column[i]));
      if (std::isnan(value)) return value;
      largest = std::max(largest, value);
    }
    return largest;
  }
}

}  // namespace duoblas
