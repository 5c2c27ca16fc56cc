#include "check/factorisation_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "check/check_bounds.hpp"
#include "check/check_numbers.hpp"
#include "check/counted_time.hpp"
#include "check/every_element.hpp"
#include "check/factor_identity.hpp"
#include "check/kept_memory.hpp"
#include "check/suspects.hpp"
#include "problem/inverse_routines.hpp"
#include "problem/solve_routines.hpp"

namespace duoblas {

struct FactorisationCheck::Body {
  virtual ~Body() = default;
  virtual CheckVerdict compare() = 0;
  virtual void restore_a() const noexcept = 0;
};

namespace {

// After so many lines without a wrong element, the data is taken for the cause.
constexpr std::size_t most_lines = 8;

std::vector<double> signed_numbers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> x(index(count));
  for (double& value : x) {
    const RandomNumber number(engine);
    value = number.with_sign(number.size);
  }
  return x;
}

template <typename W>
bool all_finite(const std::vector<W>& values) {
  return std::ranges::all_of(values, [](W value) { return is_finite(value); });
}

template <typename T>
class TypedFactorisationCheck final : public FactorisationCheck::Body {
  using W = Wide<T>;
  using Part = PartOf<T>;
  static constexpr double unit = rounding_of<T>, least = smallest_normal<Part>;
  static constexpr auto largest = static_cast<double>(std::numeric_limits<Part>::max());

 public:
  TypedFactorisationCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
                          const CheckThreads& threads)
      : p_(problem),
        slack_(slack),
        threads_(threads),
        written_(written_matrix<T>(problem)),
        memory_(written_.bytes()),
        identity_(identity_of<T>(problem, kept())),
        bounds_(bounds_of(problem.routine)),
        x_(signed_numbers(identity_.size, seed)),
        of_columns_(index(written_.columns), 1),
        of_kept_(keep()) {}

  CheckVerdict compare() override {
    if (p_.routine == LapackRoutine::potri) take_roots();
    const double likely =
        bounds_.suspicious * slack_ * unit * std::sqrt(static_cast<double>(identity_.depth + 1));
    if (solves(p_.routine)) result().least = least / likely;
    const SizedVector<T> x = random_vector();
    SizedVector<T> is = product(identity_.is.known, x, identity_.sizes, threads_);
    SizedVector<T> should_be = product(identity_.should_be.known, x, identity_.sizes, threads_);
    if (!all_finite(is.sizes) || !all_finite(should_be.values)) return {};
    is = product(identity_.is.lines, std::move(is), identity_.sizes, threads_);
    should_be = product_of_given(std::move(should_be));
    if (!tells(should_be)) return {};
    const bool is_suspicious_if_infinite = factorises() && is_moderate();
    Suspects suspects;
    for (std::int64_t i = 0; i < identity_.lines; ++i) {
      const double size = size_of_line(is, should_be, i);
      const double difference = std::abs(is.values[index(i)] - should_be.values[index(i)]);
      // Where squares of factors overflow they allow anything, so the row itself is looked at.
      if (is_suspicious_if_infinite && std::isinf(size))
        suspects.add(size, i);
      else if (const double ratio = difference / (likely * size + tiny());
               tells_of_line(should_be, i) && !(ratio <= 1))
        suspects.add(ratio, i);
    }
    return suspects.verdict(most_lines, [&](std::int64_t line) { return wrong_in(line); });
  }

  void restore_a() const noexcept override {
    const MatrixFactor<T> from = kept();
    for (std::int64_t j = 0; j < written_.columns; ++j) copy_column(from, written_, j);
  }

 private:
  MatrixFactor<T> kept() const {
    MatrixFactor<T> matrix = written_;
    matrix.data = static_cast<const T*>(memory_.data());
    matrix.ld = matrix.rows;
    return matrix;
  }
  static void copy_column(const MatrixFactor<T>& from, const MatrixFactor<T>& to, std::int64_t j) {
    const Interval rows = from.stored_rows(j);
    std::copy_n(from.data + j * from.ld + rows.first, rows.count,
                const_cast<T*>(to.data) + j * to.ld + rows.first);
  }
  bool factorises() const { return identity_.sizes == Sizes::squares; }
  bool has_norms() const { return identity_.sizes == Sizes::none; }
  bool has_exact_x() const { return identity_.should_be.lines.empty(); }
  /// The device's factor in an identity of a solution or an inverse.
  MatrixFactor<T>& result() { return std::get<MatrixFactor<T>>(identity_.is.lines.front()); }
  double tiny() const { return static_cast<double>(identity_.underflows) * least; }

