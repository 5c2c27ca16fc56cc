#include "cpu/matrix_copy.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "cpu/workers.hpp"

namespace duoblas {
namespace {

// A block's rows of A and of B fit the first-level cache together, whole lines of 64 bytes each.
constexpr std::int64_t block = 16;
// What a thread is given at a time: rows of B that its second-level cache holds with A's lines.
constexpr std::int64_t least_shared_bytes = 1 << 20;

// Complex products are written out as BLAS defines them: std::complex's own repairs infinities.
template <typename E>
struct Scaled {
  E alpha;
  bool conjugates;

  E operator()(E x) const {
    if constexpr (std::is_arithmetic_v<E>) {
      return alpha * x;
    } else {
      const auto im = conjugates ? -x.imag() : x.imag();
      return {alpha.real() * x.real() - alpha.imag() * im,
              alpha.real() * im + alpha.imag() * x.real()};
    }
  }
};

struct AsItIs {
  template <typename E>
  E operator()(E x) const {
    return x;
  }
};

template <typename E, typename Value>
void copy_rows(const CopyProblem& p, std::int64_t begin, std::int64_t end, const Value& value) {
  const E* a = static_cast<const E*>(p.a);
  E* b = static_cast<E*>(p.b);
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j) b[i * p.ldb + j] = value(a[i * p.lda + j]);
}

template <typename E, typename Value>
void transpose_block(const CopyProblem& p, std::int64_t row, std::int64_t column,
                     const Value& value) {
  const std::int64_t rows = std::min(block, p.rows - row);
  const std::int64_t columns = std::min(block, p.columns - column);
  const E* a = static_cast<const E*>(p.a) + column * p.lda + row;
  E* b = static_cast<E*>(p.b) + row * p.ldb + column;
  E lines[block][block];
  if (rows == block && columns == block) {
    for (std::int64_t j = 0; j < block; ++j) std::memcpy(lines[j], a + j * p.lda, sizeof lines[j]);
    for (std::int64_t i = 0; i < block; ++i)
      for (std::int64_t j = 0; j < block; ++j) b[i * p.ldb + j] = value(lines[j][i]);
    return;
  }
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) b[i * p.ldb + j] = value(a[j * p.lda + i]);
}

template <typename E, typename Value>
void transpose_rows(const CopyProblem& p, std::int64_t begin, std::int64_t end,
                    const Value& value) {
  for (std::int64_t row = begin; row < end; row += block)
    for (std::int64_t column = 0; column < p.columns; column += block) {
      CopyProblem part = p;
      part.rows = end;
      transpose_block<E>(part, row, column, value);
    }
}

template <typename E, typename Value>
void run(const CopyProblem& p, int threads, const Value& value) {
  const std::int64_t units = p.transposes ? (p.rows + block - 1) / block : p.rows;
  const auto of_units = [&](std::int64_t begin, std::int64_t end) {
    if (p.transposes)
      transpose_rows<E>(p, begin * block, std::min(end * block, p.rows), value);
    else
      copy_rows<E>(p, begin, end, value);
  };
  if (p.rows * p.columns * static_cast<std::int64_t>(sizeof(E)) < least_shared_bytes)
    of_units(0, units);
  else
    parallel_for(units, of_units, threads);
}

template <typename E>
void run(const CopyProblem& p, int threads) {
  const std::complex<double> alpha = p.alpha;
  if (alpha == 0.0) {
    E* b = static_cast<E*>(p.b);
    for (std::int64_t i = 0; i < p.rows; ++i) std::fill_n(b + i * p.ldb, p.columns, E(0));
  } else if (alpha == 1.0 && !p.conjugates) {
    run<E>(p, threads, AsItIs{});
  } else {
    E scale;
    if constexpr (std::is_arithmetic_v<E>)
      scale = static_cast<E>(alpha.real());
    else
      scale = E(alpha);
    run<E>(p, threads, Scaled<E>{scale, p.conjugates});
  }
}

}  // namespace

void copy_matrix(const CopyProblem& p, int threads) {
  if (p.empty()) return;
  switch (p.precision) {
    case Precision::s: return run<float>(p, threads);
    case Precision::d: return run<double>(p, threads);
    case Precision::c: return run<std::complex<float>>(p, threads);
    case Precision::z: return run<std::complex<double>>(p, threads);
  }
}

}  // namespace duoblas
