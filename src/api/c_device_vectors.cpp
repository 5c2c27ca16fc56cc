// The C functions of opencl.h for routines that memory bounds.
#include <duoblas/opencl.h>

#include <complex>

#include <duoblas/opencl.hpp>

#include "api/c_arguments.hpp"
#include "api/c_device_blas.hpp"
#include "api/c_status.hpp"

namespace {

using duoblas::DeviceBlas;
using duoblas::events_of;
using duoblas::given;
using duoblas::guarded;
using duoblas::layout_of;
using duoblas::matrix_of;
using duoblas::op_of;
using duoblas::scalar;

struct CQueue {
  duoblas_device_blas* blas;
  const duoblas_device_events* events;
};

duoblas::DeviceVector vector_of(const duoblas_device_vector& given) {
  return {given.buffer, given.offset, given.increment};
}

// Scalars are given by their addresses, whatever their type.
struct CGemv {
  duoblas_layout layout;
  duoblas_op op;
  int64_t m, n;
  const void* alpha;
  duoblas_device_matrix a;
  duoblas_device_vector x;
  const void* beta;
  duoblas_device_vector y;
};

template <typename T>
duoblas_status multiply(const CQueue& on, const CGemv& g) noexcept {
  return guarded([&] {
    DeviceBlas& blas = given(on.blas);
    blas.gemv<T>(layout_of(g.layout), op_of(g.op), g.m, g.n, scalar<T>(g.alpha, 5, "alpha"),
                 matrix_of(g.a), vector_of(g.x), scalar<T>(g.beta, 10, "beta"), vector_of(g.y),
                 events_of(on.events, 13));
  });
}

struct CSizes {
  duoblas_layout layout;
  duoblas_op op;
  int64_t m, n, incx;
};

template <typename T>
duoblas_status workspace(duoblas_device_blas* blas, const CSizes& s, int64_t* bytes) noexcept {
  return guarded([&] {
    const DeviceBlas& asked = given(blas);
    if (bytes == nullptr) throw duoblas::ArgumentError(6, "bytes", "is a null pointer");
    *bytes = asked.gemv_workspace_bytes<T>(layout_of(s.layout), op_of(s.op), s.m, s.n, s.incx);
  });
}

struct CGer {
  duoblas_layout layout;
  int64_t m, n;
  const void* alpha;
  duoblas_device_vector x, y;
  duoblas_device_matrix a;
};

template <typename T>
duoblas_status add_outer_product(const CQueue& on, const CGer& g, bool conjugates) noexcept {
  return guarded([&] {
    DeviceBlas& blas = given(on.blas);
    const auto ger = conjugates ? &DeviceBlas::gerc<T> : &DeviceBlas::ger<T>;
    (blas.*ger)(layout_of(g.layout), g.m, g.n, scalar<T>(g.alpha, 4, "alpha"), vector_of(g.x),
                vector_of(g.y), matrix_of(g.a), events_of(on.events, 11));
  });
}

template <typename T>
duoblas_status add_multiple(const CQueue& on, int64_t n, const void* alpha,
                            const duoblas_device_vector& x,
                            const duoblas_device_vector& y) noexcept {
  return guarded([&] {
    given(on.blas).axpy<T>(n, scalar<T>(alpha, 2, "alpha"), vector_of(x), vector_of(y),
                           events_of(on.events, 7));
  });
}

struct CCopy {
  duoblas_layout layout;
  duoblas_op op;
  int64_t m, n;
  const void* alpha;
  duoblas_device_matrix a, b;
};

template <typename T>
duoblas_status copy(const CQueue& on, const CCopy& c) noexcept {
  return guarded([&] {
    given(on.blas).omatcopy<T>(layout_of(c.layout), op_of(c.op), c.m, c.n,
                               scalar<T>(c.alpha, 5, "alpha"), matrix_of(c.a), matrix_of(c.b),
                               events_of(on.events, 10));
  });
}

}  // namespace

extern "C" {

duoblas_status duoblas_device_sgemv(duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op,
                                    int64_t m, int64_t n, float alpha, duoblas_device_matrix a,
                                    duoblas_device_vector x, float beta, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return multiply<float>({blas, events}, {layout, op, m, n, &alpha, a, x, &beta, y});
}

duoblas_status duoblas_device_dgemv(duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op,
                                    int64_t m, int64_t n, double alpha, duoblas_device_matrix a,
                                    duoblas_device_vector x, double beta, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return multiply<double>({blas, events}, {layout, op, m, n, &alpha, a, x, &beta, y});
}

duoblas_status duoblas_device_cgemv(duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op,
                                    int64_t m, int64_t n, const void* alpha,
                                    duoblas_device_matrix a, duoblas_device_vector x,
                                    const void* beta, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return multiply<std::complex<float>>({blas, events}, {layout, op, m, n, alpha, a, x, beta, y});
}

duoblas_status duoblas_device_zgemv(duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op,
                                    int64_t m, int64_t n, const void* alpha,
                                    duoblas_device_matrix a, duoblas_device_vector x,
                                    const void* beta, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return multiply<std::complex<double>>({blas, events}, {layout, op, m, n, alpha, a, x, beta, y});
}

duoblas_status duoblas_device_sgemv_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op, int64_t m, int64_t n, int64_t incx,
                                              int64_t* bytes) {
  return workspace<float>(blas, {layout, op, m, n, incx}, bytes);
}

