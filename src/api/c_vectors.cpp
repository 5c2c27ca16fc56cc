// The C functions of vectors.h.
#include <duoblas/duoblas.h>

#include <complex>

#include <duoblas/context.hpp>

#include "api/c_arguments.hpp"
#include "api/c_operand.hpp"
#include "api/c_status.hpp"

namespace {

using duoblas::Context;
using duoblas::guarded;
using duoblas::layout_of;
using duoblas::op_of;
using duoblas::scalar;

// A call of a C program. Scalars are given by their addresses, whatever their type; CBLAS does so
// with complex ones.
struct CGemv {
  duoblas_layout layout;
  duoblas_op op;
  int64_t m, n;
  const void* alpha;
  duoblas_operand a;
  const void* x;
  int64_t incx;
  const void* beta;
  void* y;
  int64_t incy;
};

template <typename T>
duoblas_status multiply(const CGemv& g) noexcept {
  return guarded([&] {
    Context::process_default().gemv(
        layout_of(g.layout), op_of(g.op), g.m, g.n, scalar<T>(g.alpha, 5, "alpha"),
        duoblas::operand_of<T>(g.a, 6, "a"), static_cast<const T*>(g.x), g.incx,
        scalar<T>(g.beta, 10, "beta"), static_cast<T*>(g.y), g.incy);
  });
}

struct CCopy {
  duoblas_layout layout;
  duoblas_op op;
  int64_t m, n;
  const void* a;
  int64_t lda;
  void* b;
  int64_t ldb;
};

template <typename T>
duoblas_status copy(const CCopy& c, const void* alpha) noexcept {
  return guarded([&] {
    Context::process_default().omatcopy(layout_of(c.layout), op_of(c.op), c.m, c.n,
                                        scalar<T>(alpha, 5, "alpha"), static_cast<const T*>(c.a),
                                        c.lda, static_cast<T*>(c.b), c.ldb);
  });
}

struct CGer {
  duoblas_layout layout;
  int64_t m, n;
  const void* x;
  int64_t incx;
  const void* y;
  int64_t incy;
  void* a;
  int64_t lda;
};

template <typename T>
duoblas_status add_outer_product(const CGer& g, const void* alpha, bool conjugates) noexcept {
  return guarded([&] {
    Context& context = Context::process_default();
    const auto ger = conjugates ? &Context::gerc<T> : &Context::ger<T>;
    (context.*ger)(layout_of(g.layout), g.m, g.n, scalar<T>(alpha, 4, "alpha"),
                   static_cast<const T*>(g.x), g.incx, static_cast<const T*>(g.y), g.incy,
                   static_cast<T*>(g.a), g.lda);
  });
}

template <typename T>
duoblas_status add_multiple(int64_t n, const void* alpha, const void* x, int64_t incx, void* y,
                            int64_t incy) noexcept {
  return guarded([&] {
    Context::process_default().axpy(n, scalar<T>(alpha, 2, "alpha"), static_cast<const T*>(x), incx,
                                    static_cast<T*>(y), incy);
  });
}

duoblas_operand plain(const void* a, int64_t lda) {
  return {a, lda, nullptr};
}

}  // namespace

extern "C" {

duoblas_status duoblas_sgemv(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                             float alpha, const float* a, int64_t lda, const float* x, int64_t incx,
                             float beta, float* y, int64_t incy) {
  return multiply<float>({layout, op, m, n, &alpha, plain(a, lda), x, incx, &beta, y, incy});
}

duoblas_status duoblas_sgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                      float alpha, duoblas_operand a, const float* x, int64_t incx,
                                      float beta, float* y, int64_t incy) {
  return multiply<float>({layout, op, m, n, &alpha, a, x, incx, &beta, y, incy});
}

duoblas_status duoblas_dgemv(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                             double alpha, const double* a, int64_t lda, const double* x,
                             int64_t incx, double beta, double* y, int64_t incy) {
  return multiply<double>({layout, op, m, n, &alpha, plain(a, lda), x, incx, &beta, y, incy});
}

duoblas_status duoblas_dgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                      double alpha, duoblas_operand a, const double* x,
                                      int64_t incx, double beta, double* y, int64_t incy) {
  return multiply<double>({layout, op, m, n, &alpha, a, x, incx, &beta, y, incy});
}

duoblas_status duoblas_cgemv(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, const void* x,
                             int64_t incx, const void* beta, void* y, int64_t incy) {
  return multiply<std::complex<float>>(
      {layout, op, m, n, alpha, plain(a, lda), x, incx, beta, y, incy});
}

