// The inverse of an LU panel's unit lower triangle by the panel's threads, each of which has the
// triangle in its cache. A thread has some columns, and waits for nobody.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/panel_loops.hpp"
#include "problem/panel_inverse.hpp"
#include "problem/triangle_condition.hpp"

namespace duoblas {

/// Computed in double precision, as that of cpu/triangle_inverse.hpp. L times it differs from the
/// unit matrix by no more than rounding errors.
template <typename T>
class UnitInverse {
 public:
  /// \pre columns <= PanelInverse::most_columns. \throws std::bad_alloc.
  UnitInverse(std::int64_t columns, const PanelInverse& to, int threads)
      : columns_(columns),
        to_(static_cast<T*>(to.columns)),
        pitch_(to.pitch),
        norms_(static_cast<std::size_t>(threads)) {}

  /// The thread's share. `top`: the panel's first rows, with L below the diagonal.
  void make_share(int thread, const T* top, std::int64_t top_ld, const PanelLoops<T>& loops) {
    const auto threads = static_cast<std::int64_t>(norms_.size());
    const std::int64_t groups = (columns_ + width - 1) / width;
    // Those who had a long group of columns first have a short one next.
    for (std::int64_t turn = 0; turn * threads < groups; ++turn) {
      const std::int64_t group = turn * threads + (turn % 2 == 0 ? thread : threads - 1 - thread);
      if (group < groups) make(group * width, top, top_ld, loops, norms_[index(thread)]);
    }
  }

  /// After all shares: PanelInverse::condition.
  double condition() const {
    Norms most;
    for (const Norms& of_thread : norms_) {
      most.see_l(of_thread.l);
      most.see_inverse(of_thread.inverse);
    }
    return most.l * most.inverse;
  }

 private:
  static constexpr std::int64_t width = inverse_columns;
  /// NaN is kept.
  struct alignas(64) Norms {
    double l = 0, inverse = 0;
    void see_l(double sum) { l = larger_sum(sum, l); }
    void see_inverse(double sum) { inverse = larger_sum(sum, inverse); }
  };
  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }

  void make(std::int64_t first, const T* top, std::int64_t top_ld, const PanelLoops<T>& loops,
            Norms& norms) const {
    alignas(64) double x[PanelInverse::most_columns * width];
    loops.invert_unit(top, top_ld, columns_, first, x);
    const std::int64_t end = std::min(first + width, columns_);
    for (std::int64_t j = first; j < end; ++j) {
      T* const column = to_ + j * pitch_;
      double of_l = 1, of_inverse = 0;
      for (std::int64_t i = 0; i < columns_; ++i) {
        column[i] = static_cast<T>(x[i * width + (j - first)]);
        of_inverse += std::abs(static_cast<double>(column[i]));
      }
      std::fill(column + columns_, column + pitch_, T(0));
      for (std::int64_t i = j + 1; i < columns_; ++i)
        of_l += std::abs(static_cast<double>(top[i * top_ld + j]));
      norms.see_l(of_l);
      norms.see_inverse(of_inverse);
    }
  }

  const std::int64_t columns_;
  T* const to_;
  const std::int64_t pitch_;
  std::vector<Norms> norms_;
};

}  // namespace duoblas