  /// x, each number with the size that it counts with.
  SizedVector<T> with_sizes(const std::vector<double>& x) const {
    SizedVector<T> sized(identity_.size);
    std::ranges::copy(x, sized.values.begin());
    std::ranges::transform(x, sized.sizes.begin(),
                           [&](double value) { return factorises() ? 1 : std::abs(value); });
    return sized;
  }
  /// For an inverse each number is divided by its column's sum in |X| |L| |U|, after each row of
  /// that was divided by its sum: so all columns count alike. Where some are much larger (those of
  /// a U that grows because L is ill-conditioned), their rounding errors would hide errors in
  /// others.
  SizedVector<T> random_vector() const {
    if (!inverts(p_.routine)) return with_sizes(x_);
    const Chain<T> chain = identity_.is.whole();
    SizedVector<T> sums(identity_.size);
    std::ranges::fill(sums.sizes, 1);
    sums = product(chain, std::move(sums), identity_.sizes, threads_);
    for (double& sum : sums.sizes) sum = sum > 0 ? 1 / sum : 0;
    std::ranges::fill(sums.values, 0);
    sums = product(adjoint<T>(chain), std::move(sums), identity_.sizes, threads_);
    std::vector<double> x = x_;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (sums.sizes[j] > 0 && std::isfinite(sums.sizes[j])) x[j] /= sums.sizes[j];
    return with_sizes(x);
  }
  /// The diagonal's elements lie far apart, and each is asked for several times.
  void take_roots() {
    std::vector<double> roots(index(p_.n));
    for (std::int64_t i = 0; i < p_.n; ++i)
      roots[index(i)] = std::sqrt(std::abs(written_.at(i, i)));
    result().roots = std::move(roots);
  }

  /// Copies what will be overwritten. A column is in a cache then: so its norm or largest element
  /// is taken at the same time, and its product with x if the identity has that.
  SizedVector<T> keep() {
    const MatrixFactor<T> to = kept();
    const SizedVector<T> x = with_sizes(x_);
    const MatrixFactor<T>* const multiplied =
        identity_.should_be.known.empty() && !has_exact_x()
            ? &std::get<MatrixFactor<T>>(identity_.should_be.lines.back())
            : nullptr;
    const auto keep_column = [&](SizedVector<T>& sums, std::int64_t j) {
      copy_column(written_, to, j);
      if (multiplied != nullptr) multiplied->add_column(sums, x, j, identity_.sizes);
      if (p_.routine == LapackRoutine::orgqr) return;
      const Interval rows = to.rows_beside_diagonal(j);
      const T* const column = to.data + j * to.ld + rows.first;
      if (has_norms()) {
        of_columns_[index(j)] = norm_of(column, rows.count);
      } else if (factorises()) {
        const double of_diagonal = to.has_diagonal_apart() ? std::abs(to.at(j, j)) : 0;
        of_columns_[index(j)] = std::max(largest_magnitude(column, rows.count), of_diagonal);
      }
    };
    return sum_of_columns<T>(multiplied != nullptr ? multiplied->lines() : 0, to.columns,
                             to.bytes(), threads_, keep_column);
  }
  SizedVector<T> product_of_given(SizedVector<T> x) const {
    Chain<T> lines = identity_.should_be.lines;
    if (of_kept_.values.empty()) return product(lines, std::move(x), identity_.sizes, threads_);
    lines.pop_back();
    return product(lines, of_kept_, identity_.sizes, threads_);
  }

  bool is_moderate() const {
    double most = 0;
    for (const double of_column : of_columns_) most = std::max(most, of_column);  // but for NaN
    return most * static_cast<double>(p_.n) < std::sqrt(largest);
  }
  /// Otherwise infinities and NaN reach lines that nobody can tell. A device's own reflectors are
  /// judged by the columns that it was to factorise, twice whose norm LAPACK computes with.
  bool tells(const SizedVector<T>& given) const {
    if (factorises()) return all_finite(given.values);
    return p_.routine != LapackRoutine::geqrf ||
           std::all_of(of_columns_.begin(), of_columns_.begin() + identity_.depth,
                       [](double size) { return size < largest / 4; });
  }
  bool tells_of_line(const SizedVector<T>& given, std::int64_t line) const {
    if (has_norms()) return of_columns_[index(line)] < std::sqrt(largest);
    return std::isfinite(given.sizes[index(line)]) || factorises();
  }
  double size_of_line(const SizedVector<T>& is, const SizedVector<T>& given,
                      std::int64_t line) const {
    if (has_norms()) return of_columns_[index(line)];
    const double size = is.sizes[index(line)] + (has_exact_x() ? 0 : given.sizes[index(line)]);
    return factorises() ? std::sqrt(size) : size;
  }

