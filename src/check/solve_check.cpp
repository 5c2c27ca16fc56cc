// Checks right-hand sides B that became X: with a random vector y, y' B = (y' op(A)) X, where A is
// there as its factors. A column that differs by more than rounding errors are likely to is
// multiplied out: |op(A) x - b| is at most k u |P L| |U| |x| (N. J. Higham, Accuracy and Stability
// of Numerical Algorithms, 2002, theorem 9.4). A solution that is not finite is wrong only where
// substitution in double precision finds one that is.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/factor_products.hpp"
#include "check/factorisation_body.hpp"
#include "check/kept_memory.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// As inverse_check.cpp has them.
constexpr double suspicious = 24, of_bound = 16, order_of_bound = 64;

template <typename T>
class SolveCheck final : public FactorisationCheck::Body {
  using W = Wide<T>;

 public:
  SolveCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
             const CheckThreads& threads)
      : p_(problem),
        slack_(slack),
        threads_(threads),
        kept_(index(problem.n * problem.right_sides) * sizeof(T)),
        y_(signed_numbers(problem.n, seed)) {
    for_sides([&](std::int64_t j) { std::copy_n(solution(j), p_.n, kept(j)); });
  }

  CheckVerdict compare() override {
    std::vector<W> z(y_.begin(), y_.end());
    std::vector<double> sizes(index(p_.n));
    std::ranges::transform(y_, sizes.begin(), [](double value) { return std::abs(value); });
    multiply(z, sizes, p_.op != Op::none);
    if (!std::ranges::all_of(sizes, [](double size) { return std::isfinite(size); }))
      return {};  // nobody can tell
    Suspects suspects;
    const double likely = suspicious * slack_ * unit * std::sqrt(static_cast<double>(p_.n + 1));
    std::vector<double> ratios(index(p_.right_sides));
    for_sides([&](std::int64_t j) {
      W difference = 0;
      double before = 0, after = 0;
      for (std::int64_t i = 0; i < p_.n; ++i) {
        const W b(kept(j)[i]), x(solution(j)[i]);
        difference += y_[index(i)] * b - z[index(i)] * x;
        before += std::abs(y_[index(i)]) * std::abs(b);
        after += sizes[index(i)] * (std::abs(x) + least / likely);
      }
      if (std::isfinite(before))
        ratios[index(j)] = std::abs(difference) / (likely * (before + after) + tiny());
    });
    for (std::int64_t j = 0; j < p_.right_sides; ++j)
      if (!(ratios[index(j)] <= 1)) suspects.add(ratios[index(j)], j);
    return suspects.verdict([&](std::int64_t line) { return wrong_in(line); });
  }

  void restore_a() const noexcept override {
    for (std::int64_t j = 0; j < p_.right_sides; ++j) std::copy_n(kept(j), p_.n, solution(j));
  }

 private:
  static constexpr double unit = rounding_of<T>;

  // What an element of X may have lost by underflow. Elements of A multiply that.
  static constexpr double least = static_cast<double>(std::numeric_limits<PartOf<T>>::min());

  template <typename Side>
  void for_sides(const Side& side) const {
    threads_.share(p_.right_sides, 1, index(p_.n * p_.right_sides) * sizeof(T),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t j = begin; j < end; ++j) side(j);
                   });
  }
  T* solution(std::int64_t j) const { return static_cast<T*>(p_.b) + j * p_.ldb; }
  T* kept(std::int64_t j) const { return static_cast<T*>(kept_.data()) + j * p_.n; }
  double tiny() const { return static_cast<double>(p_.n) * least; }

  FactorProducts<T> factors() const {
    return {static_cast<const T*>(p_.a),
            p_.lda,
            p_.n,
            is_definite(p_.routine) ? nullptr : p_.pivots,
            p_.uplo,
            threads_};
  }
  void conjugate_for_op(std::vector<W>& v) const {
    if (p_.op != Op::conj_transpose) return;
    for (W& value : v) value = FactorProducts<T>::conjugate(value);
  }
  // v = A v, or with A' from the other side; of op C with what is conjugate.
  void multiply(std::vector<W>& v, std::vector<double>& sizes, bool as_column) const {
    conjugate_for_op(v);
    if (as_column)
      factors().multiply_column(v, sizes);
    else
      factors().multiply_row(v, sizes);
    conjugate_for_op(v);
  }
  bool must_be_finite(std::int64_t column) const {
    std::vector<W> x(kept(column), kept(column) + p_.n);
    conjugate_for_op(x);
    if (p_.op == Op::none)
      factors().solve_column(x);
    else
      factors().solve_row(x);
    return !overflow<T>(x);
  }

  std::optional<WrongElement> wrong_in(std::int64_t column) const {
    std::vector<W> is(solution(column), solution(column) + p_.n);
    std::vector<double> sizes(index(p_.n));
    const double relative = slack_ * of_bound * unit * (static_cast<double>(p_.n) + order_of_bound);
    std::ranges::transform(is, sizes.begin(),
                           [&](const W& value) { return std::abs(value) + least / relative; });
    // Beside an infinite element of X a bound is infinite too.
    const bool is_finite =
        std::ranges::all_of(sizes, [](double size) { return std::isfinite(size); });
    multiply(is, sizes, p_.op == Op::none);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const W should_be(kept(column)[i]);
      const double bound = relative * (sizes[index(i)] + std::abs(should_be)) + tiny();
      const bool tells = is_finite || std::isfinite(bound);
      if (tells && std::abs(is[index(i)] - should_be) <= bound) continue;
      if (!std::isfinite(std::abs(is[index(i)])) && !must_be_finite(column)) return {};
      return WrongElement{i, column, is[index(i)], should_be,
                          std::isfinite(std::abs(is[index(i)])) ? bound : 0};
    }
    return {};
  }

  const LapackProblem p_;
  const double slack_;
  const CheckThreads threads_;
  const KeptMemory kept_;
  const std::vector<double> y_;
};

}  // namespace

std::unique_ptr<FactorisationCheck::Body> make_solve_check(const LapackProblem& problem,
                                                           std::uint64_t seed, double slack,
                                                           const CheckThreads& threads) {
  return check_of_type<SolveCheck>(problem, seed, slack, threads);
}

}  // namespace duoblas
