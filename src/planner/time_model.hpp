// How long one side takes for a product, as a model in its sizes, fitted to what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

namespace duoblas {

/// The sizes of a product that its time depends on.
struct WorkSizes {
  double m = 0, n = 0, k = 0;
  /// m and n with the tiles at the edges counted whole; m and n themselves if nothing is wasted.
  double padded_m = 0, padded_n = 0;
  /// The operands are copied as they are; else kernels read them in whole tiles.
  bool copied = false;
  double staged_c = 0;  ///< elements of C that are staged though memory is shared
};

/// The cost of an element, relative to the element type that was timed.
struct TypeRatio {
  double multiply_adds = 1, bytes = 1;
};

/// seconds = c0 + c1 m' n' k + c2 m n + c3 m' k + c4 k n' + c5 k + c6 staged_c
///
/// No coefficient is negative; m' and n' are padded. The terms are: the launch; the multiply-adds;
/// the passes over C, A and B (copies, packing, and what makes thin shapes slow); the steps of one
/// tile's sums, which no parallelism hides; and C copied in both directions. Divided by the flops
/// it is Hockney's law of half-performance lengths in each of m, n and k (R. W. Hockney, C. R.
/// Jesshope: Parallel Computers 2).
struct TimeModel {
  static constexpr std::size_t terms = 7;
  using Terms = std::array<double, terms>;

  Terms coefficients{};
  bool known = false;  ///< something was measured

  double seconds(const WorkSizes& sizes) const {
    if (!known) return std::numeric_limits<double>::infinity();
    const Terms factors = terms_of(sizes);
    return std::inner_product(factors.begin(), factors.end(), coefficients.begin(), 0.0);
  }
  /// The same of another type. A launch takes as long for every type.
  TimeModel of_type(const TypeRatio& ratio) const;
  static Terms terms_of(const WorkSizes& s) {
    const double m = s.copied ? s.m : s.padded_m, n = s.copied ? s.n : s.padded_n;
    return {1.0, s.padded_m * s.padded_n * s.k, s.m * s.n, m * s.k, s.k * n, s.k, s.staged_c};
  }
};

/// One timing of one side.
struct TimedWork {
  WorkSizes sizes;
  double seconds = 0;  ///< 0: not measured
};

/// The time model nearest to the timings in relative error. `expected` gives the coefficients that
/// the timings leave open. Unknown if nothing was measured.
TimeModel fitted_time_model(std::span<const TimedWork> timings, const TimeModel::Terms& expected);

}  // namespace duoblas