  std::optional<WrongElement> wrong_in(std::int64_t line) {
    const double relative = slack_ * bounds_.convicting * unit *
                            (static_cast<double>(identity_.depth) + order_of_inverses);
    if (solves(p_.routine)) result().least = least / relative;
    const auto of_line = [&](const FactorProduct<T>& chain) {
      return adjoint_of_row(chain.whole(), line, identity_.size, Sizes::magnitudes, threads_);
    };
    const SizedVector<T> is = of_line(identity_.is), given = of_line(identity_.should_be);
    for (std::int64_t j = 0; j < std::ssize(given.values); ++j) {
      const W value = is.values[index(j)], should_be = given.values[index(j)];
      const double of_given = has_exact_x() ? 0 : std::abs(should_be);
      const double size = has_norms() ? of_columns_[index(line)] : is.sizes[index(j)] + of_given;
      const double bound = relative * size + tiny();
      if (is_finite(value) && std::abs(value - should_be) <= bound) continue;
      if (!is_finite(value) && !must_be_finite(given)) {
        if (factorises()) continue;
        return {};
      }
      const WrongElement wrong{line, j, value, should_be, is_finite(value) ? bound : 0};
      if (identity_.by_columns)
        return WrongElement{j, line, wrong.is, wrong.should_be, wrong.bound};
      return WrongElement{line, j, conjugate(value), conjugate(should_be), wrong.bound};
    }
    return {};
  }
  /// An infinite element of a factor is wrong if A is moderate and U did not grow (Cholesky's
  /// factors do not: no element is larger than the root of one of A's); of a solution or inverse,
  /// if substitution in double precision finds none.
  bool must_be_finite(const SizedVector<T>& given) const {
    if (has_norms()) return true;
    if (factorises()) return is_moderate() && !(p_.routine == LapackRoutine::getrf && has_grown());
    std::vector<W> exact = given.values;
    solve(adjoint<T>(identity_.is.known), exact);
    return std::ranges::all_of(exact, [](W value) { return std::abs(value) <= largest / 2; });
  }
  /// Whether elements of U grew until some may have overflowed. Each is one of A less products of
  /// those above it with elements of L, none of which is much larger than 1. So if A is moderate,
  /// one that is finite and large is above each that overflowed.
  bool has_grown() const {
    const auto& upper = std::get<MatrixFactor<T>>(identity_.is.lines.back());
    for (std::int64_t j = 0; j < upper.columns; ++j)
      for (std::int64_t t = 0; t < std::min(j + 1, upper.rows); ++t) {
        const W value = upper.at(t, j);
        if (is_finite(value) && std::abs(value) > std::sqrt(largest)) return true;
      }
    return false;
  }

  const LapackProblem p_;
  const double slack_;
  const CheckThreads threads_;
  const MatrixFactor<T> written_;
  const KeptMemory memory_;
  FactorIdentity<T> identity_;
  const FactorBounds bounds_;
  const std::vector<double> x_;
  std::vector<double> of_columns_;  ///< the kept ones' largest magnitudes, or their norms
  const SizedVector<T> of_kept_;    ///< the product of what is kept with x, if there is one
};

}  // namespace

FactorisationCheck::FactorisationCheck(const LapackProblem& problem, std::uint64_t seed,
                                       double slack, const CheckThreads& threads) {
  const CountedTime counted(seconds_);
  body_ = with_element_type(problem.precision, [&](auto zero) -> std::unique_ptr<Body> {
    return std::make_unique<TypedFactorisationCheck<decltype(zero)>>(problem, seed, slack, threads);
  });
}

FactorisationCheck::FactorisationCheck(FactorisationCheck&&) noexcept = default;
FactorisationCheck::~FactorisationCheck() = default;

CheckVerdict FactorisationCheck::compare() {
  const CountedTime counted(seconds_);
  return body_->compare();
}

void FactorisationCheck::restore_a() const noexcept {
  body_->restore_a();
}

bool can_check(const LapackProblem& p) {
  const bool is_ours = is_orthogonal(p.routine) ? p.routine != LapackRoutine::gels
                                                : p.routine == LapackRoutine::getrf ||
                                                      p.routine == LapackRoutine::potrf ||
                                                      solves(p.routine) || inverts(p.routine);
  return is_ours && !p.empty();
}

std::string describe(const WrongElement& wrong, const LapackProblem& problem) {
  GemmProblem product;
  product.precision = problem.precision;
  product.m = rows_of_matrix(problem);
  product.n = problem.n;
  const bool has_factors =
      !is_orthogonal(problem.routine) || problem.routine == LapackRoutine::geqrf;
  if (solves(problem.routine))
    return "of the matrix's product with the solution " + describe(wrong, product);
  if (inverts(problem.routine)) return "of its product with the matrix " + describe(wrong, product);
  return (has_factors ? "of the product of its factors " : "of the product with Q ") +
         describe(wrong, product);
}

}  // namespace duoblas
