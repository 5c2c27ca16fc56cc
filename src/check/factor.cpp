#include "check/factor.hpp"

#include <numeric>

#include "check/row_sums.hpp"

namespace duoblas {
namespace {

template <typename W>
double size_of(const W& value, Sizes sizes) {
  return sizes == Sizes::none ? 0 : sizes == Sizes::magnitudes ? std::abs(value) : std::norm(value);
}

double total(const RowSum& sum) {
  return (sum.places[0] + sum.places[1]) + (sum.places[2] + sum.places[3]);
}

// Element i of a column that begins with the row `first`, times v[factor], goes to line first + i.
template <typename T>
void add_down(SizedVector<T>& to, const SizedVector<T>& v, const T* column, Interval rows,
              std::int64_t factor, bool conjugates, Sizes sizes) {
  const Wide<T> value = v.values[index(factor)];
  const double size = v.sizes[index(factor)];
  if constexpr (is_real<T>) {
    double* const sums = to.values.data() + rows.first;
    double* const of_sizes = to.sizes.data() + rows.first;
    if (sizes == Sizes::squares)
      row_sums<T>().add_with_squares(column, value, size, rows.count, sums, of_sizes);
    else if (sizes == Sizes::magnitudes)
      for (std::int64_t i = 0; i < rows.count; ++i) {
        const auto element = static_cast<double>(column[i]);
        sums[i] += element * value;
        of_sizes[i] += std::abs(element) * size;
      }
    else
      for (std::int64_t i = 0; i < rows.count; ++i)
        sums[i] += static_cast<double>(column[i]) * value;
  } else {
    const double sign = conjugates ? -1 : 1;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const Wide<T> element(column[i].real(), sign * column[i].imag());
      to.add(rows.first + i, element * value, size_of(element, sizes) * size);
    }
  }
}

// Element i of such a column, times v[first + i], goes to `line`.
template <typename T>
void add_across(SizedVector<T>& to, const SizedVector<T>& v, const T* column, Interval rows,
                std::int64_t line, bool conjugates, Sizes sizes) {
  if constexpr (is_real<T>) {
    const double* const values = v.values.data() + rows.first;
    const double* const of_sizes = v.sizes.data() + rows.first;
    if (sizes == Sizes::magnitudes) {
      const TwoRowSums sums = row_sums<T>().two_dots(column, values, values, of_sizes, rows.count);
      return to.add(line, sums.first, sums.magnitude);
    }
    const double squares =
        sizes == Sizes::squares ? row_sums<T>().dot_of_squares(column, of_sizes, rows.count) : 0;
    to.add(line, total(row_sums<T>().dot(column, values, rows.count)), squares);
  } else {
    Wide<T> sum = 0;
    double of_sizes = 0;
    const double sign = conjugates ? -1 : 1;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const Wide<T> element(column[i].real(), sign * column[i].imag());
      const std::size_t from = index(rows.first + i);
      sum += element * v.values[from];
      if (sizes != Sizes::none) of_sizes += size_of(element, sizes) * v.sizes[from];
    }
    to.add(line, sum, of_sizes);
  }
}

template <typename T>
MatrixFactor<T> adjoint_of(MatrixFactor<T> matrix) {
  matrix.turned = !matrix.turned;
  matrix.conjugated = !matrix.conjugated;
  return matrix;
}
template <typename T>
Permutation adjoint_of(Permutation rows) {
  rows.backward = !rows.backward;
  return rows;
}
template <typename T>
Reflectors<T> adjoint_of(Reflectors<T> q) {
  q.adjoint = !q.adjoint;
  return q;
}
template <typename T>
Factor<T> adjoint_of(const Factor<T>& factor) {
  return std::visit([](const auto& one) { return Factor<T>(adjoint_of<T>(one)); }, factor);
}

