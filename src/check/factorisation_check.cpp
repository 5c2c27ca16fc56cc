#include "check/factorisation_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "check/check_bounds.hpp"
#include "check/factor_identity.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {
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

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return is_finite(value); });
}

/// x, each number with the size that it counts with.
template <typename R>
Vectors with_sizes(const FactorIdentity<R>& identity, const std::vector<double>& x, int parts) {
  Vectors sized(identity.size, parts);
  for (std::int64_t i = 0; i < identity.size; ++i) {
    sized.set(i, x[index(i)]);
    sized.sizes[index(i)] = identity.factorises() ? 1 : std::abs(x[index(i)]);
  }
  return sized;
}

template <typename R>
struct Judge {
  static constexpr double least = smallest_normal<R>;
  static constexpr auto largest = static_cast<double>(std::numeric_limits<R>::max());

  const LapackProblem& p;
  const double slack;
  const CheckThreads& threads;
  FactorIdentity<R> identity;
  const std::vector<double>&x, &of_columns;
  const Vectors& of_saved;
  const int parts = is_complex(p.precision) ? 2 : 1;
  const double unit = rounding_of<R>(parts);
  const FactorBounds bounds = bounds_of(p.routine);

  bool factorises() const { return identity.factorises(); }
  bool has_norms() const { return identity.has_norms(); }
  /// The device's factor in an identity of a solution.
  MatrixFactor<R>& result() { return std::get<MatrixFactor<R>>(identity.is.lines.front()); }
  double tiny() const { return static_cast<double>(identity.underflows) * least; }

  CheckVerdict verdict() {
    const double likely =
        bounds.probabilistic * slack * unit * std::sqrt(static_cast<double>(identity.depth + 1));
    if (solves(p.routine)) result().least = least / likely;
    const Vectors v = with_sizes(identity, x, parts);
    Vectors is = product(identity.is.known, v, identity.sizes, threads);
    Vectors should_be = product(identity.should_be.known, v, identity.sizes, threads);
    if (!all_finite(is.sizes) || !all_finite(should_be.values[0])) return {};
    is = product(identity.is.lines, std::move(is), identity.sizes, threads);
    should_be = product_of_given(std::move(should_be));
    if (!tells(should_be)) return {};
    const bool is_suspicious_if_infinite = factorises() && is_moderate();
    Suspects suspects;
    for (std::int64_t i = 0; i < identity.lines; ++i) {
      const double size = size_of_line(is, should_be, i);
      const double difference = std::abs(is.at(i) - should_be.at(i));
      // Where squares of factors overflow they allow anything, so the row itself is looked at.
      if (is_suspicious_if_infinite && std::isinf(size))
        suspects.add(size, i);
      else if (const double ratio = difference / (likely * size + tiny());
               tells_of_line(should_be, i) && !(ratio <= 1))
        suspects.add(ratio, i);
    }
    return suspects.verdict(most_lines, [&](std::int64_t line) { return wrong_in(line); });
  }

  Vectors product_of_given(Vectors of_x) const {
    Chain<R> lines = identity.should_be.lines;
    if (of_saved.elements() == 0) return product(lines, std::move(of_x), identity.sizes, threads);
    lines.pop_back();
    return product(lines, of_saved, identity.sizes, threads);
  }

  bool is_moderate() const {
    double most = 0;
    for (const double of_column : of_columns) most = std::max(most, of_column);  // but for NaN
    return most * static_cast<double>(p.n) < std::sqrt(largest);
  }

  // Otherwise infinities and NaN reach lines that nobody can tell. A device's own reflectors are
  // judged by the columns that it was to factorise, twice whose norm LAPACK computes with.
  bool tells(const Vectors& given) const {
    if (factorises()) return all_finite(given.values[0]);
    return p.routine != LapackRoutine::geqrf ||
           std::all_of(of_columns.begin(), of_columns.begin() + identity.depth,
                       [](double size) { return size < largest / 4; });
  }

  bool tells_of_line(const Vectors& given, std::int64_t line) const {
    if (has_norms()) return of_columns[index(line)] < std::sqrt(largest);
    return std::isfinite(given.sizes[index(line)]) || factorises();
  }

  double size_of_line(const Vectors& is, const Vectors& given, std::int64_t line) const {
    if (has_norms()) return of_columns[index(line)];
    const double size = is.sizes[index(line)] + given.sizes[index(line)];
    return factorises() ? std::sqrt(size) : size;
  }

  std::optional<WrongElement> wrong_in(std::int64_t line) {
    const double relative = slack * bounds.worst_case * unit *
                            (static_cast<double>(identity.depth) + order_of_inverses);
    if (solves(p.routine)) result().least = least / relative;
    const auto of_line = [&](const FactorProduct<R>& side) {
      return adjoint_of_row(side.whole(), line, identity.size, parts, Sizes::magnitudes, threads);
    };
    const Vectors is = of_line(identity.is), given = of_line(identity.should_be);
    for (std::int64_t j = 0; j < given.elements(); ++j) {
      const std::complex<double> value = is.at(j), should_be = given.at(j);
      const double size =
          has_norms() ? of_columns[index(line)] : is.sizes[index(j)] + std::abs(should_be);
      const double bound = relative * size + tiny();
      if (is_finite(value) && std::abs(value - should_be) <= bound) continue;
      if (!is_finite(value) && !must_be_finite(given)) {
        if (factorises()) continue;
        return {};
      }
      const double of_finite = is_finite(value) ? bound : 0;
      if (identity.by_columns) return WrongElement{j, line, value, should_be, of_finite};
      return WrongElement{line, j, std::conj(value), std::conj(should_be), of_finite};
    }
    return {};
  }

