#include "check/stored_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "check/row_sums.hpp"

namespace duoblas {
namespace {

double finite_or_infinity(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

Vectors::Vectors(std::int64_t elements, int of_parts, int vectors)
    : parts(of_parts), count(vectors), sizes(index(elements)), known(elements) {
  for (int which = 0; which < count; ++which) values[index(which)].resize(index(elements * parts));
}

void Vectors::add(const Vectors& others, std::complex<double> factor) {
  for (std::size_t which = 0; which < values.size(); ++which) {
    const std::vector<double>& from = others.values[which];
    double* const sums = values[which].data();
    if (parts == 1)
      for (std::size_t i = 0; i < from.size(); ++i) sums[i] += factor.real() * from[i];
    else
      for (std::size_t i = 0; i < from.size(); i += 2) {
        sums[i] += factor.real() * from[i] - factor.imag() * from[i + 1];
        sums[i + 1] += factor.real() * from[i + 1] + factor.imag() * from[i];
      }
  }
  const double size = one_norm(factor);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += size * others.sizes[i];
}

void Vectors::place(std::int64_t first, const Vectors& part) {
  for (int which = 0; which < count; ++which)
    std::ranges::copy(part.values[which], values[which].begin() + first * parts);
  std::ranges::copy(part.sizes, sizes.begin() + first);
}

double Vectors::largest_part(std::int64_t i) const {
  double largest = 0;
  for (int which = 0; which < count; ++which)
    for (std::int64_t part = i * parts; part < (i + 1) * parts; ++part) {
      const double magnitude = std::abs(values[index(which)][index(part)]);
      if (!std::isfinite(magnitude)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, magnitude);
    }
  return largest;
}

template <typename R>
std::vector<double> column_maxima(const StoredMatrix<R>& matrix) {
  const std::int64_t reals = matrix.columns * matrix.parts;
  std::vector<R> of_reals(index(reals), R(0));
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    row_sums<R>().column_maxima(matrix.row(i), reals, of_reals.data());
  std::vector<double> maxima(index(matrix.columns), 0);
  const auto parts = index(matrix.parts);
  for (std::size_t i = 0; i < of_reals.size(); ++i)
    maxima[i / parts] =
        std::max(maxima[i / parts], finite_or_infinity(static_cast<double>(of_reals[i])));
  return maxima;
}

template <typename R>
std::vector<double> row_maxima(const StoredMatrix<R>& matrix, const CheckThreads& threads) {
  std::vector<double> maxima(index(matrix.rows));
  threads.share(matrix.rows, 1, matrix.bytes(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      maxima[index(i)] = finite_or_infinity(
          static_cast<double>(row_sums<R>().maximum(matrix.row(i), matrix.columns * matrix.parts)));
  });
  return maxima;
}

#define DUOBLAS_INSTANTIATE(R)                                        \
  template std::vector<double> column_maxima(const StoredMatrix<R>&); \
  template std::vector<double> row_maxima(const StoredMatrix<R>&, const CheckThreads&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas
