// Sums over the stored rows of a matrix, in double precision whatever the elements are. The check
// of a product consists of them. Elements are read as reals; a complex one is two reals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace duoblas {

/// Weighted sums of one row, with one set of weights or two, each in four parts, by the index of a
/// real modulo four. So there are two sums, each over every second element. For real elements one
/// consists of parts 0 and 2, the other of 1 and 3. For complex elements one has its real part in 0
/// and its imaginary part in 1, the other in 2 and 3.
struct RowSum {
  double places[2][4] = {};
  double size = 0;

  double of_set(int set) const {
    const double* const of = places[set];
    return (of[0] + of[1]) + (of[2] + of[3]);
  }
};

/// What is added up beside the terms of a sum: nothing, their magnitudes, or their squares. For a
/// complex number's magnitude |real part| + |imaginary part| is taken.
enum class Sizes { none, magnitudes, squares };
constexpr std::size_t place_of(Sizes sizes) {
  return static_cast<std::size_t>(sizes);
}

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
  /// The sums of row[i] first[i] and row[i] second[i], and by Sizes nothing, the sum of |row[i]|
  /// of_sizes[i], or the same with squares. By the number of sets less one, and by Sizes.
  RowSum (*dots[2][3])(const R* row, const double* first, const double* second,
                       const double* of_sizes, std::int64_t count);
  /// With one set, and the sum of |row[i] first[i]|.
  RowSum (*dot_and_magnitude)(const R* row, const double* first, const double*, const double*,
                              std::int64_t count);
  /// sums[i] += weights[r] rows[r][i], for r = 0 .. rows_added_at_once - 1; and by Sizes nothing,
  /// sums_of_sizes[i] += sizes[r] |rows[r][i]|, or the same with squares.
  void (*add_rows[3])(const R* const* rows, const double* weights, const double* sizes,
                      std::int64_t count, double* sums, double* sums_of_sizes);
  /// sums[i] += weight row[i].
  void (*add_row)(const R* row, double weight, std::int64_t count, double* sums);
};

template <typename R>
const RowSums<R>& row_sums();

/// Every version that this processor can run, the one that is used first.
template <typename R>
std::vector<const RowSums<R>*> row_sums_that_run();

/// The loops for x86 processors with more instructions than all of them have. Compiled if
/// DUOBLAS_WIDER_VECTORS is defined.
template <typename R>
const RowSums<R>& row_sums_for_avx2();
template <typename R>
const RowSums<R>& row_sums_for_avx512();

}  // namespace duoblas