template <typename T>
SizedVector<T> times(const MatrixFactor<T>& matrix, const SizedVector<T>& v, Sizes sizes,
                     const CheckThreads& threads) {
  const bool by_roots = sizes == Sizes::magnitudes && !matrix.roots.empty();
  SizedVector<T> sums =
      sum_of_columns<T>(matrix.lines(), matrix.columns, matrix.bytes(), threads,
                        [&](SizedVector<T>& to, std::int64_t j) {
                          matrix.add_column(to, v, j, by_roots ? Sizes::none : sizes);
                        });
  if (by_roots) {
    const double sum =
        std::inner_product(matrix.roots.begin(), matrix.roots.end(), v.sizes.begin(), 0.0);
    std::ranges::transform(matrix.roots, sums.sizes.begin(),
                           [sum](double root) { return root * sum; });
  }
  if (matrix.least != 0) {
    const double added = matrix.least * std::accumulate(v.sizes.begin(), v.sizes.end(), 0.0);
    for (double& size : sums.sizes) size += added;
  }
  return sums;
}
template <typename T>
SizedVector<T> times(const Permutation& rows, SizedVector<T> v, Sizes, const CheckThreads&) {
  rows.apply(v.values);
  rows.apply(v.sizes);
  return v;
}
template <typename T>
SizedVector<T> times(const Reflectors<T>& q, SizedVector<T> v, Sizes, const CheckThreads&) {
  q.apply(v.values);
  v.known = q.rows;
  return v;
}
template <typename T>
SizedVector<T> times(const Factor<T>& factor, const SizedVector<T>& v, Sizes sizes,
                     const CheckThreads& threads) {
  return std::visit([&](const auto& one) { return times<T>(one, v, sizes, threads); }, factor);
}

template <typename T>
SizedVector<T> adjoint_of_row(const MatrixFactor<T>& matrix, std::int64_t row) {
  SizedVector<T> line(matrix.turned ? matrix.rows : matrix.columns);
  if (matrix.shape == Shape::triangular && (matrix.uplo == Uplo::lower) != matrix.turned)
    line.known = std::min(row + 1, line.known);
  for (std::int64_t j = 0; j < line.known; ++j) {
    line.values[index(j)] = conjugate(matrix.at(row, j));
    line.sizes[index(j)] = matrix.magnitude(row, j);
  }
  return line;
}

}  // namespace

template <typename T>
Wide<T> MatrixFactor<T>::at(std::int64_t i, std::int64_t j) const {
  bool conjugates = conjugated;
  if (turned) std::swap(i, j);
  if (shape != Shape::general && i != j && (i > j) != (uplo == Uplo::lower)) {
    if (shape == Shape::triangular) return 0;
    std::swap(i, j);
    conjugates = !conjugates;
  }
  if (i == j && diag == Diag::unit) return 1;
  const Wide<T> value(data[j * ld + i]);
  if (i == j && real_diagonal) return std::real(value);
  return conjugates ? conjugate(value) : value;
}

template <typename T>
double MatrixFactor<T>::magnitude(std::int64_t i, std::int64_t j) const {
  return (roots.empty() ? std::abs(at(i, j)) : roots[index(i)] * roots[index(j)]) + least;
}

template <typename T>
void MatrixFactor<T>::add_column(SizedVector<T>& to, const SizedVector<T>& v, std::int64_t column,
                                 Sizes sizes) const {
  const bool is_hermitian = shape == Shape::hermitian;
  Interval stored = rows_beside_diagonal(column);
  if (has_diagonal_apart()) {
    const Wide<T> element = at(column, column);
    if (column < v.known)
      to.add(column, element * v.values[index(column)],
             size_of(element, sizes) * v.sizes[index(column)]);
  }
  const T* const elements = data + column * ld + stored.first;
  if ((is_hermitian || !turned) && column < v.known)
    add_down(to, v, elements, stored, column, !is_hermitian && conjugated, sizes);
  if (!is_hermitian && !turned) return;
  stored.count = std::min(stored.count, v.known - stored.first);
  if (stored.count > 0)
    add_across(to, v, elements, stored, column, is_hermitian || conjugated, sizes);
}

template <typename T>
void MatrixFactor<T>::divide(std::vector<Wide<T>>& v) const {
  const auto stored_at = [&](std::int64_t i, std::int64_t j) {
    return turned ? at(j, i) : at(i, j);
  };
  const bool ascends = (uplo == Uplo::lower) != turned;
  for (std::int64_t step = 0; step < columns; ++step) {
    const std::int64_t j = ascends ? step : columns - 1 - step;
    const Interval stored = stored_rows(j);
    const std::int64_t end = stored.first + stored.count;
    if (turned)
      for (std::int64_t i = stored.first; i < end; ++i)
        if (i != j) v[index(j)] -= stored_at(i, j) * v[index(i)];
    v[index(j)] /= stored_at(j, j);
    if (!turned)
      for (std::int64_t i = stored.first; i < end; ++i)
        if (i != j) v[index(i)] -= stored_at(i, j) * v[index(j)];
  }
}

