#include "cpu/blas_functions.hpp"

#include <complex>

#include "os/dynamic_library.hpp"

namespace duoblas {
namespace {

constexpr int row_major = 101, column_major = 102;

int cblas_op(Op op, Precision precision) {
  if (op == Op::none) return 111;
  return op == Op::transpose || !is_complex(precision) ? 112 : 113;
}
int cblas_uplo(Uplo uplo) {
  return uplo == Uplo::upper ? 121 : 122;
}
int cblas_diag(Diag diag) {
  return diag == Diag::non_unit ? 131 : 132;
}
int cblas_side(Side side) {
  return side == Side::left ? 141 : 142;
}

// CBLAS takes real scalars by value, and complex ones by address.
template <typename Real>
struct ByValue {
  explicit ByValue(std::complex<double> x) : value(static_cast<Real>(x.real())) {}
  Real value;
};
template <typename Real>
struct ByAddress {
  explicit ByAddress(std::complex<double> x) : value(x) {}
  std::complex<Real> value;
};

// An argument as CBLAS takes it.
int passed(int value) {
  return value;
}
int passed(std::int64_t size) {
  return static_cast<int>(size);
}
const void* passed(const void* memory) {
  return memory;
}
void* passed(void* memory) {
  return memory;
}
template <typename Real>
Real passed(const ByValue<Real>& scalar) {
  return scalar.value;
}
template <typename Real>
const void* passed(const ByAddress<Real>& scalar) {
  return &scalar.value;
}

template <typename... Given>
void cblas(void* function, const Given&... given) {
  reinterpret_cast<void (*)(decltype(passed(given))...)>(function)(passed(given)...);
}

// Value: what a scalar of the matrices' type is; Real: a real one.
template <typename Value, typename Real>
void call_with(void* function, const GemmProblem& p) {
  cblas(function, row_major, cblas_op(p.op_a, p.precision), cblas_op(p.op_b, p.precision), p.m, p.n,
        p.k, Value(p.alpha), p.a, p.lda, p.b, p.ldb, Value(p.beta), p.c, p.ldc);
}

template <typename Value, typename Real>
void call_with(void* function, const Level3Problem& p) {
  const int side = cblas_side(p.side), uplo = cblas_uplo(p.uplo), diag = cblas_diag(p.diag);
  const int op = cblas_op(p.op, p.precision);
  switch (p.routine) {
    case Routine::symm:
    case Routine::hemm:
      return cblas(function, row_major, side, uplo, p.m, p.n, Value(p.alpha), p.a, p.lda, p.b,
                   p.ldb, Value(p.beta), p.c, p.ldc);
    case Routine::syrk:
      return cblas(function, row_major, uplo, op, p.n, p.k, Value(p.alpha), p.a, p.lda,
                   Value(p.beta), p.c, p.ldc);
    case Routine::herk:
      return cblas(function, row_major, uplo, op, p.n, p.k, Real(p.alpha), p.a, p.lda, Real(p.beta),
                   p.c, p.ldc);
    case Routine::syr2k:
      return cblas(function, row_major, uplo, op, p.n, p.k, Value(p.alpha), p.a, p.lda, p.b, p.ldb,
                   Value(p.beta), p.c, p.ldc);
    case Routine::her2k:
      return cblas(function, row_major, uplo, op, p.n, p.k, Value(p.alpha), p.a, p.lda, p.b, p.ldb,
                   Real(p.beta), p.c, p.ldc);
    case Routine::trmm:
    case Routine::trsm:
      return cblas(function, row_major, side, uplo, op, diag, p.m, p.n, Value(p.alpha), p.a, p.lda,
                   p.c, p.ldc);
  }
}

// CBLAS has no conjugation without transposition: that is the conjugate transpose of the matrix
// whose columns are these rows.
template <typename Value, typename Real>
void call_with(void* function, const GemvProblem& p) {
  const bool as_columns = p.conjugates && !p.transposes;
  const Op op = p.conjugates ? Op::conj_transpose : p.transposes ? Op::transpose : Op::none;
  cblas(function, as_columns ? column_major : row_major, cblas_op(op, p.precision),
        as_columns ? p.columns : p.rows, as_columns ? p.rows : p.columns, Value(p.alpha), p.a,
        p.lda, lowest_address(p.x, p.terms(), p.precision), p.x.increment, Value(p.beta),
        lowest_address(p.y, p.outputs(), p.precision), p.y.increment);
}

template <typename Problem>
void call_of_type(void* function, const Problem& p) {
  switch (p.precision) {
    case Precision::s: return call_with<ByValue<float>, ByValue<float>>(function, p);
    case Precision::d: return call_with<ByValue<double>, ByValue<double>>(function, p);
    case Precision::c: return call_with<ByAddress<float>, ByValue<float>>(function, p);
    case Precision::z: return call_with<ByAddress<double>, ByValue<double>>(function, p);
  }
}

std::string cblas_name(Precision precision, const std::string& routine) {
  return std::string("cblas_") + letter(precision) + routine;
}

template <typename AnyRoutine, typename Table>
void find_all(void* handle, Table& table) {
  for (std::size_t routine = 0; routine < table.size(); ++routine)
    for (const Precision precision : all_precisions)
      table[routine][precision_index(precision)] =
          blas_symbol(handle, function_name(static_cast<AnyRoutine>(routine), precision));
}

}  // namespace

void* blas_symbol(void* handle, const std::string& name) {
  void* const found = library_symbol(handle, name.c_str());
  return found != nullptr ? found : library_symbol(handle, ("scipy_" + name).c_str());
}

std::string function_name(Routine routine, Precision precision) {
  return cblas_name(precision, name(routine));
}

std::string function_name(VectorRoutine, Precision precision) {
  return cblas_name(precision, "gemv");
}

std::string function_name(LapackRoutine routine, Precision precision) {
  return name(routine, precision) + "_";
}

void BlasFunctions::find_in(void* handle) {
  for (const Precision precision : all_precisions) {
    gemm_[precision_index(precision)] = blas_symbol(handle, cblas_name(precision, "gemm"));
    gemv_[precision_index(precision)] = blas_symbol(handle, cblas_name(precision, "gemv"));
  }
  find_all<Routine>(handle, level3_);
  find_all<LapackRoutine>(handle, lapack_);
}

void BlasFunctions::call(const GemmProblem& p) const {
  call_of_type(gemm_[precision_index(p.precision)], p);
}
void BlasFunctions::call(const Level3Problem& p) const {
  call_of_type(function(routine_of(p), p.precision), p);
}
void BlasFunctions::call(const GemvProblem& p) const {
  call_of_type(function(routine_of(p), p.precision), p);
}

}  // namespace duoblas
