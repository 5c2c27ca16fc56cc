// One call of syrk, symm, trmm, trsm or the rest of level 3 as a test case: made from factors, run,
// checked whole.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>

#include "support/gemm_case.hpp"
#include "support/reference_level3.hpp"

namespace duoblas::test {

inline constexpr Routine all_routines[] = {Routine::symm, Routine::hemm,  Routine::syrk,
                                           Routine::herk, Routine::syr2k, Routine::her2k,
                                           Routine::trmm, Routine::trsm};

struct Level3Factors {
  Routine routine = Routine::symm;
  Layout layout = Layout::row_major;
  Side side = Side::left;
  Uplo uplo = Uplo::upper;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
  std::int64_t order = 1;  ///< of the triangular, symmetric or Hermitian matrix
  std::int64_t free = 1;   ///< the other extent: right-hand sides, or k
  std::int64_t pad = 0, offset = 0;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 1;
};

inline std::string text(const Level3Factors& f) {
  std::ostringstream out;
  out << name(f.routine) << (f.layout == Layout::row_major ? " row" : " column") << "-major "
      << (f.side == Side::left ? "left " : "right ")
      << (f.uplo == Uplo::upper ? "upper " : "lower ") << letter(f.op)
      << (f.diag == Diag::unit ? " unit" : "") << " order=" << f.order << " free=" << f.free
      << " pad=" << f.pad << " offset=" << f.offset << " alpha=" << f.alpha << " beta=" << f.beta;
  return out.str();
}

/// Whether BLAS has this routine, with this op, for this element type.
template <typename T>
bool exists(const Level3Factors& f) {
  if (!is_complex_type<T>) return !is_hermitian(f.routine);
  if (!updates_triangle(f.routine)) return true;
  return f.op != (is_hermitian(f.routine) ? Op::transpose : Op::conj_transpose);
}

using Level3Front = std::function<void(const CallerLevel3&)>;

/// The matrices of a case, in the caller's storage.
template <typename T>
class Level3Matrices {
 public:
  explicit Level3Matrices(const Level3Factors& f)
      : a(of(f, stored_a(shape(f)))), b(of(f, stored_b(shape(f)))), c(of(f, stored_c(shape(f)))) {
    a.randomise(f.seed);
    b.randomise(f.seed + 1);
    c.randomise(f.seed + 2);
    if (!updates_triangle(f.routine)) prepare_triangle(f);
    if (f.alpha == 0) {
      a.fill(nan_value<T>);
      b.fill(nan_value<T>);
    }
    if (is_in_place(f.routine) ? f.alpha == 0 : f.beta == 0) forget_c(f);
  }

  CallerLevel3 call(const Level3Factors& f) {
    CallerLevel3 call{f.layout, shape(f)};
    Level3Problem& p = call.args;
    p.precision = precision_of<T>;
    p.a = a.data();
    p.lda = a.ld();
    if (has_b(f.routine)) {
      p.b = b.data();
      p.ldb = b.ld();
    }
    p.c = c.data();
    p.ldc = c.ld();
    const auto general = [](double x) { return x != 0 && x != 1; };
    const auto exact = [](double x) { return static_cast<double>(static_cast<Real<T>>(x)); };
    p.alpha = exact(f.alpha);
    p.beta = is_in_place(f.routine) ? 0.0 : exact(f.beta);
    if (is_complex_type<T> && general(f.alpha) && f.routine != Routine::herk)
      p.alpha += std::complex<double>(0, exact(0.3));
    if (is_complex_type<T> && general(p.beta.real()) && f.routine != Routine::herk &&
        f.routine != Routine::her2k)
      p.beta -= std::complex<double>(0, exact(0.4));
    return call;
  }

  /// Whether element (line, i) of the memory of a triangle's matrix is stored.
  static bool in_triangle(const Level3Factors& f, std::int64_t line, std::int64_t i) {
    return f.layout == Layout::row_major ? is_stored(f.uplo, line, i) : is_stored(f.uplo, i, line);
  }

  TestMatrix<T> a, b, c;

