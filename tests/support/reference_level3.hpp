// syrk, symm, trmm, trsm and the rest of level 3 in higher precision, and how far a result may be
// from them.
#pragma once

#include <cmath>
#include <limits>

#include "problem/caller_level3.hpp"
#include "support/reference_gemm.hpp"

namespace duoblas::test {

/// A dense row-major matrix in the wider type.
template <typename T>
struct Dense {
  std::int64_t rows = 0, cols = 0;
  std::vector<Wide<T>> values;

  Dense(std::int64_t r, std::int64_t c)
      : rows(r), cols(c), values(static_cast<std::size_t>(r * c), Wide<T>(0)) {}
  Wide<T>& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * cols + j)];
  }
  const Wide<T>& at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * cols + j)];
  }
  long double norm() const { return frobenius(values); }
};

template <typename T>
Wide<T> conjugate(const Wide<T>& x) {
  if constexpr (is_complex_type<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

template <typename T>
Wide<T> real_part(const Wide<T>& x) {
  if constexpr (is_complex_type<T>) {
    return Wide<T>(x.real());
  } else {
    return x;
  }
}

template <typename T>
Wide<T> wide_scalar(const std::complex<double>& x) {
  if constexpr (is_complex_type<T>) {
    return Wide<T>(x);
  } else {
    return static_cast<Wide<T>>(x.real());
  }
}

template <typename T>
Dense<T> dense_of(const void* x, std::int64_t ld, Layout layout, Op op, std::int64_t rows,
                  std::int64_t cols) {
  Dense<T> dense(rows, cols);
  dense.values = dense_op(static_cast<const T*>(x), ld, layout, op, rows, cols);
  return dense;
}

template <typename T>
Dense<T> transposed(const Dense<T>& x, bool conjugated) {
  Dense<T> y(x.cols, x.rows);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      y.at(j, i) = conjugated ? conjugate<T>(x.at(i, j)) : x.at(i, j);
  return y;
}

/// Each element of x and y is the value of a T.
template <typename T>
Dense<T> times(const Dense<T>& x, const Dense<T>& y) {
  Dense<T> z(x.rows, y.cols);
  add_product<T>(x.values, y.values, static_cast<std::size_t>(x.rows),
                 static_cast<std::size_t>(y.cols), static_cast<std::size_t>(x.cols), z.values);
  return z;
}

inline bool is_stored(Uplo uplo, std::int64_t i, std::int64_t j) {
  return uplo == Uplo::upper ? j >= i : j <= i;
}

/// The whole of a symmetric, Hermitian or triangular A, op applied to a triangular one.
template <typename T>
Dense<T> whole_a(const CallerLevel3& call) {
  const Level3Problem& p = call.args;
  Dense<T> a = dense_of<T>(p.a, p.lda, call.layout, Op::none, order(p), order(p));
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.cols; ++j) {
      if (is_stored(p.uplo, i, j)) continue;
      a.at(i, j) = is_in_place(p.routine)    ? Wide<T>(0)
                   : is_hermitian(p.routine) ? conjugate<T>(a.at(j, i))
                                             : a.at(j, i);
    }
    if (is_hermitian(p.routine)) a.at(i, i) = real_part<T>(a.at(i, i));
    if (is_in_place(p.routine) && p.diag == Diag::unit) a.at(i, i) = Wide<T>(1);
  }
  if (!is_in_place(p.routine) || p.op == Op::none) return a;
  return transposed(a, p.op == Op::conj_transpose);
}

/// Made before a call: keeps what the call will read, and computes the right result from it.
template <typename T>
class Level3Reference {
 public:
  explicit Level3Reference(const CallerLevel3& call)
      : call_(call), c0_(result()), expected_(c0_.rows, c0_.cols) {
    const Level3Problem& p = call.args;
    if (p.beta != 0.0) allowed_ = 2 * static_cast<long double>(std::abs(p.beta)) * stored_norm(c0_);
    if (!p.empty() && !p.only_scales_c())
      updates_triangle(p.routine) ? add_rank_k() : add_product();
    add_scaled_c();
  }

  const Dense<T>& expected() const { return expected_; }

