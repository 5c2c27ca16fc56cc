// Row-major problems by plain loops, in the element type: stands in for both sides.
#pragma once

#include <variant>

#include "problem/gemm_problem.hpp"
#include "problem/halving.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {

template <typename T>
T plain_scalar(const std::complex<double>& x) {
  if constexpr (is_complex_type<T>) {
    return T(x);
  } else {
    return static_cast<T>(x.real());
  }
}

template <typename T>
T element_of(const void* x, std::int64_t ld, Op op, std::int64_t i, std::int64_t j) {
  const T value = static_cast<const T*>(x)[op == Op::none ? i * ld + j : j * ld + i];
  if constexpr (is_complex_type<T>) {
    if (op == Op::conj_transpose) return std::conj(value);
  }
  return value;
}

template <typename T>
void plain_gemm(const GemmProblem& p) {
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      T sum(0);
      for (std::int64_t l = 0; l < p.k; ++l)
        sum += element_of<T>(p.a, p.lda, p.op_a, i, l) * element_of<T>(p.b, p.ldb, p.op_b, l, j);
      T& c = static_cast<T*>(p.c)[i * p.ldc + j];
      c = plain_scalar<T>(p.alpha) * sum + (p.overwrites_c() ? T(0) : plain_scalar<T>(p.beta) * c);
    }
}

/// Solves a triangular system by substitution, one right-hand side after the other. Computes the
/// other routines by the reference.
template <typename T>
void plain_level3(const Level3Problem& p) {
  const CallerLevel3 call{Layout::row_major, p};
  auto* const c = static_cast<T*>(p.c);
  if (p.routine != Routine::trsm) {
    const Level3Reference<T> reference(call);
    const bool triangle = updates_triangle(p.routine);
    for (std::int64_t i = 0; i < stored_c(p).rows; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) {
        if (triangle && !is_stored(p.uplo, i, j)) continue;
        T value = static_cast<T>(reference.expected().at(i, j));
        // Real as a BLAS leaves it: fused multiply-adds leave a rounding error.
        if constexpr (is_complex_type<T>)
          if (triangle && is_hermitian(p.routine) && i == j) value = T(value.real());
        c[i * p.ldc + j] = value;
      }
    return;
  }
  const Dense<T> a = whole_a<T>(call);
  const bool left = p.side == Side::left;
  const bool upper = (p.uplo == Uplo::upper) == (p.op == Op::none);
  const std::int64_t n = order(p);
  const auto x = [&](std::int64_t at, std::int64_t rhs) -> T& {
    return left ? c[at * p.ldc + rhs] : c[rhs * p.ldc + at];
  };
  for (std::int64_t rhs = 0; rhs < free_extent(p); ++rhs)
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t at = upper == left ? n - 1 - step : step;
      T value = plain_scalar<T>(p.alpha) * x(at, rhs);
      for (std::int64_t l = 0; l < n; ++l) {
        const T factor = static_cast<T>(left ? a.at(at, l) : a.at(l, at));
        if (l != at && factor != T(0)) value -= factor * x(l, rhs);
      }
      x(at, rhs) = value / static_cast<T>(a.at(at, at));
    }
}

/// A step of a level-3 call.
template <typename T>
void plain_step(const Step& step) {
  if (const auto* product = std::get_if<GemmProblem>(&step))
    plain_gemm<T>(*product);
  else
    plain_level3<T>(std::get<Level3Problem>(step));
}

}  // namespace duoblas::test