 private:
  static Level3Problem shape(const Level3Factors& f) {
    Level3Problem p;
    p.routine = f.routine;
    p.side = f.side;
    p.uplo = f.uplo;
    p.op = f.op;
    p.diag = f.diag;
    if (updates_triangle(f.routine)) {
      p.m = p.n = f.order;
      p.k = f.free;
    } else {
      p.m = f.side == Side::left ? f.order : f.free;
      p.n = f.side == Side::left ? f.free : f.order;
    }
    return p;
  }

  static TestMatrix<T> of(const Level3Factors& f, StoredShape s) {
    const bool rows = f.layout == Layout::row_major;
    return TestMatrix<T>(rows ? s.rows : s.cols, rows ? s.cols : s.rows, f.pad, f.offset);
  }

  // What is not stored is NaN, so that reading it shows. Triangular matrices are such that solving
  // does not make numbers grow.
  void prepare_triangle(const Level3Factors& f) {
    const auto damping =
        static_cast<Real<T>>(1.0 / static_cast<double>(std::max<std::int64_t>(1, f.order)));
    for (std::int64_t line = 0; line < a.lines(); ++line)
      for (std::int64_t i = 0; i < a.length(); ++i) {
        T& x = a.at(line, i);
        if (is_in_place(f.routine)) x = line == i ? x * Real<T>(0.5) + T(Real<T>(2)) : x * damping;
        if (!in_triangle(f, line, i)) x = nan_value<T>();
        if (line != i) continue;
        if (is_in_place(f.routine) && f.diag == Diag::unit) x = nan_value<T>();
        if constexpr (is_complex_type<T>)
          if (is_hermitian(f.routine)) x = T(x.real(), nan_value<T>().imag());
      }
  }

  // C's stored elements are NaN where they must not be read; the others keep their values.
  void forget_c(const Level3Factors& f) {
    for (std::int64_t line = 0; line < c.lines(); ++line)
      for (std::int64_t i = 0; i < c.length(); ++i)
        if (!updates_triangle(f.routine) || in_triangle(f, line, i)) c.at(line, i) = nan_value<T>();
  }
};

template <typename T>
bool same_bits(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

/// Makes the operands, runs the front, and expects: the error within the bound, everything outside
/// the result untouched (the other triangle of C included), A and B unchanged, and a real diagonal
/// where the result is Hermitian.
template <typename T>
void expect_right(const Level3Factors& f, const Level3Front& front) {
  SCOPED_TRACE(text(f));
  Level3Matrices<T> matrices(f);
  const Level3Matrices<T> before = matrices;
  const CallerLevel3 call = matrices.call(f);
  const Level3Reference<T> reference(call);
  front(call);

  EXPECT_LT(reference.scaled_error(), 1.0);
  const auto& c = matrices.c;
  EXPECT_TRUE(c.guards_untouched()) << "written outside C";
  EXPECT_TRUE(matrices.a.guards_untouched() && matrices.b.guards_untouched());
  const auto unchanged = [](const TestMatrix<T>& x, const TestMatrix<T>& y) {
    for (std::int64_t line = 0; line < x.lines(); ++line)
      for (std::int64_t i = 0; i < x.length(); ++i)
        if (!same_bits(x.at(line, i), y.at(line, i))) return false;
    return true;
  };
  EXPECT_TRUE(unchanged(matrices.a, before.a)) << "A was changed";
  EXPECT_TRUE(unchanged(matrices.b, before.b)) << "B was changed";
  if (!updates_triangle(f.routine)) return;
  bool others_kept = true, diagonal_is_real = true;
  for (std::int64_t line = 0; line < c.lines(); ++line) {
    for (std::int64_t i = 0; i < c.length(); ++i)
      if (!Level3Matrices<T>::in_triangle(f, line, i))
        others_kept &= same_bits(c.at(line, i), before.c.at(line, i));
    if constexpr (is_complex_type<T>) diagonal_is_real &= c.at(line, line).imag() == 0;
  }
  EXPECT_TRUE(others_kept) << "the other triangle was written";
  if (is_hermitian(f.routine) && !call.args.changes_nothing()) {
    EXPECT_TRUE(diagonal_is_real);
  }
}

}  // namespace duoblas::test