template <typename T>
void Reflectors<T>::apply(std::vector<Wide<T>>& v) const {
  using W = Wide<T>;
  for (std::int64_t step = 0; step < count; ++step) {
    const std::int64_t k = adjoint ? step : count - 1 - step;
    const T* const below = vectors + k * ld + k + 1;
    W* const of_v = v.data() + k + 1;
    const std::int64_t length = rows - k - 1;
    W sum = v[index(k)];
    if constexpr (is_real<T>)
      sum += total(row_sums<T>().dot(below, of_v, length));
    else
      for (std::int64_t i = 0; i < length; ++i) sum += std::conj(W(below[i])) * of_v[i];
    sum *= adjoint ? conjugate(W(tau[k])) : W(tau[k]);
    v[index(k)] -= sum;
    for (std::int64_t i = 0; i < length; ++i) of_v[i] -= W(below[i]) * sum;
  }
}

template <typename T>
SizedVector<T> product(const Chain<T>& chain, SizedVector<T> v, Sizes sizes,
                       const CheckThreads& threads) {
  for (std::size_t place = chain.size(); place-- > 0;) v = times(chain[place], v, sizes, threads);
  return v;
}

template <typename T>
Chain<T> adjoint(const Chain<T>& chain) {
  Chain<T> turned;
  for (std::size_t place = chain.size(); place-- > 0;)
    turned.push_back(adjoint_of<T>(chain[place]));
  return turned;
}

template <typename T>
SizedVector<T> adjoint_of_row(const Chain<T>& chain, std::int64_t row, std::int64_t size,
                              Sizes sizes, const CheckThreads& threads) {
  SizedVector<T> line(size);
  std::size_t place = 0;
  for (; place < chain.size() && std::holds_alternative<Permutation>(chain[place]); ++place)
    row = std::get<Permutation>(chain[place]).source_of(row);
  const auto* const matrix =
      place < chain.size() ? std::get_if<MatrixFactor<T>>(&chain[place]) : nullptr;
  if (matrix != nullptr) {
    line = adjoint_of_row(*matrix, row);
    ++place;
  } else {
    line.values[index(row)] = 1;
  }
  for (; place < chain.size(); ++place)
    line = times(adjoint_of<T>(chain[place]), line, sizes, threads);
  return line;
}

template <typename T>
void solve(const Chain<T>& chain, std::vector<Wide<T>>& v) {
  for (const Factor<T>& factor : chain)
    if (const auto* rows = std::get_if<Permutation>(&factor))
      adjoint_of<T>(*rows).apply(v);
    else
      std::get<MatrixFactor<T>>(factor).divide(v);
}

template <typename T>
double largest_magnitude(const T* column, std::int64_t count) {
  if constexpr (is_real<T>) {
    return static_cast<double>(row_sums<T>().maximum(column, count));
  } else {
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = std::abs(Wide<T>(column[i]));
      if (std::isnan(value)) return value;
      largest = std::max(largest, value);
    }
    return largest;
  }
}

template <typename T>
double norm_of(const T* column, std::int64_t count) {
  const double largest = largest_magnitude(column, count);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  constexpr int least_exponent = -1000;  // of columns whose numbers are all tiny
  // A power of two, since squares may underflow.
  const double scale = std::ldexp(1.0, -std::max(std::ilogb(largest), least_exponent));
  constexpr std::int64_t at_once = 8;
  double sums[at_once] = {};
  std::int64_t i = 0;
  for (; i + at_once <= count; i += at_once)
    for (std::int64_t place = 0; place < at_once; ++place)
      sums[place] += std::norm(scale * Wide<T>(column[i + place]));
  for (; i < count; ++i) sums[0] += std::norm(scale * Wide<T>(column[i]));
  return std::sqrt(std::accumulate(sums, sums + at_once, 0.0)) / scale;
}

#define DUOBLAS_INSTANTIATE(T)                                                                  \
  template struct MatrixFactor<T>;                                                              \
  template struct Reflectors<T>;                                                                \
  template SizedVector<T> product(const Chain<T>&, SizedVector<T>, Sizes, const CheckThreads&); \
  template Chain<T> adjoint(const Chain<T>&);                                                   \
  template SizedVector<T> adjoint_of_row(const Chain<T>&, std::int64_t, std::int64_t, Sizes,    \
                                         const CheckThreads&);                                  \
  template void solve(const Chain<T>&, std::vector<Wide<T>>&);                                  \
  template double largest_magnitude(const T*, std::int64_t);                                    \
  template double norm_of(const T*, std::int64_t)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
DUOBLAS_INSTANTIATE(std::complex<float>);
DUOBLAS_INSTANTIATE(std::complex<double>);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas
