#include "soak/routine_call.hpp"

#include <type_traits>

namespace duoblas::soak {
namespace {

template <typename T>
T scalar_of(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.real());
  else
    return T(x);
}

template <typename T>
void run_gemm(Context& context, const SoakCall& s, GivenMatrix<const T> a, GivenMatrix<const T> b,
              GivenMatrix<T> c) {
  const T alpha = scalar_of<T>(s.alpha), beta = scalar_of<T>(s.beta);
  if (s.entry_point == EntryPoint::plain) {
    context.gemm(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a.data, a.ld, b.data, b.ld, beta,
                 c.data, c.ld);
    return;
  }
  if (s.entry_point == EntryPoint::job) {
    Job job = context.gemm_async(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, alpha, a.data, a.ld,
                                 b.data, b.ld, beta, c.data, c.ld);
    job.wait();
    return;
  }
  Prepared<T> prepared_a, prepared_b;
  Operand<T> first(a.data, a.ld), second(b.data, b.ld);
  if (s.entry_point != EntryPoint::prepared_b) {
    const StoredShape shape = s.stored(0);
    prepared_a = context.prepare(s.layout, shape.rows, shape.cols, a.data, a.ld);
    first = Operand<T>(prepared_a);
  }
  if (s.entry_point != EntryPoint::prepared_a) {
    const StoredShape shape = s.stored(1);
    prepared_b = context.prepare(s.layout, shape.rows, shape.cols, b.data, b.ld);
    second = Operand<T>(prepared_b);
  }
  context.gemm<T>(s.layout, s.op_a, s.op_b, s.m, s.n, s.k, alpha, first, second, beta, c.data,
                  c.ld);
}

template <typename T>
void run_hermitian(Context& context, const SoakCall& s, GivenMatrix<const T> a,
                   GivenMatrix<const T> b, GivenMatrix<T> c) {
  const T alpha = scalar_of<T>(s.alpha), beta = scalar_of<T>(s.beta);
  if (s.routine == Routine::hemm)
    context.hemm(s.layout, s.side, s.uplo, s.m, s.n, alpha, a.data, a.ld, b.data, b.ld, beta,
                 c.data, c.ld);
  else if (s.routine == Routine::herk)
    context.herk(s.layout, s.uplo, s.op_a, s.n, s.k, alpha.real(), a.data, a.ld, beta.real(),
                 c.data, c.ld);
  else
    context.her2k(s.layout, s.uplo, s.op_a, s.n, s.k, alpha, a.data, a.ld, b.data, b.ld,
                  beta.real(), c.data, c.ld);
}

}  // namespace

template <typename T>
void run_routine(Context& context, const SoakCall& s, GivenMatrix<const T> a,
                 GivenMatrix<const T> b, GivenMatrix<T> c) {
  if (!s.routine) return run_gemm(context, s, a, b, c);
  const T alpha = scalar_of<T>(s.alpha), beta = scalar_of<T>(s.beta);
  if (is_hermitian(*s.routine)) {
    if constexpr (!std::is_floating_point_v<T>) run_hermitian(context, s, a, b, c);
    return;
  }
  switch (*s.routine) {
    case Routine::symm:
      return context.symm(s.layout, s.side, s.uplo, s.m, s.n, alpha, a.data, a.ld, b.data, b.ld,
                          beta, c.data, c.ld);
    case Routine::syrk:
      return context.syrk(s.layout, s.uplo, s.op_a, s.n, s.k, alpha, a.data, a.ld, beta, c.data,
                          c.ld);
    case Routine::syr2k:
      return context.syr2k(s.layout, s.uplo, s.op_a, s.n, s.k, alpha, a.data, a.ld, b.data, b.ld,
                           beta, c.data, c.ld);
    case Routine::trmm:
      return context.trmm(s.layout, s.side, s.uplo, s.op_a, s.diag, s.m, s.n, alpha, a.data, a.ld,
                          c.data, c.ld);
    default:
      return context.trsm(s.layout, s.side, s.uplo, s.op_a, s.diag, s.m, s.n, alpha, a.data, a.ld,
                          c.data, c.ld);
  }
}

#define DUOBLAS_SOAK_OF(T)                                                      \
  template void run_routine<T>(Context&, const SoakCall&, GivenMatrix<const T>, \
                               GivenMatrix<const T>, GivenMatrix<T>)
DUOBLAS_SOAK_OF(float);
DUOBLAS_SOAK_OF(double);
DUOBLAS_SOAK_OF(std::complex<float>);
DUOBLAS_SOAK_OF(std::complex<double>);
#undef DUOBLAS_SOAK_OF

}  // namespace duoblas::soak
