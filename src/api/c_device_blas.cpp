// The C functions of opencl.h.
#include <duoblas/opencl.h>

#include <complex>
#include <cstdint>

#include <duoblas/opencl.hpp>

#include "api/c_arguments.hpp"
#include "api/c_device_blas.hpp"
#include "api/c_gemm.hpp"
#include "api/c_status.hpp"

namespace {

using duoblas::CComplexGemm;
using duoblas::CGemm;
using duoblas::events_of;
using duoblas::given;
using duoblas::guarded;
using duoblas::matrix_of;
using duoblas::scalar;

struct CDeviceCall {
  duoblas_device_blas* blas;
  duoblas_device_matrix a, b, c;
  const duoblas_device_events* events;
};

struct CStrides {
  std::int64_t a, b, c, count;
};

template <typename T>
void enqueue(const CGemm<T>& g, const CDeviceCall& call, const CStrides& strides) {
  duoblas::DeviceBlas& blas = given(call.blas);
  const duoblas::DeviceEvents events = events_of(call.events, 19);
  blas.gemm_strided_batched<T>(duoblas::layout_of(g.layout), duoblas::op_of(g.op_a),
                               duoblas::op_of(g.op_b), g.m, g.n, g.k, g.alpha, matrix_of(call.a),
                               strides.a, matrix_of(call.b), strides.b, g.beta, matrix_of(call.c),
                               strides.c, strides.count, events);
}

template <typename T>
void enqueue(const CGemm<T>& g, const CDeviceCall& call) {
  duoblas::DeviceBlas& blas = given(call.blas);
  const duoblas::DeviceEvents events = events_of(call.events, 15);
  blas.gemm<T>(duoblas::layout_of(g.layout), duoblas::op_of(g.op_a), duoblas::op_of(g.op_b), g.m,
               g.n, g.k, g.alpha, matrix_of(call.a), matrix_of(call.b), g.beta, matrix_of(call.c),
               events);
}

template <typename T>
duoblas_status run(const CGemm<T>& g, const CDeviceCall& call) noexcept {
  return guarded([&] { enqueue(g, call); });
}

template <typename T>
duoblas_status run_complex(const CComplexGemm& g, const CDeviceCall& call) noexcept {
  return guarded([&] { enqueue(duoblas::typed<T>(g), call); });
}

struct CSizes {
  duoblas_layout layout;
  duoblas_op op_a, op_b;
  int64_t m, n, k;
};

template <typename T>
duoblas_status workspace(duoblas_device_blas* blas, const CSizes& s, int64_t* bytes) noexcept {
  return guarded([&] {
    const duoblas::DeviceBlas& asked = given(blas);
    if (bytes == nullptr) throw duoblas::ArgumentError(8, "bytes", "is a null pointer");
    *bytes = asked.workspace_bytes<T>(duoblas::layout_of(s.layout), duoblas::op_of(s.op_a),
                                      duoblas::op_of(s.op_b), s.m, s.n, s.k);
  });
}

struct CLists {
  const void* alpha;
  duoblas_device_matrices a, b;
  const void* beta;
  duoblas_device_matrices c;
  int64_t count;
};

// `given` at this position. The list is not read if there are no products.
duoblas::DeviceMatrices matrices_of(const duoblas_device_matrices& given, int64_t count,
                                    int position, const char* name) {
  if (count > 0 && given.offsets == nullptr)
    throw duoblas::ArgumentError(position, name, "has no list of offsets");
  duoblas::DeviceMatrices matrices{given.buffer, {}, given.ld};
  if (count > 0) matrices.offsets.assign(given.offsets, given.offsets + count);
  return matrices;
}

template <typename T>
duoblas_status run_listed(duoblas_device_blas* blas, const CSizes& s, const CLists& of,
                          const duoblas_device_events* events) noexcept {
  return guarded([&] {
    duoblas::DeviceBlas& on = given(blas);
    if (of.count < 0) throw duoblas::ArgumentError(15, "count", "is negative");
    on.gemm_batched<T>(duoblas::layout_of(s.layout), duoblas::op_of(s.op_a), duoblas::op_of(s.op_b),
                       s.m, s.n, s.k, scalar<T>(of.alpha, 7, "alpha"),
                       matrices_of(of.a, of.count, 8, "a"), matrices_of(of.b, of.count, 10, "b"),
                       scalar<T>(of.beta, 12, "beta"), matrices_of(of.c, of.count, 13, "c"),
                       events_of(events, 16));
  });
}

}  // namespace

extern "C" {

duoblas_status duoblas_device_blas_create(struct _cl_command_queue* queue,
                                          duoblas_device_blas** made) {
  return guarded([&] {
    if (made == nullptr) throw duoblas::ArgumentError(2, "made", "is a null pointer");
    *made = nullptr;
    *made = new duoblas_device_blas{duoblas::DeviceBlas(queue)};
  });
}

void duoblas_device_blas_free(duoblas_device_blas* blas) {
  const duoblas::CancellationDisabled whole_call;
  delete blas;
}

duoblas_status duoblas_device_sgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                    duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                    int64_t k, float alpha, duoblas_device_matrix a,
                                    duoblas_device_matrix b, float beta, duoblas_device_matrix c,
                                    const duoblas_device_events* events) {
  return run<float>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
                    {blas, a, b, c, events});
}

duoblas_status duoblas_device_dgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                    duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                    int64_t k, double alpha, duoblas_device_matrix a,
                                    duoblas_device_matrix b, double beta, duoblas_device_matrix c,
                                    const duoblas_device_events* events) {
  return run<double>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
                     {blas, a, b, c, events});
}

