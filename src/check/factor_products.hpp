// Products with a matrix that is given by its factors, in double precision, and the same products
// of magnitudes, from which bounds on rounding errors are made. Also solutions by substitution.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "check/check_threads.hpp"

namespace duoblas {

template <typename T>
struct FactorProducts {
  /// The type of the arithmetic.
  using W = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;

  const T* factors = nullptr;  ///< column-major, of getrf or potrf
  std::int64_t ld = 0, n = 0;
  const std::int32_t* pivots = nullptr;  ///< getrf's; null: potrf
  Uplo uplo = Uplo::upper;               ///< of potrf
  CheckThreads threads = {};             ///< for products

  static W conjugate(W value) {
    if constexpr (!std::is_floating_point_v<T>) return std::conj(value);
    return value;
  }

  /// y = A y, and sizes = |P L| |U| sizes.
  void multiply_column(std::vector<W>& y, std::vector<double>& sizes) const {
    const auto add = [&](W value, const Pair& from, Pair to, std::int64_t i, std::int64_t j) {
      to.sums[at(i)] += value * from.sums[at(j)];
      to.sizes[at(i)] += std::abs(value) * from.sizes[at(j)];
    };
    step(y, sizes, true, add);
    step(y, sizes, false, add);
    for (std::int64_t i = n - 1; pivots != nullptr && i >= 0; --i) swap(y, sizes, i);
  }
  /// y' = y' A, and the same for sizes.
  void multiply_row(std::vector<W>& y, std::vector<double>& sizes) const {
    const auto add = [&](W value, const Pair& from, Pair to, std::int64_t i, std::int64_t j) {
      to.sums[at(j)] += from.sums[at(i)] * value;
      to.sizes[at(j)] += from.sizes[at(i)] * std::abs(value);
    };
    for (std::int64_t i = 0; pivots != nullptr && i < n; ++i) swap(y, sizes, i);
    step(y, sizes, false, add);
    step(y, sizes, true, add);
  }

  /// y = inv(A) y.
  void solve_column(std::vector<W>& y) const {
    for (std::int64_t i = 0; pivots != nullptr && i < n; ++i)
      std::swap(y[at(i)], y[at(pivots[i] - 1)]);
    for (std::int64_t j = 0; j < n; ++j) {
      y[at(j)] /= lower(j, j);
      for (std::int64_t i = j + 1; i < n; ++i) y[at(i)] -= lower(i, j) * y[at(j)];
    }
    for (std::int64_t j = n - 1; j >= 0; --j) {
      y[at(j)] /= upper(j, j);
      for (std::int64_t i = 0; i < j; ++i) y[at(i)] -= upper(i, j) * y[at(j)];
    }
  }
  /// y' = y' inv(A).
  void solve_row(std::vector<W>& y) const {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < j; ++i) y[at(j)] -= y[at(i)] * upper(i, j);
      y[at(j)] /= upper(j, j);
    }
    for (std::int64_t j = n - 1; j >= 0; --j) {
      for (std::int64_t i = j + 1; i < n; ++i) y[at(j)] -= y[at(i)] * lower(i, j);
      y[at(j)] /= lower(j, j);
    }
    for (std::int64_t i = n - 1; pivots != nullptr && i >= 0; --i)
      std::swap(y[at(i)], y[at(pivots[i] - 1)]);
  }

 private:
  struct Pair {
    std::vector<W>& sums;
    std::vector<double>& sizes;
  };
  static constexpr std::int64_t columns_at_once = 16;
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  W stored(std::int64_t i, std::int64_t j) const { return W(factors[j * ld + i]); }
  W upper(std::int64_t i, std::int64_t j) const {
    return pivots == nullptr && uplo == Uplo::lower ? conjugate(stored(j, i)) : stored(i, j);
  }
  W lower(std::int64_t i, std::int64_t j) const {
    if (pivots != nullptr && i == j) return 1;
    return pivots != nullptr || uplo == Uplo::lower ? stored(i, j) : conjugate(stored(j, i));
  }

  void swap(std::vector<W>& y, std::vector<double>& sizes, std::int64_t i) const {
    std::swap(y[at(i)], y[at(pivots[i] - 1)]);
    std::swap(sizes[at(i)], sizes[at(pivots[i] - 1)]);
  }
  template <typename Add>
  void step(std::vector<W>& y, std::vector<double>& sizes, bool with_upper, Add&& add) const {
    const int shared_by = threads.for_bytes(at(n) * at(n) * sizeof(T) / 2);
    const DealtLines dealt{n, columns_at_once, shared_by};
    std::vector<std::vector<W>> sums(at(shared_by), std::vector<W>(at(n)));
    std::vector<std::vector<double>> magnitudes(at(shared_by), std::vector<double>(at(n)));
    threads.each(shared_by, [&](std::int64_t piece) {
      const Pair to{sums[at(piece)], magnitudes[at(piece)]};
      dealt.of_piece(piece, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
          const std::int64_t begin = with_upper ? 0 : j, end = with_upper ? j + 1 : n;
          for (std::int64_t i = begin; i < end; ++i)
            add(with_upper ? upper(i, j) : lower(i, j), Pair{y, sizes}, to, i, j);
        }
      });
    });
    y = std::move(sums.front());
    sizes = std::move(magnitudes.front());
    for (std::size_t piece = 1; piece < sums.size(); ++piece)
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += sums[piece][i];
        sizes[i] += magnitudes[piece][i];
      }
  }
};

}  // namespace duoblas
