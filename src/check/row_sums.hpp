// Sums over the stored rows of a matrix, in double precision whatever the elements are. The check
// of a product consists of them. Elements are read as reals; a complex one is two reals.
#pragma once

#include <cstdint>
#include <vector>

namespace duoblas {

/// A weighted sum of one row, in four parts, by the index of a real modulo four. So there are two
/// sums, each over every second element. For real elements one consists of parts 0 and 2, the other
/// of 1 and 3. For complex elements one has its real part in 0 and its imaginary part in 1, the
/// other in 2 and 3.
struct RowSum {
  double places[4] = {0, 0, 0, 0};
  double magnitude = 0;  ///< sum of |real| |weight|
};

/// Sums with two sets of weights.
struct TwoRowSums {
  double first = 0, second = 0;
  double magnitude = 0;  ///< sum of |real| times a weight of its own
};

/// Rows that are added to a vector at once, so that it is read and written less often.
inline constexpr int rows_added_at_once = 4;

/// The loops for one type of reals (float, double), compiled for what this processor has. `count`
/// is in reals.
template <typename R>
struct RowSums {
  /// maxima[i] = max(maxima[i], |row[i]|), where a NaN is above infinity.
  void (*column_maxima)(const R* row, std::int64_t count, R* maxima);
  /// The same over one row.
  R (*maximum)(const R* row, std::int64_t count);
  RowSum (*dot)(const R* row, const double* weights, std::int64_t count);
  RowSum (*dot_and_magnitude)(const R* row, const double* weights, std::int64_t count);
  TwoRowSums (*two_dots)(const R* row, const double* first, const double* second,
                         const double* magnitudes, std::int64_t count);
  /// sums[i] += weights[r] rows[r][i] and sums_of_magnitudes[i] += magnitudes[r] |rows[r][i]|, for
  /// r = 0 .. rows_added_at_once - 1.
  void (*add_rows)(const R* const* rows, const double* weights, const double* magnitudes,
                   std::int64_t count, double* sums, double* sums_of_magnitudes);
  /// sums[i] += weight row[i] and squares[i] += of_squares row[i]^2.
  void (*add_with_squares)(const R* row, double weight, double of_squares, std::int64_t count,
                           double* sums, double* squares);
  /// The sum of weights[i] row[i]^2.
  double (*dot_of_squares)(const R* row, const double* weights, std::int64_t count);
};

template <typename R>
const RowSums<R>& row_sums();

/// Every version that this processor can run, the one that is used first.
template <typename R>
std::vector<const RowSums<R>*> row_sums_that_run();

}  // namespace duoblas