duoblas_status duoblas_device_dgemv_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op, int64_t m, int64_t n, int64_t incx,
                                              int64_t* bytes) {
  return workspace<double>(blas, {layout, op, m, n, incx}, bytes);
}

duoblas_status duoblas_device_cgemv_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op, int64_t m, int64_t n, int64_t incx,
                                              int64_t* bytes) {
  return workspace<std::complex<float>>(blas, {layout, op, m, n, incx}, bytes);
}

duoblas_status duoblas_device_zgemv_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op, int64_t m, int64_t n, int64_t incx,
                                              int64_t* bytes) {
  return workspace<std::complex<double>>(blas, {layout, op, m, n, incx}, bytes);
}

duoblas_status duoblas_device_sger(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                   int64_t n, float alpha, duoblas_device_vector x,
                                   duoblas_device_vector y, duoblas_device_matrix a,
                                   const duoblas_device_events* events) {
  return add_outer_product<float>({blas, events}, {layout, m, n, &alpha, x, y, a}, false);
}

duoblas_status duoblas_device_dger(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                   int64_t n, double alpha, duoblas_device_vector x,
                                   duoblas_device_vector y, duoblas_device_matrix a,
                                   const duoblas_device_events* events) {
  return add_outer_product<double>({blas, events}, {layout, m, n, &alpha, x, y, a}, false);
}

duoblas_status duoblas_device_cgeru(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                    int64_t n, const void* alpha, duoblas_device_vector x,
                                    duoblas_device_vector y, duoblas_device_matrix a,
                                    const duoblas_device_events* events) {
  return add_outer_product<std::complex<float>>({blas, events}, {layout, m, n, alpha, x, y, a},
                                                false);
}

duoblas_status duoblas_device_zgeru(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                    int64_t n, const void* alpha, duoblas_device_vector x,
                                    duoblas_device_vector y, duoblas_device_matrix a,
                                    const duoblas_device_events* events) {
  return add_outer_product<std::complex<double>>({blas, events}, {layout, m, n, alpha, x, y, a},
                                                 false);
}

duoblas_status duoblas_device_cgerc(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                    int64_t n, const void* alpha, duoblas_device_vector x,
                                    duoblas_device_vector y, duoblas_device_matrix a,
                                    const duoblas_device_events* events) {
  return add_outer_product<std::complex<float>>({blas, events}, {layout, m, n, alpha, x, y, a},
                                                true);
}

duoblas_status duoblas_device_zgerc(duoblas_device_blas* blas, duoblas_layout layout, int64_t m,
                                    int64_t n, const void* alpha, duoblas_device_vector x,
                                    duoblas_device_vector y, duoblas_device_matrix a,
                                    const duoblas_device_events* events) {
  return add_outer_product<std::complex<double>>({blas, events}, {layout, m, n, alpha, x, y, a},
                                                 true);
}

duoblas_status duoblas_device_saxpy(duoblas_device_blas* blas, int64_t n, float alpha,
                                    duoblas_device_vector x, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return add_multiple<float>({blas, events}, n, &alpha, x, y);
}

duoblas_status duoblas_device_daxpy(duoblas_device_blas* blas, int64_t n, double alpha,
                                    duoblas_device_vector x, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return add_multiple<double>({blas, events}, n, &alpha, x, y);
}

duoblas_status duoblas_device_caxpy(duoblas_device_blas* blas, int64_t n, const void* alpha,
                                    duoblas_device_vector x, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return add_multiple<std::complex<float>>({blas, events}, n, alpha, x, y);
}

duoblas_status duoblas_device_zaxpy(duoblas_device_blas* blas, int64_t n, const void* alpha,
                                    duoblas_device_vector x, duoblas_device_vector y,
                                    const duoblas_device_events* events) {
  return add_multiple<std::complex<double>>({blas, events}, n, alpha, x, y);
}

duoblas_status duoblas_device_somatcopy(duoblas_device_blas* blas, duoblas_layout layout,
                                        duoblas_op op, int64_t m, int64_t n, float alpha,
                                        duoblas_device_matrix a, duoblas_device_matrix b,
                                        const duoblas_device_events* events) {
  return copy<float>({blas, events}, {layout, op, m, n, &alpha, a, b});
}

duoblas_status duoblas_device_domatcopy(duoblas_device_blas* blas, duoblas_layout layout,
                                        duoblas_op op, int64_t m, int64_t n, double alpha,
                                        duoblas_device_matrix a, duoblas_device_matrix b,
                                        const duoblas_device_events* events) {
  return copy<double>({blas, events}, {layout, op, m, n, &alpha, a, b});
}

duoblas_status duoblas_device_comatcopy(duoblas_device_blas* blas, duoblas_layout layout,
                                        duoblas_op op, int64_t m, int64_t n, const void* alpha,
                                        duoblas_device_matrix a, duoblas_device_matrix b,
                                        const duoblas_device_events* events) {
  return copy<std::complex<float>>({blas, events}, {layout, op, m, n, alpha, a, b});
}

duoblas_status duoblas_device_zomatcopy(duoblas_device_blas* blas, duoblas_layout layout,
                                        duoblas_op op, int64_t m, int64_t n, const void* alpha,
                                        duoblas_device_matrix a, duoblas_device_matrix b,
                                        const duoblas_device_events* events) {
  return copy<std::complex<double>>({blas, events}, {layout, op, m, n, alpha, a, b});
}

}  // extern "C"