  // An infinite element of a factor is wrong if A is moderate and U did not grow (Cholesky's
  // factors do not: no element is larger than the root of one of A's); of a solution, if
  // substitution in double precision finds none.
  bool must_be_finite(const Vectors& given) const {
    if (has_norms()) return true;
    if (factorises()) return is_moderate() && !(p.routine == LapackRoutine::getrf && has_grown());
    Vectors exact = given;
    solve(adjoint<R>(identity.is.known), exact);
    for (std::int64_t i = 0; i < exact.elements(); ++i)
      if (!(std::abs(exact.at(i)) <= largest / 2)) return false;
    return true;
  }

  // Whether elements of U grew until some may have overflowed. Each is one of A less products of
  // those above it with elements of L, none of which is much larger than 1. So if A is moderate,
  // one that is finite and large is above each that overflowed.
  bool has_grown() const {
    const auto& upper = std::get<MatrixFactor<R>>(identity.is.lines.back());
    for (std::int64_t j = 0; j < upper.length(); ++j)
      for (std::int64_t t = 0; t < std::min(j + 1, upper.lines()); ++t) {
        const std::complex<double> value = upper.at(t, j);
        if (is_finite(value) && std::abs(value) > std::sqrt(largest)) return true;
      }
    return false;
  }
};

/// A bound of a saved column's magnitudes, or its norm. A Hermitian diagonal's imaginary part is
/// not read.
template <typename R>
double measured(const FactorIdentity<R>& identity, const StoredMatrix<R>& saved, std::int64_t j) {
  auto [first, count] = saved.stored_of(j);
  if (identity.has_norms()) return norm_of(saved.row(j) + first * saved.parts, count * saved.parts);
  double of_diagonal = 0;
  if (saved.shape == MatrixShape::hermitian) {
    of_diagonal = std::abs(saved.at(j, j));
    first += saved.uplo == Uplo::upper ? 1 : 0;
    --count;
  }
  const R beside = row_sums<R>().maximum(saved.row(j) + first * saved.parts, count * saved.parts);
  return std::max(saved.parts * static_cast<double>(beside), of_diagonal);
}

}  // namespace

FactorisationCheck::FactorisationCheck(const LapackProblem& problem, std::uint64_t seed,
                                       double slack, const CheckThreads& threads)
    : p_(problem), slack_(slack), threads_(threads) {
  const Counted counted(*this);
  with_real_type(p_.precision, [&](auto zero) {
    using R = decltype(zero);
    const StoredMatrix<R> written = written_matrix<R>(p_);
    old_.make_room_for(written);
    x_ = signed_numbers(identity_of(p_, written).size, seed);
    keep<R>();
  });
}

/// Copies what will be overwritten. A column is in a cache then: so its norm or largest element is
/// taken at the same time, and its product with x if the identity has that.
template <typename R>
void FactorisationCheck::keep() {
  const StoredMatrix<R> written = written_matrix<R>(p_), saved = old_.of(written);
  const FactorIdentity<R> identity = identity_of(p_, saved);
  const bool is_measured =
      p_.routine != LapackRoutine::orgqr && (identity.has_norms() || identity.factorises());
  of_columns_.assign(index(saved.rows), 1);
  const auto keep_columns = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      copy_row(written, saved, j);
      if (is_measured) of_columns_[index(j)] = measured(identity, saved, j);
    }
  };
  if (identity.should_be.lines.empty() || !identity.should_be.known.empty())
    return threads_.share(saved.rows, 1, saved.bytes(), keep_columns);
  const auto& multiplied = std::get<MatrixFactor<R>>(identity.should_be.lines.back());
  of_saved_ = times_after<R>(multiplied, with_sizes(identity, x_, saved.parts), identity.sizes,
                             threads_, keep_columns);
}

CheckVerdict FactorisationCheck::do_compare() {
  return with_real_type(p_.precision, [&](auto zero) {
    using R = decltype(zero);
    const StoredMatrix<R> saved = old_.of(written_matrix<R>(p_));
    return Judge<R>{p_, slack_, threads_, identity_of(p_, saved), x_, of_columns_, of_saved_}
        .verdict();
  });
}

void FactorisationCheck::restore() const noexcept {
  with_real_type(p_.precision,
                 [&](auto zero) { old_.restore(written_matrix<decltype(zero)>(p_)); });
}

std::string FactorisationCheck::describe(const WrongElement& wrong) const {
  const bool has_factors = !is_orthogonal(p_.routine) || p_.routine == LapackRoutine::geqrf;
  const char* const of = solves(p_.routine) ? "of the matrix's product with the solution "
                         : has_factors      ? "of the product of its factors "
                                            : "of the product with Q ";
  return of + duoblas::describe(wrong, is_complex(p_.precision), rows_of_matrix(p_), p_.n);
}

bool can_check(const LapackProblem& p) {
  const bool is_ours = is_orthogonal(p.routine) || p.routine == LapackRoutine::getrf ||
                       p.routine == LapackRoutine::potrf || solves(p.routine);
  return is_ours && !p.empty();
}

}  // namespace duoblas