duoblas_status duoblas_device_cgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                    duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                    int64_t k, const void* alpha, duoblas_device_matrix a,
                                    duoblas_device_matrix b, const void* beta,
                                    duoblas_device_matrix c, const duoblas_device_events* events) {
  return run_complex<std::complex<float>>(
      {layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
      {blas, a, b, c, events});
}

duoblas_status duoblas_device_zgemm(duoblas_device_blas* blas, duoblas_layout layout,
                                    duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                    int64_t k, const void* alpha, duoblas_device_matrix a,
                                    duoblas_device_matrix b, const void* beta,
                                    duoblas_device_matrix c, const duoblas_device_events* events) {
  return run_complex<std::complex<double>>(
      {layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
      {blas, a, b, c, events});
}

duoblas_status duoblas_device_sgemm_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op_a, duoblas_op op_b, int64_t m,
                                              int64_t n, int64_t k, int64_t* bytes) {
  return workspace<float>(blas, {layout, op_a, op_b, m, n, k}, bytes);
}

duoblas_status duoblas_device_dgemm_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op_a, duoblas_op op_b, int64_t m,
                                              int64_t n, int64_t k, int64_t* bytes) {
  return workspace<double>(blas, {layout, op_a, op_b, m, n, k}, bytes);
}

duoblas_status duoblas_device_cgemm_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op_a, duoblas_op op_b, int64_t m,
                                              int64_t n, int64_t k, int64_t* bytes) {
  return workspace<std::complex<float>>(blas, {layout, op_a, op_b, m, n, k}, bytes);
}

duoblas_status duoblas_device_zgemm_workspace(duoblas_device_blas* blas, duoblas_layout layout,
                                              duoblas_op op_a, duoblas_op op_b, int64_t m,
                                              int64_t n, int64_t k, int64_t* bytes) {
  return workspace<std::complex<double>>(blas, {layout, op_a, op_b, m, n, k}, bytes);
}

duoblas_status duoblas_device_blas_set_workspace(duoblas_device_blas* blas, struct _cl_mem* buffer,
                                                 int64_t offset, int64_t bytes) {
  return guarded([&] { given(blas).set_workspace({buffer, offset, bytes}); });
}

duoblas_status duoblas_device_sgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, float alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, float beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events) {
  using T = float;
  return guarded([&] {
    enqueue<T>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
               {blas, a, b, c, events}, {stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_device_dgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, double alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, double beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events) {
  using T = double;
  return guarded([&] {
    enqueue<T>({layout, op_a, op_b, m, n, k, alpha, nullptr, 0, nullptr, 0, beta, nullptr, 0},
               {blas, a, b, c, events}, {stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_device_cgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, const void* beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events) {
  using T = std::complex<float>;
  return guarded([&] {
    enqueue<T>({layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), nullptr, 0, nullptr, 0,
                scalar<T>(beta, 14, "beta"), nullptr, 0},
               {blas, a, b, c, events}, {stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_device_zgemm_strided_batched(
    duoblas_device_blas* blas, duoblas_layout layout, duoblas_op op_a, duoblas_op op_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, duoblas_device_matrix a, int64_t stride_a,
    duoblas_device_matrix b, int64_t stride_b, const void* beta, duoblas_device_matrix c,
    int64_t stride_c, int64_t count, const duoblas_device_events* events) {
  using T = std::complex<double>;
  return guarded([&] {
    enqueue<T>({layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), nullptr, 0, nullptr, 0,
                scalar<T>(beta, 14, "beta"), nullptr, 0},
               {blas, a, b, c, events}, {stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_device_sgemm_batched(duoblas_device_blas* blas, duoblas_layout layout,
                                            duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                            int64_t k, float alpha, duoblas_device_matrices a,
                                            duoblas_device_matrices b, float beta,
                                            duoblas_device_matrices c, int64_t count,
                                            const duoblas_device_events* events) {
  return run_listed<float>(blas, {layout, op_a, op_b, m, n, k}, {&alpha, a, b, &beta, c, count},
                           events);
}

duoblas_status duoblas_device_dgemm_batched(duoblas_device_blas* blas, duoblas_layout layout,
                                            duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                            int64_t k, double alpha, duoblas_device_matrices a,
                                            duoblas_device_matrices b, double beta,
                                            duoblas_device_matrices c, int64_t count,
                                            const duoblas_device_events* events) {
  return run_listed<double>(blas, {layout, op_a, op_b, m, n, k}, {&alpha, a, b, &beta, c, count},
                            events);
}

duoblas_status duoblas_device_cgemm_batched(duoblas_device_blas* blas, duoblas_layout layout,
                                            duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                            int64_t k, const void* alpha, duoblas_device_matrices a,
                                            duoblas_device_matrices b, const void* beta,
                                            duoblas_device_matrices c, int64_t count,
                                            const duoblas_device_events* events) {
  return run_listed<std::complex<float>>(blas, {layout, op_a, op_b, m, n, k},
                                         {alpha, a, b, beta, c, count}, events);
}

duoblas_status duoblas_device_zgemm_batched(duoblas_device_blas* blas, duoblas_layout layout,
                                            duoblas_op op_a, duoblas_op op_b, int64_t m, int64_t n,
                                            int64_t k, const void* alpha, duoblas_device_matrices a,
                                            duoblas_device_matrices b, const void* beta,
                                            duoblas_device_matrices c, int64_t count,
                                            const duoblas_device_events* events) {
  return run_listed<std::complex<double>>(blas, {layout, op_a, op_b, m, n, k},
                                          {alpha, a, b, beta, c, count}, events);
}

}  // extern "C"
