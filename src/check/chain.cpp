#include "check/chain.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <type_traits>

#include "problem/element_types.hpp"

namespace duoblas {
namespace {

template <typename R>
Factor<R> adjoint_of(const Factor<R>& factor) {
  return std::visit(
      [](const auto& one) -> Factor<R> {
        auto turned = one;
        if constexpr (std::is_same_v<decltype(turned), MatrixFactor<R>>)
          static_cast<StoredMatrix<R>&>(turned) = one.adjoint();
        else
          turned = one.adjoint();
        return turned;
      },
      factor);
}

template <typename R>
Vectors times(const MatrixFactor<R>& matrix, const Vectors& v, Sizes sizes,
              const CheckThreads& threads) {
  Vectors sums = times<R>(static_cast<const StoredMatrix<R>&>(matrix), v, sizes, threads);
  if (matrix.least != 0) {
    const double added = matrix.least * sum(v.sizes);
    for (double& size : sums.sizes) size += added;
  }
  return sums;
}

template <typename R>
Vectors times(const Permutation& rows, Vectors v, Sizes, const CheckThreads&) {
  rows.apply([&](std::int64_t i, std::int64_t j) {
    const std::complex<double> value = v.at(i);
    v.set(i, v.at(j));
    v.set(j, value);
    std::swap(v.sizes[index(i)], v.sizes[index(j)]);
  });
  return v;
}

// T: the type of the elements.
template <typename T, typename R>
void apply(const Reflectors<R>& q, Vectors& v) {
  using W = std::conditional_t<is_real<T>, double, std::complex<double>>;
  auto* const values = reinterpret_cast<W*>(v.values[0].data());
  const T* const tau = reinterpret_cast<const T*>(q.tau);
  for (std::int64_t step = 0; step < q.vectors.rows; ++step) {
    const std::int64_t k = q.is_adjoint ? step : q.vectors.rows - 1 - step;
    const T* const below = reinterpret_cast<const T*>(q.vectors.row(k)) + k + 1;
    W* const of_v = values + k + 1;
    const std::int64_t length = q.vectors.columns - k - 1;
    W sum = values[k];
    if constexpr (is_real<T>)
      sum += row_sums<T>().dots[0][0](below, of_v, nullptr, nullptr, length).of_set(0);
    else
      for (std::int64_t i = 0; i < length; ++i) sum += std::conj(W(below[i])) * of_v[i];
    sum *= q.is_adjoint ? conjugate(W(tau[k])) : W(tau[k]);
    values[k] -= sum;
    if constexpr (is_real<T>)
      row_sums<T>().add_row(below, -sum, length, of_v);
    else
      for (std::int64_t i = 0; i < length; ++i) of_v[i] -= W(below[i]) * sum;
  }
}

template <typename R>
Vectors times(const Reflectors<R>& q, Vectors v, Sizes, const CheckThreads&) {
  q.vectors.parts == 1 ? apply<R>(q, v) : apply<std::complex<R>>(q, v);
  v.known = q.vectors.columns;
  return v;
}

template <typename R>
Vectors times(const Factor<R>& factor, const Vectors& v, Sizes sizes, const CheckThreads& threads) {
  return std::visit([&](const auto& one) { return times<R>(one, v, sizes, threads); }, factor);
}

// Row by row, in the order of the solution.
template <typename R>
void divide(const StoredMatrix<R>& triangle, Vectors& v) {
  const std::int64_t size = triangle.lines();
  const bool ascends = triangle.is_lower();
  for (std::int64_t step = 0; step < size; ++step) {
    const std::int64_t i = ascends ? step : size - 1 - step;
    std::complex<double> rest = v.at(i);
    for (std::int64_t j = ascends ? 0 : i + 1; j < (ascends ? i : size); ++j)
      rest -= multiplied(triangle.at(i, j), v.at(j));
    v.set(i, rest / triangle.at(i, i));
  }
}

}  // namespace

template <typename R>
Vectors product(const Chain<R>& chain, Vectors v, Sizes sizes, const CheckThreads& threads) {
  for (std::size_t place = chain.size(); place-- > 0;) v = times(chain[place], v, sizes, threads);
  return v;
}

template <typename R>
Chain<R> adjoint(const Chain<R>& chain) {
  Chain<R> turned;
  for (std::size_t place = chain.size(); place-- > 0;)
    turned.push_back(adjoint_of<R>(chain[place]));
  return turned;
}

template <typename R>
Vectors adjoint_of_row(const MatrixFactor<R>& matrix, std::int64_t row) {
  Vectors line(matrix.length(), matrix.parts);
  if (matrix.shape == MatrixShape::triangular && matrix.is_lower())
    line.known = std::min(row + 1, line.known);
  for (std::int64_t j = 0; j < line.known; ++j) {
    const std::complex<double> value = matrix.at(row, j);
    line.set(j, std::conj(value));
    line.sizes[index(j)] = one_norm(value) + matrix.least;
  }
  return line;
}

template <typename R>
Vectors adjoint_of_row(const Chain<R>& chain, std::int64_t row, std::int64_t size, int parts,
                       Sizes sizes, const CheckThreads& threads) {
  Vectors line(size, parts);
  std::size_t place = 0;
  for (; place < chain.size() && std::holds_alternative<Permutation>(chain[place]); ++place)
    std::get<Permutation>(chain[place]).adjoint().apply([&](std::int64_t i, std::int64_t j) {
      row = row == i ? j : row == j ? i : row;
    });
  const auto* const matrix =
      place < chain.size() ? std::get_if<MatrixFactor<R>>(&chain[place]) : nullptr;
  if (matrix != nullptr) {
    line = adjoint_of_row(*matrix, row);
    ++place;
  } else {
    line.set(row, 1);
  }
  for (; place < chain.size(); ++place)
    line = times(adjoint_of<R>(chain[place]), line, sizes, threads);
  return line;
}

template <typename R>
void solve(const Chain<R>& chain, Vectors& v) {
  for (const Factor<R>& factor : chain)
    if (const auto* rows = std::get_if<Permutation>(&factor))
      v = times<R>(rows->adjoint(), std::move(v), Sizes::none, {});
    else
      divide<R>(std::get<MatrixFactor<R>>(factor), v);
}

template <typename R>
double norm_of(const R* reals, std::int64_t count) {
  const auto largest = static_cast<double>(row_sums<R>().maximum(reals, count));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  constexpr int least_exponent = -1000;  // of columns whose numbers are all tiny
  // A power of two, since squares may underflow.
  const double scale = std::ldexp(1.0, -std::max(std::ilogb(largest), least_exponent));
  constexpr std::int64_t at_once = 8;
  double sums[at_once] = {};
  const auto square = [&](std::int64_t i) {
    const double value = scale * static_cast<double>(reals[i]);
    return value * value;
  };
  std::int64_t i = 0;
  for (; i + at_once <= count; i += at_once)
    for (std::int64_t place = 0; place < at_once; ++place) sums[place] += square(i + place);
  for (; i < count; ++i) sums[0] += square(i);
  return std::sqrt(std::accumulate(sums, sums + at_once, 0.0)) / scale;
}

#define DUOBLAS_INSTANTIATE(R)                                                             \
  template Vectors product(const Chain<R>&, Vectors, Sizes, const CheckThreads&);          \
  template Chain<R> adjoint(const Chain<R>&);                                              \
  template Vectors adjoint_of_row(const MatrixFactor<R>&, std::int64_t);                   \
  template Vectors adjoint_of_row(const Chain<R>&, std::int64_t, std::int64_t, int, Sizes, \
                                  const CheckThreads&);                                    \
  template void solve(const Chain<R>&, Vectors&);                                          \
  template double norm_of(const R*, std::int64_t)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas
