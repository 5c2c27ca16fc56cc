// Checks an inverse X against the factors it was made of, which are kept: with a random vector x,
//
//     getri   X (P L U x) = x          potri   X (L (L^H x)) = x, or X (U^H (U x)) = x
//
// x is scaled, so that all columns of |X| |L| |U| count alike: where some are much larger (those of
// a U that grows because L is ill-conditioned), their rounding errors would hide errors in others.
//
// Rows whose difference is larger than rounding errors are likely to cause are multiplied out.
// Their elements are compared with k u |X| |L| |U| (N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, 2002, section 14.3, method B, and the part that V U = 1 adds). For potri,
// where X is V V^H, |V| |V^H| is at most the root of the products of X's diagonal. A row that is
// not finite is wrong only where substitution in double precision finds one that is.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/factor_products.hpp"
#include "check/factorisation_body.hpp"
#include "check/kept_memory.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// The constants of factorisation_check.cpp, for a row that is the result of three products.
constexpr double suspicious = 24, of_bound = 16, order_of_bound = 64;

template <typename T>
class InverseCheck final : public FactorisationCheck::Body {
  using W = Wide<T>;

 public:
  InverseCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
               const CheckThreads& threads)
      : p_(problem),
        is_lu_(problem.routine == LapackRoutine::getri),
        slack_(slack),
        threads_(threads),
        kept_(index(problem.n * problem.n) * sizeof(T)),
        x_(signed_numbers(problem.n, seed)) {
    const auto keep = [&](const T* from, std::int64_t at, std::int64_t count) {
      std::copy_n(from, count, kept() + at);
    };
    threads_.share(p_.n, 1, index(p_.n * p_.n) * sizeof(T),
                   [&](std::int64_t begin, std::int64_t end) { for_stored(begin, end, keep); });
  }

  CheckVerdict compare() override {
    if (!is_lu_) take_roots();
    const std::vector<double> x = scaled_numbers();
    std::vector<W> y(x.begin(), x.end());
    std::vector<double> sizes(index(p_.n));
    std::ranges::transform(x, sizes.begin(), [](double value) { return std::abs(value); });
    factors().multiply_column(y, sizes);
    if (!std::ranges::all_of(sizes, [](double size) { return std::isfinite(size); }))
      return {};  // undecided
    const std::vector<W> sums = result_times(y);
    const std::vector<double> allowed = magnitudes_times(sizes);
    Suspects suspects;
    const double likely = suspicious * slack_ * unit * std::sqrt(static_cast<double>(p_.n + 1));
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const double ratio =
          std::abs(sums[index(i)] - x[index(i)]) / (likely * allowed[index(i)] + tiny());
      if (!(ratio <= 1)) suspects.add(ratio, i);
    }
    return suspects.verdict([&](std::int64_t line) { return wrong_in(line); });
  }

  void restore_a() const noexcept override {
    for_stored(0, p_.n, [&](T* to, std::int64_t at, std::int64_t count) {
      std::copy_n(kept() + at, count, to);
    });
  }

 private:
  static constexpr double unit = rounding_of<T>;

  bool is_lower() const { return p_.uplo == Uplo::lower; }
  T* kept() const { return static_cast<T*>(kept_.data()); }
  double tiny() const {
    return static_cast<double>(p_.n) * static_cast<double>(std::numeric_limits<PartOf<T>>::min());
  }

  /// The rows of column j that hold what is kept and computed.
  std::int64_t first_row(std::int64_t j) const { return !is_lu_ && is_lower() ? j : 0; }
  std::int64_t end_row(std::int64_t j) const { return !is_lu_ && !is_lower() ? j + 1 : p_.n; }
  template <typename Visit>
  void for_stored(std::int64_t first, std::int64_t last, Visit&& visit) const {
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t begin = first_row(j);
      visit(static_cast<T*>(p_.a) + j * p_.lda + begin, j * p_.n + begin, end_row(j) - begin);
    }
  }

  W result(std::int64_t i, std::int64_t j) const {
    const T* const x = static_cast<const T*>(p_.a);
    const bool is_mirrored = !is_lu_ && (is_lower() ? i < j : i > j);
    return is_mirrored ? FactorProducts<T>::conjugate(W(x[i * p_.lda + j])) : W(x[j * p_.lda + i]);
  }
  // The diagonal's elements lie far apart, and each is asked for several times.
  void take_roots() {
    roots_.resize(index(p_.n));
    for (std::int64_t i = 0; i < p_.n; ++i) roots_[index(i)] = std::sqrt(std::abs(result(i, i)));
  }
  double magnitude(std::int64_t i, std::int64_t j) const {
    if (is_lu_) return std::abs(result(i, j));
    return roots_[index(i)] * roots_[index(j)];
  }
  FactorProducts<T> factors() const {
    return {kept(), p_.n, p_.n, is_lu_ ? p_.pivots : nullptr, p_.uplo, threads_};
  }

  // X y. Each stored element is read once, in the order of memory.
  std::vector<W> result_times(const std::vector<W>& y) const {
    std::vector<W> sums(index(p_.n));
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const T* const column = static_cast<const T*>(p_.a) + j * p_.lda;
      W mirrored = 0;
      for (std::int64_t i = first_row(j); i < end_row(j); ++i) {
        const W element(column[i]);
        sums[index(i)] += element * y[index(j)];
        if (!is_lu_ && i != j) mirrored += FactorProducts<T>::conjugate(element) * y[index(i)];
      }
      sums[index(j)] += mirrored;
    }
    return sums;
  }
  // |X| v. For potri the bound of |X| is a product of two vectors.
  std::vector<double> magnitudes_times(const std::vector<double>& v) const {
    std::vector<double> sums(index(p_.n));
    if (!is_lu_) {
      const double sum = std::inner_product(roots_.begin(), roots_.end(), v.begin(), 0.0);
      std::ranges::transform(roots_, sums.begin(), [sum](double root) { return root * sum; });
      return sums;
    }
    for (std::int64_t j = 0; j < p_.n; ++j)
      for (std::int64_t i = 0; i < p_.n; ++i) sums[index(i)] += magnitude(i, j) * v[index(j)];
    return sums;
  }
  // v' |X|.
  std::vector<double> times_magnitudes(const std::vector<double>& v) const {
    if (!is_lu_) return magnitudes_times(v);  // symmetric
    std::vector<double> sums(index(p_.n));
    for (std::int64_t j = 0; j < p_.n; ++j)
      for (std::int64_t i = 0; i < p_.n; ++i) sums[index(j)] += v[index(i)] * magnitude(i, j);
    return sums;
  }

  // Each number over its column's sum in |X| |L| |U|, after each row of that was divided by its
  // sum.
  std::vector<double> scaled_numbers() const {
    std::vector<W> unused(index(p_.n));
    std::vector<double> ones(index(p_.n), 1.0);
    factors().multiply_column(unused, ones);
    std::vector<double> rows = magnitudes_times(ones);
    for (double& sum : rows) sum = sum > 0 ? 1 / sum : 0;
    std::vector<double> columns = times_magnitudes(rows);
    factors().multiply_row(unused, columns);
    std::vector<double> x = x_;
    for (std::int64_t j = 0; j < p_.n; ++j)
      if (columns[index(j)] > 0 && std::isfinite(columns[index(j)]))
        x[index(j)] /= columns[index(j)];
    return x;
  }
  bool must_be_finite(std::int64_t row) const {
    std::vector<W> exact(index(p_.n));
    exact[index(row)] = 1;
    factors().solve_row(exact);
    return !overflow<T>(exact);
  }

  // The worst element in row i of X A.
  std::optional<WrongElement> wrong_in(std::int64_t row) const {
    std::vector<W> x(index(p_.n));
    std::vector<double> sizes(index(p_.n));
    for (std::int64_t j = 0; j < p_.n; ++j) {
      x[index(j)] = result(row, j);
      sizes[index(j)] = magnitude(row, j);
    }
    // Beside an infinite element of X a bound is infinite too.
    const bool is_finite =
        std::ranges::all_of(sizes, [](double size) { return std::isfinite(size); });
    factors().multiply_row(x, sizes);
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const W should_be = j == row ? 1 : 0, is = x[index(j)];
      const double bound = slack_ * of_bound * unit * (static_cast<double>(p_.n) + order_of_bound) *
                               sizes[index(j)] +
                           tiny();
      const bool tells = is_finite || std::isfinite(bound);
      if (tells && std::abs(is - should_be) <= bound) continue;
      if (!std::isfinite(std::abs(is)) && !must_be_finite(row)) return {};
      return WrongElement{row, j, is, should_be, std::isfinite(std::abs(is)) ? bound : 0};
    }
    return {};
  }

  const LapackProblem p_;
  const bool is_lu_;
  const double slack_;
  const CheckThreads threads_;
  const KeptMemory kept_;
  const std::vector<double> x_;
  std::vector<double> roots_;  ///< of potri's diagonal
};

}  // namespace

std::unique_ptr<FactorisationCheck::Body> make_inverse_check(const LapackProblem& problem,
                                                             std::uint64_t seed, double slack,
                                                             const CheckThreads& threads) {
  return check_of_type<InverseCheck>(problem, seed, slack, threads);
}

}  // namespace duoblas
