#include "check/level3_elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "check/check_bounds.hpp"
#include "check/check_numbers.hpp"

namespace duoblas {
namespace {

// Below this, no intermediate sum overflows, nor a part of a complex product.
template <typename R>
constexpr double large = static_cast<double>(std::numeric_limits<R>::max()) / 8;

// After this many right-hand sides without a wrong element, the data is taken for the cause.
constexpr int most_sides = 8;

}  // namespace

template <typename R>
const ShapedMatrix<R>& Level3Elements<R>::triangle() const {
  const Term<R>& term = identity_.terms.front();
  return is_left() ? term.first : term.second;
}
template <typename R>
const ShapedMatrix<R>& Level3Elements<R>::solution() const {
  const Term<R>& term = identity_.terms.front();
  return is_left() ? term.second : term.first;
}
template <typename R>
std::complex<double> Level3Elements<R>::solution_at(std::int64_t line, std::int64_t rhs) const {
  return is_left() ? solution().at(line, rhs) : solution().at(rhs, line);
}

template <typename R>
typename Level3Elements<R>::Element Level3Elements<R>::element_at(std::int64_t i,
                                                                  std::int64_t j) const {
  Element element{element_of(identity_, i, j)};
  const IdentityElement<R>& terms = element.terms;
  const Wide real = terms.real - terms.result.real();
  const Wide imaginary = terms.imaginary - terms.result.imag();
  element.error = std::max(std::abs(real), std::abs(imaginary));
  if (!std::isfinite(real) || !std::isfinite(imaginary))
    element.error = std::numeric_limits<Wide>::infinity();
  element.magnitude = terms.magnitude + Wide(smallest_normal<R> / unit_roundoff<R>) *
                                            (rounding_.operations + terms.factors + terms.operands);
  return element;
}

template <typename R>
typename Level3Elements<R>::Wide Level3Elements<R>::bounding_magnitude(std::int64_t i,
                                                                       std::int64_t j,
                                                                       Wide own) const {
  const auto* block = inverted_ == nullptr ? nullptr : inverted_->block_of(is_left() ? i : j);
  if (block == nullptr) return own;
  const std::int64_t first = block->lines.first, line = (is_left() ? i : j) - first;
  for (std::int64_t l = 0; l < block->lines.count; ++l) {
    const double growth = is_left() ? block->growth_at(line, l) : block->growth_at(l, line);
    if (growth != 0)
      own += growth * (is_left() ? element_at(first + l, j) : element_at(i, first + l)).magnitude;
  }
  return own;
}

template <typename R>
std::optional<WrongElement> Level3Elements<R>::wrong_in_row(std::int64_t i,
                                                            const CheckThreads& threads) const {
  std::vector<Element> elements(static_cast<std::size_t>(p_.n));
  threads.share(p_.n, 1, identity_.terms.front().first.stored.bytes(),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t j = begin; j < end; ++j)
                    elements[static_cast<std::size_t>(j)] = element_at(i, j);
                });
  Element worst;
  Wide largest = rounding_.relative;
  std::int64_t at = -1;
  for (std::int64_t j = 0; j < p_.n; ++j) {
    const Element& element = elements[static_cast<std::size_t>(j)];
    // Intermediate sums may have been infinite, whatever the result is.
    if (!(element.terms.largest < large<R>)) continue;
    const Wide ratio = element.error / element.magnitude;
    if (ratio <= largest) continue;
    worst = element;
    largest = ratio;
    at = j;
  }
  if (at < 0) return {};
  const Wide bound = rounding_.relative * bounding_magnitude(i, at, worst.magnitude);
  if (std::isfinite(worst.error) && !(worst.error > bound)) return {};
  const std::complex<double> expected = worst.terms.expected();
  WrongElement wrong{i, at, worst.terms.result, expected, static_cast<double>(bound)};
  if (p_.routine == Routine::trsm) {
    wrong.should_be = p_.alpha * identity_.summands.front().matrix.at(i, at);
    wrong.is = wrong.should_be - expected;
  }
  // The place where the element is stored.
  if (updates_triangle(p_.routine) && i != at && (i > at) != (p_.uplo == Uplo::lower)) {
    std::swap(wrong.row, wrong.column);
    if (is_hermitian(p_.routine)) {
      wrong.is = std::conj(wrong.is);
      wrong.should_be = std::conj(wrong.should_be);
    }
  }
  return wrong;
}

/// The first line, in the order of the solution, that is not finite; -1 if all are.
template <typename R>
std::int64_t Level3Elements<R>::first_line_not_finite(std::int64_t rhs) const {
  const std::int64_t size = order(p_);
  const bool ascends = triangle().is_lower() == is_left();
  for (std::int64_t step = 0; step < size; ++step) {
    const std::int64_t line = ascends ? step : size - 1 - step;
    if (!is_finite(solution_at(line, rhs))) return line;
  }
  return -1;
}

template <typename R>
std::optional<WrongElement> Level3Elements<R>::solution_that_should_be_finite(
    const CheckThreads& threads) const {
  const std::vector<double> of_rows = row_maxima(solution().stored, threads);
  if (std::ranges::all_of(of_rows, [](double value) { return std::isfinite(value); })) return {};
  int looked_at = 0;
  for (std::int64_t rhs = 0; rhs < free_extent(p_) && looked_at < most_sides; ++rhs) {
    if (!is_left() && std::isfinite(of_rows[static_cast<std::size_t>(rhs)])) continue;
    const std::int64_t line = first_line_not_finite(rhs);
    if (line < 0) continue;
    ++looked_at;
    if (should_be_finite(line, rhs))
      return WrongElement{is_left() ? line : rhs, is_left() ? rhs : line, solution_at(line, rhs), 0,
                          0};
  }
  return {};
}

/// The bound, from the lines solved before this line's block, and from the block's inverse.
template <typename R>
bool Level3Elements<R>::should_be_finite(std::int64_t line, std::int64_t rhs) const {
  const auto* block = inverted_->block_of(line);
  if (block == nullptr) return false;
  const auto [first, count] = block->lines;
  const ShapedMatrix<R>& old = identity_.summands.front().matrix;
  std::vector<double> sizes;
  for (std::int64_t l = first; l < first + count; ++l) {
    double size = one_norm(p_.alpha) * one_norm(is_left() ? old.at(l, rhs) : old.at(rhs, l));
    for (std::int64_t from = 0; from < order(p_); ++from) {
      if (from >= first && from < first + count) continue;
      const double factor = one_norm(is_left() ? triangle().at(l, from) : triangle().at(from, l));
      if (factor != 0) size += factor * one_norm(solution_at(from, rhs));
    }
    if (!(size < large<R>)) return false;
    sizes.push_back(size);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      const double factor =
          block->inverse[static_cast<std::size_t>(is_left() ? i * count + j : j * count + i)];
      if (!(factor < large<R>)) return false;
      sum += factor * sizes[static_cast<std::size_t>(j)];
    }
    if (!(sum < large<R>)) return false;
  }
  return true;
}

template class Level3Elements<float>;
template class Level3Elements<double>;

}  // namespace duoblas
