#include "check/shaped_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "check/check_numbers.hpp"

namespace duoblas {
namespace {

// Lines of a diagonal block, which is made whole.
constexpr std::int64_t block_lines = 128;

TwoVectors slice(const TwoVectors& v, std::int64_t first, std::int64_t count, int parts) {
  TwoVectors part;
  for (std::size_t one = 0; one < 2; ++one) {
    part[one].is_real = v[one].is_real;
    const auto from = v[one].values.begin() + first * parts;
    part[one].values.assign(from, from + count * parts);
  }
  const auto from = v[0].magnitudes.begin() + first;
  part[0].magnitudes.assign(from, from + count);
  return part;
}

}  // namespace

TwoVectors two_zero_vectors(std::int64_t elements, int parts) {
  TwoVectors zeros;
  for (WeightVector& one : zeros) {
    one.is_real = parts == 1;
    one.values.assign(index(elements * parts), 0);
  }
  zeros[0].magnitudes.assign(index(elements), 0);
  return zeros;
}

void add_to(TwoVectors& to, std::int64_t at, const TwoVectors& part, int parts,
            std::complex<double> factor) {
  for (std::size_t one = 0; one < 2; ++one) {
    const std::vector<double>& from = part[one].values;
    double* const sums = &to[one].values[index(at * parts)];
    if (parts == 1) {
      for (std::size_t i = 0; i < from.size(); ++i) sums[i] += factor.real() * from[i];
      continue;
    }
    for (std::size_t i = 0; i < from.size(); i += 2) {
      sums[i] += factor.real() * from[i] - factor.imag() * from[i + 1];
      sums[i + 1] += factor.real() * from[i + 1] + factor.imag() * from[i];
    }
  }
  const double size = one_norm(factor);
  for (std::size_t i = 0; i < part[0].magnitudes.size(); ++i)
    to[0].magnitudes[index(at) + i] += size * part[0].magnitudes[i];
}

template <typename R>
std::complex<double> ShapedMatrix<R>::without_op(std::int64_t i, std::int64_t j) const {
  bool conjugates = false;
  if (shape != Shape::general && i != j && (i > j) != (uplo == Uplo::lower)) {
    if (shape == Shape::triangular) return 0;
    std::swap(i, j);
    conjugates = shape == Shape::hermitian;
  }
  if (shape == Shape::triangular && i == j && diag == Diag::unit) return 1;
  const R* const element = stored.row(i) + j * stored.parts;
  if (stored.parts == 1 || (shape == Shape::hermitian && i == j))
    return static_cast<double>(element[0]);
  const auto imaginary = static_cast<double>(element[1]);
  return {static_cast<double>(element[0]), conjugates ? -imaginary : imaginary};
}

template <typename R>
std::complex<double> ShapedMatrix<R>::at(std::int64_t i, std::int64_t j) const {
  if (op == Op::none) return without_op(i, j);
  const std::complex<double> value = without_op(j, i);
  return op == Op::conj_transpose ? std::conj(value) : value;
}

template <typename R>
TwoVectors ShapedMatrix<R>::times_general(const TwoVectors& v, const CheckThreads& threads) const {
  StoredMatrix<R> matrix = stored;
  matrix.conjugated = op == Op::conj_transpose;
  return op == Op::none ? duoblas::times(matrix, v, threads) : transpose_times(matrix, v, threads);
}

// A block of lines of what is stored: the part beside the diagonal block counts for the block's
// lines, or turned for the others, or for both.
template <typename R>
void ShapedMatrix<R>::add_lines(TwoVectors& result, const TwoVectors& v, std::int64_t first,
                                std::int64_t count) const {
  const std::int64_t size = stored.rows, end = first + count;
  const int parts = stored.parts;
  const bool is_whole = shape != Shape::triangular;
  const std::int64_t from = uplo == Uplo::lower ? 0 : end;
  const std::int64_t others = uplo == Uplo::lower ? first : size - end;
  ShapedMatrix beside{stored.rows_from(first, count).columns_from(from, others)};
  if (others > 0 && (is_whole || op == Op::none))
    add_to(result, first, beside.times(slice(v, from, others, parts)), parts);
  beside.op = shape == Shape::hermitian ? Op::conj_transpose : is_whole ? Op::transpose : op;
  if (others > 0 && beside.op != Op::none)
    add_to(result, from, beside.times(slice(v, first, count, parts)), parts);

  std::vector<R> square(index(count * count * parts));
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < count; ++j) {
      const std::complex<double> value = without_op(first + i, first + j);
      R* const element = &square[index((i * count + j) * parts)];
      element[0] = static_cast<R>(value.real());
      if (parts == 2) element[1] = static_cast<R>(value.imag());
    }
  ShapedMatrix diagonal{StoredMatrix<R>{square.data(), count, count, count, parts}};
  diagonal.op = op;
  add_to(result, first, diagonal.times(slice(v, first, count, parts)), parts);
}

template <typename R>
TwoVectors ShapedMatrix<R>::times(const TwoVectors& v, const CheckThreads& threads) const {
  if (shape == Shape::general) return times_general(v, threads);
  const std::int64_t size = stored.rows;
  const int shared_by = threads.for_bytes(stored.bytes());
  const DealtLines dealt{size, block_lines, shared_by};
  std::vector<TwoVectors> sums(static_cast<std::size_t>(shared_by),
                               two_zero_vectors(size, stored.parts));
  threads.each(shared_by, [&](std::int64_t piece) {
    dealt.of_piece(piece, [&](std::int64_t begin, std::int64_t end) {
      add_lines(sums[index(piece)], v, begin, end - begin);
    });
  });
  TwoVectors result = std::move(sums.front());
  for (std::size_t piece = 1; piece < sums.size(); ++piece)
    add_to(result, 0, sums[piece], stored.parts);
  return result;
}

template struct ShapedMatrix<float>;
template struct ShapedMatrix<double>;

}  // namespace duoblas
