#include "check/level3_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "check/identity.hpp"

namespace duoblas {
namespace {

// After this many rows, or right-hand sides, without a wrong element, the data is taken for the
// cause. Finding an element takes longer than for a product.
constexpr std::size_t most_rows = 8;
constexpr int most_sides = 8;

// Below this, no intermediate sum overflows, nor a part of a complex product.
template <typename R>
constexpr double large = static_cast<double>(std::numeric_limits<R>::max()) / 8;

using Square = std::vector<std::complex<double>>;

// Column by column from the diagonal on: D X = 1 by substitution.
Square inverse_of(const Square& d, std::int64_t size, bool lower) {
  Square x(d.size(), 0);
  for (std::int64_t column = 0; column < size; ++column)
    for (std::int64_t i = column; i >= 0 && i < size; i += lower ? 1 : -1) {
      std::complex<double> rest = i == column ? 1 : 0;
      for (std::int64_t j = lower ? column : i + 1; j < (lower ? i : column + 1); ++j)
        rest -= d[index(i * size + j)] * x[index(j * size + column)];
      x[index(i * size + column)] = rest / d[index(i * size + i)];
    }
  return x;
}

std::vector<double> magnitudes_of(const Square& x, double least) {
  std::vector<double> sizes(x.size());
  std::ranges::transform(x, sizes.begin(),
                         [&](std::complex<double> value) { return one_norm(value) + least; });
  return sizes;
}

std::vector<double> product(const std::vector<double>& x, const std::vector<double>& y,
                            std::int64_t size) {
  const RowSums<double>& sums = row_sums<double>();
  std::vector<double> z(x.size(), 0);
  for (std::int64_t i = 0; i < size; ++i) {
    const double* const factors = &x[index(i * size)];
    double* const sum = &z[index(i * size)];
    std::int64_t l = 0;
    for (; l + rows_added_at_once <= size; l += rows_added_at_once) {
      const double* rows[rows_added_at_once];
      for (int r = 0; r < rows_added_at_once; ++r) rows[r] = &y[index((l + r) * size)];
      sums.add_rows[place_of(Sizes::none)](rows, factors + l, nullptr, size, sum, nullptr);
    }
    for (; l < size; ++l) sums.add_row(&y[index(l * size)], factors[l], size, sum);
  }
  return z;
}

// The rounding errors that solving with inverted diagonal blocks adds to those of a triangular
// solve. For the diagonal blocks D of a triangular matrix: the products of magnitudes by which the
// residual of their lines is multiplied, |D| |inv(D)| from the left or |inv(D)| |D| from the right.
class InversionErrors {
 public:
  struct Block {
    Interval lines;
    std::vector<double> inverse, growth;  // row by row; not finite if D is singular
    double growth_at(std::int64_t i, std::int64_t j) const {
      return growth[index(i * lines.count + j)];
    }
  };

  // `least`: the error of an inverse's element that is taken for zero.
  template <typename R>
  InversionErrors(const StoredMatrix<R>& triangular, const std::vector<Interval>& lines,
                  bool from_left, double least, const CheckThreads& threads)
      : blocks_(lines.size()) {
    const auto make = [&](std::int64_t which) {
      const Interval& of = lines[index(which)];
      Square d(index(of.count * of.count));
      for (std::int64_t i = 0; i < of.count; ++i)
        for (std::int64_t j = 0; j < of.count; ++j)
          d[index(i * of.count + j)] = triangular.at(of.first + i, of.first + j);
      Block& block = blocks_[index(which)];
      block.lines = of;
      block.inverse = magnitudes_of(inverse_of(d, of.count, triangular.is_lower()), least);
      const std::vector<double> sizes = magnitudes_of(d, 0);
      block.growth = from_left ? product(sizes, block.inverse, of.count)
                               : product(block.inverse, sizes, of.count);
    };
    const auto count = static_cast<std::int64_t>(lines.size());
    threads.share(count, 1, triangular.bytes(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) make(i);
    });
  }

  // The block that contains this line; null: none does.
  const Block* block_of(std::int64_t line) const {
    const auto holds = [&](const Block& block) {
      return line >= block.lines.first && line < block.lines.first + block.lines.count;
    };
    const auto found = std::ranges::find_if(blocks_, holds);
    return found == blocks_.end() ? nullptr : &*found;
  }

  // values += growth values.
  void widen(std::vector<double>& values) const {
    for (const Block& block : blocks_) {
      const auto first = values.begin() + block.lines.first;
      const std::vector<double> before(first, first + block.lines.count);
      for (std::int64_t i = 0; i < block.lines.count; ++i)
        for (std::int64_t j = 0; j < block.lines.count; ++j)
          first[i] += block.growth_at(i, j) * before[index(j)];
    }
  }

 private:
  std::vector<Block> blocks_;
};

template <typename R>
struct Judge {
  using W = Wider<R>;