  /// The error of what is in C now, in units of what is allowed: right where below 1. For trsm that
  /// is the residual alpha B - op(A) X (Higham, Accuracy and Stability of Numerical Algorithms,
  /// theorem 8.5: at most k roundings of |A| |X|), else the distance to the product, as for gemm.
  double scaled_error() const {
    const Level3Problem& p = call_.args;
    const Dense<T> now = result();
    if (p.routine == Routine::trsm && !p.empty() && !p.only_scales_c()) return residual(now);
    Dense<T> difference = now;
    for (std::size_t at = 0; at < difference.values.size(); ++at)
      difference.values[at] -= expected_.values[at];
    return in_roundoffs(stored_norm(difference), allowed_);
  }

 private:
  Dense<T> result() const {
    const Level3Problem& p = call_.args;
    return dense_of<T>(p.c, p.ldc, call_.layout, Op::none, updates_triangle(p.routine) ? p.n : p.m,
                       p.n);
  }

  void add_product() {
    const Level3Problem& p = call_.args;
    const Dense<T> a = whole_a<T>(call_);
    const Dense<T> b =
        is_in_place(p.routine) ? c0_ : dense_of<T>(p.b, p.ldb, call_.layout, Op::none, p.m, p.n);
    add(p.side == Side::left ? times(a, b) : times(b, a), p.alpha);
    allow(a, b);
  }

  void add_rank_k() {
    const Level3Problem& p = call_.args;
    const Dense<T> a = dense_of<T>(p.a, p.lda, call_.layout, p.op, p.n, p.k);
    const bool hermitian = is_hermitian(p.routine);
    if (!is_rank_2k(p.routine)) {
      add(times(a, transposed(a, hermitian)), p.alpha);
      allow(a, a);
    } else {
      const Dense<T> b = dense_of<T>(p.b, p.ldb, call_.layout, p.op, p.n, p.k);
      add(times(a, transposed(b, hermitian)), p.alpha);
      add(times(b, transposed(a, hermitian)), hermitian ? std::conj(p.alpha) : p.alpha);
      allow(a, b);
      allow(b, a);
    }
  }

  void add(const Dense<T>& product, const std::complex<double>& alpha) {
    for (std::size_t at = 0; at < product.values.size(); ++at)
      expected_.values[at] += wide_scalar<T>(alpha) * product.values[at];
  }

  void allow(const Dense<T>& a, const Dense<T>& b) {
    const auto depth = static_cast<long double>(
        updates_triangle(call_.args.routine) ? call_.args.k : order(call_.args));
    allowed_ += std::sqrt(depth + 2) * static_cast<long double>(std::abs(call_.args.alpha)) *
                a.norm() * b.norm();
  }

  void add_scaled_c() {
    const Level3Problem& p = call_.args;
    if (p.beta == 0.0 || is_in_place(p.routine)) return;
    const bool real_diagonal = is_hermitian(p.routine) && updates_triangle(p.routine);
    for (std::int64_t i = 0; i < c0_.rows; ++i)
      for (std::int64_t j = 0; j < c0_.cols; ++j) {
        const bool real = real_diagonal && i == j && !p.changes_nothing();
        expected_.at(i, j) +=
            wide_scalar<T>(p.beta) * (real ? real_part<T>(c0_.at(i, j)) : c0_.at(i, j));
      }
  }

  long double stored_norm(Dense<T> x) const {
    if (updates_triangle(call_.args.routine))
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.cols; ++j)
          if (!is_stored(call_.args.uplo, i, j)) x.at(i, j) = Wide<T>(0);
    return x.norm();
  }

  double residual(const Dense<T>& x) const {
    const Level3Problem& p = call_.args;
    const Dense<T> a = whole_a<T>(call_);
    Dense<T> rest = p.side == Side::left ? times(a, x) : times(x, a);
    for (std::size_t at = 0; at < rest.values.size(); ++at)
      rest.values[at] -= wide_scalar<T>(p.alpha) * c0_.values[at];
    const auto depth = static_cast<long double>(order(p));
    return in_roundoffs(
        rest.norm(),
        depth * a.norm() * x.norm() + 2 * static_cast<long double>(std::abs(p.alpha)) * c0_.norm());
  }

  static double in_roundoffs(long double error, long double allowed) {
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    if (error == 0) return 0;
    const long double unit = std::numeric_limits<Real<T>>::epsilon() / 2;
    const long double factor = is_complex_type<T> ? 2 * std::sqrt(2.0L) : 1.0L;
    return static_cast<double>(error / (allowed * unit * factor));
  }

  CallerLevel3 call_;
  Dense<T> c0_;
  Dense<T> expected_;
  long double allowed_ = 0;
};

}  // namespace duoblas::test
