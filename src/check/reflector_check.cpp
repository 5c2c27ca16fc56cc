// Checks each column c to which Q is applied, and the result, with a random vector y:
//
//     y' (Q c) = (Q^H y)^H c
//
// Q^H y is computed once, one reflector after another. For geqrf c is a column of R, and Q c one of
// A. If the difference of a column is larger than rounding errors are likely to cause, the column
// is computed with the reflectors. Its elements are compared with k u |c| (Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, theorem 19.4, with the norm of the column).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/factorisation_body.hpp"
#include "check/kept_memory.hpp"

namespace duoblas {
namespace {

// The constants of factorisation_check.cpp, for columns.
constexpr double suspicious = 16, of_bound = 8, order_of_bound = 64;

template <typename T>
class ReflectorCheck final : public FactorisationCheck::Body {
  using W = Wide<T>;

 public:
  ReflectorCheck(const LapackProblem& problem, std::uint64_t seed, double slack)
      : p_(problem),
        count_(is_factorisation() ? std::min(p_.m, p_.n) : p_.reflectors),
        slack_(slack),
        kept_(index(p_.m * p_.n) * sizeof(T)),
        y_(signed_numbers(p_.m, seed)) {
    for (std::int64_t j = 0; j < p_.n; ++j) std::copy_n(result(j), p_.m, kept(j));
  }

  CheckVerdict compare() override {
    std::vector<W> z(y_.begin(), y_.end());
    const bool forward = p_.routine != LapackRoutine::ormqr || p_.op == Op::none;
    reflect(z, forward);
    norms_.resize(index(p_.n));
    for (std::int64_t j = 0; j < p_.n; ++j) norms_[index(j)] = norm(j);
    if (!has_finite_reflectors(z)) return {};
    Suspects suspects;
    const double likely = suspicious * slack_ * unit * std::sqrt(static_cast<double>(count_ + 1));
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const double size = norms_[index(j)];
      if (!is_moderate(size)) continue;  // overflow: undecided
      const double difference = std::abs(of_random(after(j)) - of_before(z, j));
      const double allowed = likely * size + tiny();
      if (difference <= allowed) continue;
      suspects.add(difference / allowed, j);
    }
    return suspects.verdict([&](std::int64_t line) { return wrong_in(line); });
  }

  void restore_a() const noexcept override {
    for (std::int64_t j = 0; j < p_.n; ++j) std::copy_n(kept(j), p_.m, result(j));
  }

 private:
  static constexpr double unit = rounding_of<T>;

  bool is_factorisation() const { return p_.routine == LapackRoutine::geqrf; }
  T* result(std::int64_t j) const { return static_cast<T*>(p_.a) + j * p_.lda; }
  T* kept(std::int64_t j) const { return static_cast<T*>(kept_.data()) + j * p_.m; }
  // Q c
  const T* after(std::int64_t j) const { return is_factorisation() ? kept(j) : result(j); }
  const T* reflector(std::int64_t k) const {
    if (p_.routine == LapackRoutine::ormqr) return static_cast<const T*>(p_.b) + k * p_.ldb;
    return is_factorisation() ? result(k) : kept(k);
  }
  double tiny() const {
    return static_cast<double>(p_.m + count_) *
           static_cast<double>(std::numeric_limits<PartOf<T>>::min());
  }