duoblas_status duoblas_cgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                      const void* alpha, duoblas_operand a, const void* x,
                                      int64_t incx, const void* beta, void* y, int64_t incy) {
  return multiply<std::complex<float>>({layout, op, m, n, alpha, a, x, incx, beta, y, incy});
}

duoblas_status duoblas_zgemv(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                             const void* alpha, const void* a, int64_t lda, const void* x,
                             int64_t incx, const void* beta, void* y, int64_t incy) {
  return multiply<std::complex<double>>(
      {layout, op, m, n, alpha, plain(a, lda), x, incx, beta, y, incy});
}

duoblas_status duoblas_zgemv_prepared(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                      const void* alpha, duoblas_operand a, const void* x,
                                      int64_t incx, const void* beta, void* y, int64_t incy) {
  return multiply<std::complex<double>>({layout, op, m, n, alpha, a, x, incx, beta, y, incy});
}

duoblas_status duoblas_somatcopy(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                 float alpha, const float* a, int64_t lda, float* b, int64_t ldb) {
  return copy<float>({layout, op, m, n, a, lda, b, ldb}, &alpha);
}

duoblas_status duoblas_domatcopy(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                 double alpha, const double* a, int64_t lda, double* b,
                                 int64_t ldb) {
  return copy<double>({layout, op, m, n, a, lda, b, ldb}, &alpha);
}

duoblas_status duoblas_comatcopy(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                 const void* alpha, const void* a, int64_t lda, void* b,
                                 int64_t ldb) {
  return copy<std::complex<float>>({layout, op, m, n, a, lda, b, ldb}, alpha);
}

duoblas_status duoblas_zomatcopy(duoblas_layout layout, duoblas_op op, int64_t m, int64_t n,
                                 const void* alpha, const void* a, int64_t lda, void* b,
                                 int64_t ldb) {
  return copy<std::complex<double>>({layout, op, m, n, a, lda, b, ldb}, alpha);
}

duoblas_status duoblas_sger(duoblas_layout layout, int64_t m, int64_t n, float alpha,
                            const float* x, int64_t incx, const float* y, int64_t incy, float* a,
                            int64_t lda) {
  return add_outer_product<float>({layout, m, n, x, incx, y, incy, a, lda}, &alpha, false);
}

duoblas_status duoblas_dger(duoblas_layout layout, int64_t m, int64_t n, double alpha,
                            const double* x, int64_t incx, const double* y, int64_t incy, double* a,
                            int64_t lda) {
  return add_outer_product<double>({layout, m, n, x, incx, y, incy, a, lda}, &alpha, false);
}

duoblas_status duoblas_cgeru(duoblas_layout layout, int64_t m, int64_t n, const void* alpha,
                             const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                             int64_t lda) {
  return add_outer_product<std::complex<float>>({layout, m, n, x, incx, y, incy, a, lda}, alpha,
                                                false);
}

duoblas_status duoblas_zgeru(duoblas_layout layout, int64_t m, int64_t n, const void* alpha,
                             const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                             int64_t lda) {
  return add_outer_product<std::complex<double>>({layout, m, n, x, incx, y, incy, a, lda}, alpha,
                                                 false);
}

duoblas_status duoblas_cgerc(duoblas_layout layout, int64_t m, int64_t n, const void* alpha,
                             const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                             int64_t lda) {
  return add_outer_product<std::complex<float>>({layout, m, n, x, incx, y, incy, a, lda}, alpha,
                                                true);
}

duoblas_status duoblas_zgerc(duoblas_layout layout, int64_t m, int64_t n, const void* alpha,
                             const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                             int64_t lda) {
  return add_outer_product<std::complex<double>>({layout, m, n, x, incx, y, incy, a, lda}, alpha,
                                                 true);
}

duoblas_status duoblas_saxpy(int64_t n, float alpha, const float* x, int64_t incx, float* y,
                             int64_t incy) {
  return add_multiple<float>(n, &alpha, x, incx, y, incy);
}

duoblas_status duoblas_daxpy(int64_t n, double alpha, const double* x, int64_t incx, double* y,
                             int64_t incy) {
  return add_multiple<double>(n, &alpha, x, incx, y, incy);
}

duoblas_status duoblas_caxpy(int64_t n, const void* alpha, const void* x, int64_t incx, void* y,
                             int64_t incy) {
  return add_multiple<std::complex<float>>(n, alpha, x, incx, y, incy);
}

duoblas_status duoblas_zaxpy(int64_t n, const void* alpha, const void* x, int64_t incx, void* y,
                             int64_t incy) {
  return add_multiple<std::complex<double>>(n, alpha, x, incx, y, incy);
}

}  // extern "C"
