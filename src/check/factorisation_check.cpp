#include "check/factorisation_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "check/check_numbers.hpp"
#include "check/counted_time.hpp"
#include "check/every_element.hpp"
#include "check/factorisation_body.hpp"
#include "check/kept_memory.hpp"
#include "check/line_sums.hpp"
#include "problem/inverse_routines.hpp"
#include "problem/solve_routines.hpp"

namespace duoblas {
namespace {

// Times the mean error of as many roundings of random signs as lead to a row's sum.
constexpr double suspicious = 8;
// An element's error may be so many times the theorem's bound: the device multiplies by inverses of
// small triangles, whose condition the bound does not have.
constexpr double of_inverses = 8, order_of_inverses = 64;

}  // namespace

std::vector<double> signed_numbers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> x(index(count));
  for (double& value : x) {
    constexpr int fraction_bits = 24;
    const std::uint64_t bits = engine();
    const double size =
        1 + std::ldexp(static_cast<double>(bits >> (64 - fraction_bits)), -fraction_bits);
    value = bits % 2 == 0 ? size : -size;
  }
  return x;
}

namespace {

template <typename T>
class TypedFactorisationCheck : public FactorisationCheck::Body {
  using W = Wide<T>;
  static constexpr double unit = rounding_of<T>;

 public:
  TypedFactorisationCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
                          const CheckThreads& threads)
      : p_(problem),
        is_lu_(problem.routine == LapackRoutine::getrf),
        rows_(is_lu_ ? problem.m : problem.n),
        depth_(std::min(rows_, problem.n)),
        slack_(slack),
        threads_(threads),
        kept_(index(rows_ * problem.n) * sizeof(T)),
        x_(signed_numbers(problem.n, seed)),
        ones_(index(std::max(problem.n, rows_)), 1),
        of_a_(keep()) {}

  CheckVerdict compare() override {
    const LineSums<T>& of_a = of_a_.sums;
    // Infinities and NaN reach rows that nobody can tell.
    if (!std::ranges::all_of(of_a.values, [](W value) { return is_finite(value); })) return {};
    const bool is_moderate = of_a_.largest * static_cast<double>(p_.n) <
                             std::sqrt(static_cast<double>(std::numeric_limits<Part>::max()));
    const std::vector<std::int64_t> from = rows_before();
    Suspects suspects;
    const LineSums<T> of_factors = product_of_factors();
    const double likely = suspicious * slack_ * unit * std::sqrt(static_cast<double>(depth_ + 1));
    for (std::int64_t i = 0; i < rows_; ++i) {
      const std::size_t before = index(from[index(i)]);
      const double difference = std::abs(of_factors.values[index(i)] - of_a.values[before]);
      const double squares = of_factors.squares[index(i)] + of_a.squares[before];
      const double allowed = likely * std::sqrt(squares) + tiny();
      // Where squares of factors overflow they allow anything, so the row itself is looked at.
      const bool allows_anything = is_moderate && std::isinf(squares);
      if (difference <= allowed && !allows_anything) continue;
      suspects.add(allows_anything ? std::numeric_limits<double>::infinity() : difference / allowed,
                   i);
    }
    std::optional<bool> must_be_finite;  // looked for once, and only if a row is suspected
    return suspects.verdict([&](std::int64_t row) {
      // Cholesky's factors do not grow: no element is larger than the root of one of A's.
      if (!must_be_finite) must_be_finite = is_moderate && !(is_lu_ && has_grown());
      return wrong_in(row, from[index(row)], *must_be_finite);
    });
  }

  void restore_a() const noexcept override {
    for_stored(0, p_.n, [&](std::int64_t at, std::int64_t at_kept, std::int64_t count) {
      std::copy_n(kept() + at_kept, count, matrix() + at);
    });
  }

 private:
  using Part = PartOf<T>;

  T* matrix() const { return static_cast<T*>(p_.a); }
  T* kept() const { return static_cast<T*>(kept_.data()); }
  bool is_lower() const { return p_.uplo == Uplo::lower; }
  // What underflows.
  double tiny() const {
    return static_cast<double>(depth_ + 1) * static_cast<double>(std::numeric_limits<Part>::min());
  }

