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
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/factorisation_body.hpp"
#include "check/kept_memory.hpp"
#include "check/line_sums.hpp"
#include "check/row_sums.hpp"

namespace duoblas {
namespace {

// The constants of factorisation_check.cpp, for columns.
constexpr double suspicious = 16, of_bound = 8, order_of_bound = 64;

template <typename T>
class ReflectorCheck final : public FactorisationCheck::Body {
  using W = Wide<T>;

 public:
  ReflectorCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
                 const CheckThreads& threads)
      : p_(problem),
        count_(is_factorisation() ? std::min(p_.m, p_.n) : p_.reflectors),
        slack_(slack),
        threads_(threads),
        kept_(index(p_.m * p_.n) * sizeof(T)),
        y_(signed_numbers(p_.m, seed)) {
    for_columns([&](std::int64_t j) { std::copy_n(result(j), p_.m, kept(j)); });
  }

  CheckVerdict compare() override {
    std::vector<W> z(y_.begin(), y_.end());
    const bool forward = p_.routine != LapackRoutine::ormqr || p_.op == Op::none;
    reflect(z, forward);
    norms_.resize(index(p_.n));
    std::vector<double> differences(index(p_.n));
    for_columns([&](std::int64_t j) {
      norms_[index(j)] = norm(j);
      differences[index(j)] = std::abs(product(y_.data(), after(j), p_.m) - of_before(z, j));
    });
    if (!has_finite_reflectors(z)) return {};
    Suspects suspects;
    const double likely = suspicious * slack_ * unit * std::sqrt(static_cast<double>(count_ + 1));
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const double size = norms_[index(j)];
      if (!is_moderate(size)) continue;  // overflow: undecided
      const double difference = differences[index(j)];
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
  static constexpr int least_exponent = -1000;  // of columns whose numbers are all tiny

  template <typename Column>
  void for_columns(const Column& column) const {
    threads_.share(p_.n, 1, index(p_.m * p_.n) * sizeof(T),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t j = begin; j < end; ++j) column(j);
                   });
  }
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

  // x^H c
  template <typename X>
  static W product(const X* x, const T* column, std::int64_t count) {
    if constexpr (is_real<T>) {
      const RowSum sum = row_sums<T>().dot(column, x, count);
      return (sum.places[0] + sum.places[1]) + (sum.places[2] + sum.places[3]);
    } else {
      W sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += conjugate(W(x[i])) * W(column[i]);
      return sum;
    }
  }
  // z^H c
  W of_before(const std::vector<W>& z, std::int64_t j) const {
    if (p_.routine == LapackRoutine::orgqr) return conjugate(z[index(j)]);
    return is_factorisation() ? product(z.data(), result(j), std::min(j + 1, p_.m))
                              : product(z.data(), kept(j), p_.m);
  }
  // The norm of c, which is also that of Q c, from numbers that the device did not compute.
  double norm(std::int64_t j) const {
    if (p_.routine == LapackRoutine::orgqr) return 1;
    const double largest = largest_magnitude(kept(j), p_.m);
    if (largest == 0 || !std::isfinite(largest)) return largest;
    // A power of two, since squares may underflow.
    const int exponent = std::ilogb(largest);
    const double scale = std::ldexp(1.0, -std::max(exponent, least_exponent));
    constexpr std::int64_t at_once = 8;
    double sums[at_once] = {};
    std::int64_t i = 0;
    for (; i + at_once <= p_.m; i += at_once)
      for (std::int64_t place = 0; place < at_once; ++place)
        sums[place] += std::norm(scale * W(kept(j)[i + place]));
    for (; i < p_.m; ++i) sums[0] += std::norm(scale * W(kept(j)[i]));
    return std::sqrt(std::accumulate(sums, sums + at_once, 0.0)) / scale;
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
      W sum = c[index(k)] + conjugate(product(c.data() + k + 1, v + k + 1, p_.m - k - 1));
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
  const CheckThreads threads_;
  const KeptMemory kept_;
  const std::vector<double> y_;
  std::vector<double> norms_;  ///< of the columns
};

}  // namespace

std::unique_ptr<FactorisationCheck::Body> make_reflector_check(const LapackProblem& problem,
                                                               std::uint64_t seed, double slack,
                                                               const CheckThreads& threads) {
  return check_of_type<ReflectorCheck>(problem, seed, slack, threads);
}

}  // namespace duoblas