  // y' c
  W of_random(const T* column) const {
    W sum = 0;
    for (std::int64_t i = 0; i < p_.m; ++i) sum += y_[index(i)] * W(column[i]);
    return sum;
  }
  static W product(const std::vector<W>& x, const T* column, std::int64_t count) {
    W sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += conjugate(x[index(i)]) * W(column[i]);
    return sum;
  }
  // z^H c
  W of_before(const std::vector<W>& z, std::int64_t j) const {
    if (p_.routine == LapackRoutine::orgqr) return conjugate(z[index(j)]);
    return is_factorisation() ? product(z, result(j), std::min(j + 1, p_.m))
                              : product(z, kept(j), p_.m);
  }
  // The norm of c, which is also that of Q c, from numbers that the device did not compute.
  double norm(std::int64_t j) const {
    if (p_.routine == LapackRoutine::orgqr) return 1;
    double largest = 0, sum = 0;  // squares may underflow
    for (std::int64_t i = 0; i < p_.m; ++i) {
      const double value = std::abs(W(kept(j)[i]));
      if (std::isnan(value)) return value;
      largest = std::max(largest, value);
    }
    if (largest == 0) return 0;
    for (std::int64_t i = 0; i < p_.m; ++i) {
      const double value = std::abs(W(kept(j)[i])) / largest;
      sum += value * value;
    }
    return largest * std::sqrt(sum);
  }
  static bool is_moderate(double norm) {
    // False for NaN too.
    return norm < std::sqrt(static_cast<double>(std::numeric_limits<PartOf<T>>::max()));
  }

  // Else they reach all columns, and nobody can tell what these should be. `z`: what they made of
  // y. A device's own reflectors are judged by the columns that it was to factorise. LAPACK
  // computes with up to twice the norm of these.
  bool has_finite_reflectors(const std::vector<W>& z) const {
    constexpr double most = static_cast<double>(std::numeric_limits<PartOf<T>>::max()) / 4;
    if (is_factorisation())
      return std::all_of(norms_.begin(), norms_.begin() + count_,
                         [](double size) { return size < most; });
    return std::ranges::all_of(z, [](W value) { return std::isfinite(std::abs(value)); });
  }

  // c = Q^H c (forward), or Q c.
  void reflect(std::vector<W>& c, bool forward) const {
    const T* const tau = static_cast<const T*>(p_.tau);
    for (std::int64_t step = 0; step < count_; ++step) {
      const std::int64_t k = forward ? step : count_ - 1 - step;
      const T* const v = reflector(k);
      W sum = c[index(k)];
      for (std::int64_t i = k + 1; i < p_.m; ++i) sum += conjugate(W(v[i])) * c[index(i)];
      sum *= forward ? conjugate(W(tau[k])) : W(tau[k]);
      c[index(k)] -= sum;
      for (std::int64_t i = k + 1; i < p_.m; ++i) c[index(i)] -= W(v[i]) * sum;
    }
  }

  std::optional<WrongElement> wrong_in(std::int64_t j) const {
    std::vector<W> column(index(p_.m), W(0));
    if (p_.routine == LapackRoutine::orgqr)
      column[index(j)] = 1;
    else if (is_factorisation())
      std::copy_n(result(j), std::min(j + 1, p_.m), column.begin());
    else
      std::copy_n(kept(j), p_.m, column.begin());
    reflect(column, p_.routine == LapackRoutine::ormqr && p_.op != Op::none);
    const double bound = slack_ * of_bound * unit * (static_cast<double>(count_) + order_of_bound) *
                             norms_[index(j)] +
                         tiny();
    for (std::int64_t i = 0; i < p_.m; ++i) {
      W is = column[index(i)];
      W should_be(after(j)[i]);
      if (!is_factorisation()) std::swap(is, should_be);
      if (std::abs(is - should_be) <= bound) continue;
      return WrongElement{i, j, is, should_be, std::isfinite(std::abs(is)) ? bound : 0};
    }
    return {};
  }

  const LapackProblem p_;
  const std::int64_t count_;
  const double slack_;
  const KeptMemory kept_;
  const std::vector<double> y_;
  std::vector<double> norms_;  ///< of the columns
};

}  // namespace

std::unique_ptr<FactorisationCheck::Body> make_reflector_check(const LapackProblem& problem,
                                                               std::uint64_t seed, double slack) {
  return check_of_type<ReflectorCheck>(problem, seed, slack);
}

}  // namespace duoblas