  // Columns as far as they are stored: where in the matrix, and among what is kept.
  template <typename Visit>
  void for_stored(std::int64_t first, std::int64_t last, Visit&& visit) const {
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t begin = !is_lu_ && is_lower() ? j : 0;
      const std::int64_t end = !is_lu_ && !is_lower() ? j + 1 : rows_;
      visit(j * p_.lda + begin, j * rows_ + begin, end - begin);
    }
  }
  // A x.
  struct SumsOfA {
    explicit SumsOfA(std::int64_t rows) : sums(rows) {}
    void add(const SumsOfA& others) {
      sums.add(others.sums);
      largest = std::max(largest, others.largest);
    }
    LineSums<T> sums;
    double largest = 0;
  };
  // What pieces of some columns add up to: `add(sums, column)` adds those of one.
  template <typename Sum, typename Add>
  Sum sum_of_columns(std::int64_t lines, std::int64_t columns, const Add& add) const {
    constexpr std::int64_t columns_at_once = 16;
    const int shared_by = threads_.for_bytes(index(lines * columns) * sizeof(T));
    const DealtLines dealt{columns, columns_at_once, shared_by};
    std::vector<Sum> sums(index(shared_by), Sum(lines));
    threads_.each(shared_by, [&](std::int64_t piece) {
      dealt.of_piece(piece, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j) add(sums[index(piece)], j);
      });
    });
    for (std::size_t piece = 1; piece < sums.size(); ++piece) sums.front().add(sums[piece]);
    return std::move(sums.front());
  }
  // Copies A, and multiplies it: a column is in a cache then.
  SumsOfA keep() const {
    return sum_of_columns<SumsOfA>(rows_, p_.n, [&](SumsOfA& sums, std::int64_t j) {
      for_stored(j, j + 1, [&](std::int64_t at, std::int64_t at_kept, std::int64_t count) {
        std::copy_n(matrix() + at, count, kept() + at_kept);
        add_column_of_a(sums, j, at_kept % rows_, count);
      });
    });
  }
  // `count` rows of column j, from the row `first` on.
  void add_column_of_a(SumsOfA& sums, std::int64_t j, std::int64_t first,
                       std::int64_t count) const {
    const double x = x_[index(j)];
    if (!is_lu_) {
      const W diagonal = kept_at(j, j);
      sums.sums.add(j, diagonal, x, 1);
      sums.largest = std::max(sums.largest, std::abs(diagonal));
      if (is_lower()) ++first;
      --count;
    }
    const T* const column = kept() + j * rows_ + first;
    sums.largest = std::max(sums.largest, largest_magnitude(column, count));  // but for NaN
    sums.sums.add_column(first, column, count, x, 1);
    if (!is_lu_) sums.sums.add_turned(j, column, count, x_.data() + first, ones_.data() + first);
  }
  // Imaginary parts on the diagonal of a Hermitian matrix are not read.
  W kept_at(std::int64_t i, std::int64_t j) const {
    const W value(kept()[index(j * rows_ + i)]);
    return !is_lu_ && i == j ? W(std::real(value)) : value;
  }
  W element_of_a(std::int64_t i, std::int64_t j) const {
    const bool is_mirrored = !is_lu_ && (is_lower() ? i < j : i > j);
    return is_mirrored ? conjugate(kept_at(j, i)) : kept_at(i, j);
  }

  W stored(std::int64_t i, std::int64_t j) const { return W(matrix()[j * p_.lda + i]); }
  // Elements of the factors: L is rows x depth, U depth x n.
  W lower(std::int64_t i, std::int64_t t) const {
    if (is_lu_ && i == t) return 1;
    return is_lu_ || is_lower() ? stored(i, t) : conjugate(stored(t, i));
  }
  W upper(std::int64_t t, std::int64_t j) const {
    return !is_lu_ && is_lower() ? conjugate(stored(j, t)) : stored(t, j);
  }

  // L (U x), by columns of what is stored.
  LineSums<T> product_of_factors() const {
    const bool is_turned = !is_lu_ && is_lower();  // U is what is stored, turned
    const auto y = sum_of_columns<LineSums<T>>(
        depth_, is_turned ? depth_ : p_.n, [&](LineSums<T>& sums, std::int64_t j) {
          const T* const column = matrix() + j * p_.lda;
          if (is_turned)
            sums.add_turned(j, column + j, rows_ - j, x_.data() + j, ones_.data() + j);
          else
            sums.add_column(0, column, std::min(j + 1, depth_), x_[index(j)], 1);
        });
    return sum_of_columns<LineSums<T>>(rows_, depth_, [&](LineSums<T>& sums, std::int64_t j) {
      const T* const column = matrix() + j * p_.lda;
      const W value = y.values[index(j)];
      const double square = y.squares[index(j)];
      if (is_lu_) {
        sums.add(j, 1, value, square);
        sums.add_column(j + 1, column + j + 1, rows_ - j - 1, value, square);
      } else if (is_lower()) {
        sums.add_column(j, column + j, rows_ - j, value, square);
      } else {
        sums.add_turned(j, column, j + 1, y.values.data(), y.squares.data());
      }
    });
  }

  // For each row of P A, the row of A that it is.
  std::vector<std::int64_t> rows_before() const {
    std::vector<std::int64_t> from(index(rows_));
    std::iota(from.begin(), from.end(), 0);
    if (is_lu_)
      for (std::int64_t t = 0; t < depth_; ++t)
        std::swap(from[index(t)], from[index(p_.pivots[t] - 1)]);
    return from;
  }

  std::optional<WrongElement> wrong_in(std::int64_t row, std::int64_t before,
                                       bool must_be_finite) const {
    const std::int64_t known = std::min(row + 1, depth_);
    std::vector<W> of_lower(index(known));
    for (std::int64_t t = 0; t < known; ++t) of_lower[index(t)] = lower(row, t);
    for (std::int64_t j = 0; j < p_.n; ++j) {
      W is = 0;
      double magnitudes = 0;
      for (std::int64_t t = 0; t < std::min(known, j + 1); ++t) {
        const W term = of_lower[index(t)] * upper(t, j);
        is += term;
        magnitudes += std::abs(term);
      }
      const W should_be = element_of_a(before, j);
      const double bound = slack_ * of_inverses * unit *
                               (static_cast<double>(depth_) + order_of_inverses) *
                               (magnitudes + std::abs(should_be)) +
                           tiny();
      // An infinite product has an infinite bound.
      if (is_finite(is) && std::abs(is - should_be) <= bound) continue;
      if (is_finite(is)) return WrongElement{row, j, is, should_be, bound};
      if (must_be_finite) return WrongElement{row, j, is, should_be, 0};
    }
    return {};
  }

  // Whether elements of U grew until some may have overflowed. Each is one of A less products of
  // those above it with elements of L, none of which is much larger than 1. So if A is moderate,
  // one that is finite and large is above each that overflowed.
  bool has_grown() const {
    const double large = std::sqrt(static_cast<double>(std::numeric_limits<Part>::max()));
    for (std::int64_t j = 0; j < p_.n; ++j)
      for (std::int64_t t = 0; t < std::min(j + 1, depth_); ++t) {
        const W value = stored(t, j);
        if (is_finite(value) && std::abs(value) > large) return true;
      }
    return false;
  }

  const LapackProblem p_;
  const bool is_lu_;
  const std::int64_t rows_, depth_;
  const double slack_;
  const CheckThreads threads_;
  const KeptMemory kept_;
  const std::vector<double> x_, ones_;
  const SumsOfA of_a_;
};

}  // namespace

FactorisationCheck::FactorisationCheck(const LapackProblem& problem, std::uint64_t seed,
                                       double slack, const CheckThreads& threads) {
  const CountedTime counted(seconds_);
  if (is_orthogonal(problem.routine))
    body_ = make_reflector_check(problem, seed, slack, threads);
  else if (solves(problem.routine))
    body_ = make_solve_check(problem, seed, slack, threads);
  else if (inverts(problem.routine))
    body_ = make_inverse_check(problem, seed, slack, threads);
  else
    body_ = check_of_type<TypedFactorisationCheck>(problem, seed, slack, threads);
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
