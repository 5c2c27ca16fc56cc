#include "problem/problem_of_call.hpp"

#include <complex>

#include "problem/caller_gemm.hpp"
#include "problem/caller_gemv.hpp"

namespace duoblas {

Op op_of_value(int op) {
  return op == 113 ? Op::conj_transpose : op == 112 ? Op::transpose : Op::none;
}
Side side_of_value(int side) {
  return side == 142 ? Side::right : Side::left;
}
Uplo uplo_of_value(int uplo) {
  return uplo == 122 ? Uplo::lower : Uplo::upper;
}

Routine routine_of(int routine) {
  switch (routine) {
    case DUOBLAS_SYMM: return Routine::symm;
    case DUOBLAS_HEMM: return Routine::hemm;
    case DUOBLAS_SYRK: return Routine::syrk;
    case DUOBLAS_HERK: return Routine::herk;
    case DUOBLAS_SYR2K: return Routine::syr2k;
    case DUOBLAS_HER2K: return Routine::her2k;
    case DUOBLAS_TRMM: return Routine::trmm;
    default: return Routine::trsm;
  }
}

namespace {

template <typename Real>
std::complex<double> number(const void* at, bool complex) {
  const auto* parts = static_cast<const Real*>(at);
  return {static_cast<double>(parts[0]), complex ? static_cast<double>(parts[1]) : 0.0};
}

std::complex<double> scalar(const void* at, Precision precision, bool real) {
  if (at == nullptr) return 0.0;
  const bool complex = is_complex(precision) && !real;
  return is_double(precision) ? number<double>(at, complex) : number<float>(at, complex);
}

}  // namespace

GemmProblem gemm_problem(const duoblas_blas_call& call) {
  const auto precision = static_cast<Precision>(call.precision);
  CallerGemm caller;
  caller.layout = call.layout == 101 ? Layout::row_major : Layout::column_major;
  GemmProblem& p = caller.args;
  p.precision = precision;
  p.op_a = op_of_value(call.op_a);
  p.op_b = op_of_value(call.op_b);
  p.m = call.m;
  p.n = call.n;
  p.k = call.k;
  p.alpha = scalar(call.alpha, precision, false);
  p.a = call.a;
  p.lda = call.lda;
  p.b = call.b;
  p.ldb = call.ldb;
  p.beta = scalar(call.beta, precision, false);
  p.c = call.c;
  p.ldc = call.ldc;
  return to_row_major(caller);
}

GemvProblem gemv_problem(const duoblas_blas_call& call) {
  const auto precision = static_cast<Precision>(call.precision);
  return to_row_major({.layout = call.layout == 101 ? Layout::row_major : Layout::column_major,
                       .op = op_of_value(call.op_a),
                       .precision = precision,
                       .m = call.m,
                       .n = call.n,
                       .alpha = scalar(call.alpha, precision, false),
                       .a = call.a,
                       .lda = call.lda,
                       .x = call.x,
                       .incx = call.incx,
                       .beta = scalar(call.beta, precision, false),
                       .y = call.y,
                       .incy = call.incy});
}

// Row-major, a column-major product is that of B^T and A^T.
void keep_rows(duoblas_blas_call& call, const GemmProblem& rows) {
  const bool is_row_major = call.layout == 101;
  (is_row_major ? call.m : call.n) = rows.m;
  (is_row_major ? call.a : call.b) = rows.a;
  call.c = rows.c;
}

CallerLevel3 caller_level3(const duoblas_blas_call& call) {
  CallerLevel3 caller;
  caller.layout = call.layout == 101 ? Layout::row_major : Layout::column_major;
  Level3Problem& p = caller.args;
  p.routine = routine_of(call.routine);
  p.precision = static_cast<Precision>(call.precision);
  p.side = side_of_value(call.side);
  p.uplo = uplo_of_value(call.uplo);
  p.op = op_of_value(call.op_a);
  p.diag = call.diag == 132 ? Diag::unit : Diag::non_unit;
  p.m = updates_triangle(p.routine) ? call.n : call.m;
  p.n = call.n;
  p.k = call.k;
  p.alpha = scalar(call.alpha, p.precision, p.routine == Routine::herk);
  p.a = call.a;
  p.lda = call.lda;
  p.b = has_b(p.routine) ? call.b : nullptr;
  p.ldb = has_b(p.routine) ? call.ldb : 0;
  p.beta =
      scalar(call.beta, p.precision, p.routine == Routine::herk || p.routine == Routine::her2k);
  p.c = call.c;
  p.ldc = call.ldc;
  return caller;
}

}  // namespace duoblas