  const Level3Problem& p;
  const Identity<R> identity;
  const ElementRounding rounding;
  const CheckThreads& threads;
  const InversionErrors* inverted;  ///< null: nothing is solved

  bool is_left() const { return p.side == Side::left; }
  // Of an element of A, or of a solution or its right-hand side: a line of the system, and what it
  // is a line of.
  static std::complex<double> at(bool is_left, const StoredMatrix<R>& m, std::int64_t line,
                                 std::int64_t other) {
    return is_left ? m.at(line, other) : m.at(other, line);
  }
  const StoredMatrix<R>& triangle() const {
    return is_left() ? identity.first() : identity.second();
  }
  const StoredMatrix<R>& solution() const {
    return is_left() ? identity.second() : identity.first();
  }
  const StoredMatrix<R>& right_sides() const { return identity.terms.back().matrices.front(); }
  std::complex<double> solution_at(std::int64_t line, std::int64_t rhs) const {
    return at(is_left(), solution(), line, rhs);
  }

  Suspects suspects(const Vectors& given) const {
    Vectors x = given;
    if (inverted != nullptr && !is_left()) inverted->widen(x.sizes);
    const double of_x = sum(x.sizes);
    Vectors sums(identity.first().lines(), x.parts, 2);
    double factors = rounding.operations * of_x;  // as an element's bound has them
    for (const Term<R>& term : identity.terms) {
      Vectors y = times(term.matrices.back(), x, Sizes::magnitudes, threads);
      factors += std::abs(term.factor) * of_x;
      if (term.matrices.size() == 2) {
        factors += std::abs(term.factor) * sum(y.sizes);
        y = times(term.matrices.front(), y, Sizes::magnitudes, threads);
      }
      if (term.is_result) std::ranges::fill(y.sizes, 0);
      sums.add(y, term.factor);
    }
    for (double& size : sums.sizes) size += smallest_normal<R> / unit_roundoff<R> * factors;
    if (inverted != nullptr && is_left()) inverted->widen(sums.sizes);
    const double units = suspicious_units<R>(rounding.slack, rounding.operations);
    const double likely = units * unit_roundoff<R> / std::sqrt(static_cast<double>(p.n));
    Suspects suspects;
    for (std::int64_t i = 0; i < sums.elements(); ++i) {
      if (!std::isfinite(sums.sizes[index(i)])) continue;  // the result need not be finite either
      const double difference = sums.largest_part(i), allowed = likely * sums.sizes[index(i)];
      if (difference > allowed) suspects.add(difference / allowed, i);
    }
    return suspects;
  }

  Wider<R> widened(std::int64_t i, std::int64_t j, W bound) const {
    const auto* block = inverted == nullptr ? nullptr : inverted->block_of(is_left() ? i : j);
    if (block == nullptr) return bound;
    const std::int64_t first = block->lines.first, line = (is_left() ? i : j) - first;
    for (std::int64_t l = 0; l < block->lines.count; ++l) {
      const double growth = is_left() ? block->growth_at(line, l) : block->growth_at(l, line);
      if (growth == 0) continue;
      bound += growth *
               (is_left() ? element_of(identity, first + l, j) : element_of(identity, i, first + l))
                   .bound(rounding);
    }
    return bound;
  }

