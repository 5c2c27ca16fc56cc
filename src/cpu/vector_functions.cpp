#include "cpu/vector_functions.hpp"

#include <cstdint>

#include <dlfcn.h>

#include "cpu/cblas_constants.hpp"
#include "cpu/cblas_scalar.hpp"

namespace duoblas {
namespace {

// Names for real and for complex types.
constexpr const char* names[vector_routine_count][2] = {
    {"gemv", "gemv"}, {"ger", "geru"}, {"ger", "gerc"}, {"axpy", "axpy"}};

int narrow(std::int64_t size) {
  return static_cast<int>(size);
}

// CBLAS has no conjugation without transposition: that is the conjugate transpose of the matrix
// whose columns are these rows.
template <typename Scalar>
void call_gemv(void* function, const GemvProblem& p) {
  using Gemv = void (*)(int, int, int, int, typename Scalar::Given, const void*, int, const void*,
                        int, typename Scalar::Given, void*, int);
  const bool as_columns = p.conjugates && !p.transposes;
  const Op op = p.conjugates ? Op::conj_transpose : p.transposes ? Op::transpose : Op::none;
  reinterpret_cast<Gemv>(function)(
      as_columns ? cblas_column_major : cblas_row_major, cblas_op(op, p.precision),
      narrow(as_columns ? p.columns : p.rows), narrow(as_columns ? p.rows : p.columns),
      Scalar(p.alpha).given(), p.a, narrow(p.lda), lowest_address(p.x, p.terms(), p.precision),
      narrow(p.x.increment), Scalar(p.beta).given(), lowest_address(p.y, p.outputs(), p.precision),
      narrow(p.y.increment));
}

// CBLAS conjugates the second vector: where that is x, A is the transpose of the matrix whose
// columns are these rows.
template <typename Scalar>
void call_ger(void* function, const GerProblem& p) {
  using Ger = void (*)(int, int, int, typename Scalar::Given, const void*, int, const void*, int,
                       void*, int);
  const bool as_columns = p.conjugates_x;
  const void* const x = lowest_address(p.x, p.rows, p.precision);
  const void* const y = lowest_address(p.y, p.columns, p.precision);
  const int rows = narrow(p.rows), columns = narrow(p.columns), incx = narrow(p.x.increment),
            incy = narrow(p.y.increment);
  const auto ger = reinterpret_cast<Ger>(function);
  const Scalar alpha(p.alpha);
  if (as_columns)
    ger(cblas_column_major, columns, rows, alpha.given(), y, incy, x, incx, p.a, narrow(p.lda));
  else
    ger(cblas_row_major, rows, columns, alpha.given(), x, incx, y, incy, p.a, narrow(p.lda));
}

template <typename Scalar>
void call_axpy(void* function, const AxpyProblem& p) {
  using Axpy = void (*)(int, typename Scalar::Given, const void*, int, void*, int);
  reinterpret_cast<Axpy>(function)(narrow(p.size), Scalar(p.alpha).given(),
                                   lowest_address(p.x, p.size, p.precision), narrow(p.x.increment),
                                   lowest_address(p.y, p.size, p.precision), narrow(p.y.increment));
}

}  // namespace

std::string VectorFunctions::name_of(VectorRoutine routine, Precision precision) {
  return std::string("cblas_") + letter(precision) +
         names[static_cast<std::size_t>(routine)][is_complex(precision)];
}

void VectorFunctions::find_in(void* handle) {
  for (std::size_t routine = 0; routine < vector_routine_count; ++routine)
    for (const Precision precision : all_precisions)
      functions_[routine][precision_index(precision)] =
          dlsym(handle, name_of(static_cast<VectorRoutine>(routine), precision).c_str());
}

void VectorFunctions::call(const GemvProblem& p) const {
  void* const found = function(routine_of(p), p.precision);
  switch (p.precision) {
    case Precision::s: return call_gemv<ByValue<float>>(found, p);
    case Precision::d: return call_gemv<ByValue<double>>(found, p);
    case Precision::c: return call_gemv<ByAddress<float>>(found, p);
    case Precision::z: return call_gemv<ByAddress<double>>(found, p);
  }
}

void VectorFunctions::call(const GerProblem& p) const {
  void* const found = function(routine_of(p), p.precision);
  switch (p.precision) {
    case Precision::s: return call_ger<ByValue<float>>(found, p);
    case Precision::d: return call_ger<ByValue<double>>(found, p);
    case Precision::c: return call_ger<ByAddress<float>>(found, p);
    case Precision::z: return call_ger<ByAddress<double>>(found, p);
  }
}

void VectorFunctions::call(const AxpyProblem& p) const {
  void* const found = function(routine_of(p), p.precision);
  switch (p.precision) {
    case Precision::s: return call_axpy<ByValue<float>>(found, p);
    case Precision::d: return call_axpy<ByValue<double>>(found, p);
    case Precision::c: return call_axpy<ByAddress<float>>(found, p);
    case Precision::z: return call_axpy<ByAddress<double>>(found, p);
  }
}

}  // namespace duoblas