  // The row's most suspicious element, if its error is larger than any order of additions explains.
  std::optional<WrongElement> wrong_in_row(std::int64_t i) const {
    const std::vector<std::int64_t> doubtful = doubtful_in_row(identity, rounding, i, threads);
    std::vector<IdentityElement<R>> elements(doubtful.size());
    threads.share(std::ssize(doubtful), 1, identity.first().bytes(),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t at = begin; at < end; ++at)
                      elements[index(at)] = element_of(identity, i, doubtful[index(at)]);
                  });
    IdentityElement<R> worst;
    W largest = 1;
    std::int64_t at = -1;
    for (std::size_t place = 0; place < elements.size(); ++place) {
      // Intermediate sums may have been infinite, whatever the result is.
      if (!(elements[place].largest < large<R>)) continue;
      const W ratio = elements[place].error() / elements[place].bound(rounding);
      if (ratio <= largest) continue;
      worst = elements[place];
      largest = ratio;
      at = doubtful[place];
    }
    if (at < 0) return {};
    const W bound = widened(i, at, worst.bound(rounding));
    if (std::isfinite(worst.error()) && !(worst.error() > bound)) return {};
    WrongElement wrong{i, at, worst.result, worst.expected(), static_cast<double>(bound)};
    if (p.routine == Routine::trsm) {
      wrong.should_be = p.alpha * right_sides().at(i, at);
      wrong.is = wrong.should_be - worst.expected();
    }
    // The place where the element is stored.
    if (updates_triangle(p.routine) && i != at && (i > at) != (p.uplo == Uplo::lower)) {
      std::swap(wrong.row, wrong.column);
      if (is_hermitian(p.routine)) {
        wrong.is = std::conj(wrong.is);
        wrong.should_be = std::conj(wrong.should_be);
      }
    }
    return wrong;
  }

  // The first line, in the order of the solution, that is not finite; -1 if all are.
  std::int64_t first_line_not_finite(std::int64_t rhs) const {
    const std::int64_t size = order(p);
    const bool ascends = triangle().is_lower() == is_left();
    for (std::int64_t step = 0; step < size; ++step) {
      const std::int64_t line = ascends ? step : size - 1 - step;
      if (!is_finite(solution_at(line, rhs))) return line;
    }
    return -1;
  }

  // The solution of a system is finite if the system is not singular and its numbers are not so
  // large that sums overflow. Then its first line that is not finite proves the device wrong. \pre
  // trsm.
  std::optional<WrongElement> solution_that_should_be_finite() const {
    const std::vector<double> of_rows = row_maxima(solution(), threads);
    if (std::ranges::all_of(of_rows, [](double value) { return std::isfinite(value); })) return {};
    int looked_at = 0;
    for (std::int64_t rhs = 0; rhs < free_extent(p) && looked_at < most_sides; ++rhs) {
      if (!is_left() && std::isfinite(of_rows[index(rhs)])) continue;
      const std::int64_t line = first_line_not_finite(rhs);
      if (line < 0) continue;
      ++looked_at;
      if (should_be_finite(line, rhs))
        return WrongElement{is_left() ? line : rhs, is_left() ? rhs : line, solution_at(line, rhs),
                            0, 0};
    }
    return {};
  }

  // The bound, from the lines solved before this line's block, and from the block's inverse.
  bool should_be_finite(std::int64_t line, std::int64_t rhs) const {
    const auto* block = inverted->block_of(line);
    if (block == nullptr) return false;
    const auto [first, count] = block->lines;
    std::vector<double> sizes;
    for (std::int64_t l = first; l < first + count; ++l) {
      double size = one_norm(p.alpha) * one_norm(at(is_left(), right_sides(), l, rhs));
      for (std::int64_t from = 0; from < order(p); ++from) {
        if (from >= first && from < first + count) continue;
        const double factor = one_norm(at(is_left(), triangle(), l, from));
        if (factor != 0) size += factor * one_norm(solution_at(from, rhs));
      }
      if (!(size < large<R>)) return false;
      sizes.push_back(size);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        const double factor = block->inverse[index(is_left() ? i * count + j : j * count + i)];
        if (!(factor < large<R>)) return false;
        sum += factor * sizes[index(j)];
      }
      if (!(sum < large<R>)) return false;
    }
    return true;
  }
};

// Two vectors with the same random magnitudes, from 1 to 2, and different signs.
Vectors drawn(std::int64_t elements, int parts, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Vectors x(elements, parts, 2);
  for (std::int64_t j = 0; j < elements; ++j) {
    const RandomNumber number(engine);
    for (int one = 0; one < 2; ++one) x.set(j, number.with_sign(number.size, one), one);
    x.sizes[index(j)] = number.size;
  }
  return x;
}

}  // namespace

Level3Check::Level3Check(const Level3Problem& problem, std::uint64_t seed, double slack,
                         const std::vector<Interval>& inverted, const CheckThreads& threads)
    : p_(problem), seed_(seed), slack_(slack), inverted_(inverted), threads_(threads) {
  const Counted counted(*this);
  if (!needs_old_c(p_)) return;
  with_real_type(p_.precision,
                 [&](auto zero) { old_.save(written_matrix<decltype(zero)>(p_), threads_); });
}

CheckVerdict Level3Check::do_compare() {
  return with_real_type(p_.precision, [&](auto zero) {
    using R = decltype(zero);
    Judge<R> judge{p_, identity_of(p_, old_.of(written_matrix<R>(p_))),
                   rounding_of_element<R>(p_, slack_), threads_, nullptr};
    std::optional<InversionErrors> inverted;
    CheckVerdict verdict;
    if (p_.routine == Routine::trsm) {
      judge.inverted = &inverted.emplace(judge.triangle(), inverted_, judge.is_left(),
                                         smallest_normal<R> / unit_roundoff<R>, threads_);
      verdict.wrong = judge.solution_that_should_be_finite();
      verdict.suspected_rows = 1;
      if (verdict.wrong) return verdict;
    }
    return judge.suspects(drawn(p_.n, is_complex(p_.precision) ? 2 : 1, seed_))
        .verdict(most_rows, [&](std::int64_t row) { return judge.wrong_in_row(row); });
  });
}

void Level3Check::restore() const noexcept {
  with_real_type(p_.precision,
                 [&](auto zero) { old_.restore(written_matrix<decltype(zero)>(p_)); });
}

std::string Level3Check::describe(const WrongElement& wrong) const {
  return duoblas::describe(wrong, is_complex(p_.precision), stored_c(p_).rows, p_.n);
}

bool can_check(const Level3Problem& p) {
  return !p.empty() && !p.only_scales_c() && is_finite(p.alpha) && is_finite(p.beta);
}

}  // namespace duoblas
