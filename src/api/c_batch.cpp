// The C functions of batched.h.
#include <duoblas/duoblas.h>

#include <complex>
#include <cstdint>
#include <vector>

#include <duoblas/context.hpp>

#include "api/c_arguments.hpp"
#include "api/c_gemm.hpp"
#include "api/c_status.hpp"

namespace {

using duoblas::ArgumentError;
using duoblas::CGemm;
using duoblas::Context;
using duoblas::GemmGroup;
using duoblas::guarded;
using duoblas::layout_of;
using duoblas::op_of;

// What a batch has beside the arguments of gemm. Its a, b and c have another meaning than gemm's.
struct Strides {
  std::int64_t a, b, c, count;
};

template <typename T>
void multiply(const CGemm<T>& g, const Strides& strides) {
  Context::process_default().gemm_strided_batched<T>(
      layout_of(g.layout), op_of(g.op_a), op_of(g.op_b), g.m, g.n, g.k, g.alpha, g.a, g.lda,
      strides.a, g.b, g.ldb, strides.b, g.beta, g.c, g.ldc, strides.c, strides.count);
}

template <typename T>
struct Places {
  const T* const* a;
  const T* const* b;
  T* const* c;
  std::int64_t count;
};

template <typename T>
void multiply(const CGemm<T>& g, const Places<T>& places) {
  Context::process_default().gemm_batched<T>(layout_of(g.layout), op_of(g.op_a), op_of(g.op_b), g.m,
                                             g.n, g.k, g.alpha, places.a, g.lda, places.b, g.ldb,
                                             g.beta, places.c, g.ldc, places.count);
}

// C has no type for a pointer to a complex number, so its arrays hold pointers to void.
template <typename T>
const T* const* typed(const void* const* places) {
  return reinterpret_cast<const T* const*>(places);
}
template <typename T>
T* const* typed(void* const* places) {
  return reinterpret_cast<T* const*>(places);
}

// A complex scalar. `position` is that of alpha or beta in this call.
template <typename T>
T scalar(const void* at, int position, const char* name) {
  if (at == nullptr) throw ArgumentError(position, name, "is a null pointer");
  return *static_cast<const T*>(at);
}

template <typename T>
struct Groups {
  duoblas_layout layout;
  const duoblas_op* op_a;
  const duoblas_op* op_b;
  const int64_t* m;
  const int64_t* n;
  const int64_t* k;
  const T* alpha;
  const T* const* a;
  const int64_t* lda;
  const T* const* b;
  const int64_t* ldb;
  const T* beta;
  T* const* c;
  const int64_t* ldc;
  int64_t count;
  const int64_t* sizes;
};

template <typename T>
void check_arrays(const Groups<T>& g) {
  if (g.count < 0) throw ArgumentError(15, "group_count", "is negative");
  if (g.count == 0) return;
  const struct {
    const void* array;
    int position;
    const char* name;
  } arrays[] = {{g.op_a, 2, "op_a"},
                {g.op_b, 3, "op_b"},
                {g.m, 4, "m"},
                {g.n, 5, "n"},
                {g.k, 6, "k"},
                {g.alpha, 7, "alpha"},
                {g.lda, 9, "lda"},
                {g.ldb, 11, "ldb"},
                {g.beta, 12, "beta"},
                {g.ldc, 14, "ldc"},
                {g.sizes, 16, "group_sizes"}};
  for (const auto& [array, position, name] : arrays)
    if (array == nullptr) throw ArgumentError(position, name, "is a null pointer");
}

template <typename T>
void multiply(const Groups<T>& g) {
  check_arrays(g);
  std::vector<GemmGroup<T>> groups(static_cast<std::size_t>(g.count));
  std::int64_t first = 0;
  // A null array stays null, for the check to name.
  const auto from = [&](auto places) { return places == nullptr ? nullptr : places + first; };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = {op_of(g.op_a[i]), op_of(g.op_b[i]), g.m[i],   g.n[i],    g.k[i],
                 g.alpha[i],       from(g.a),        g.lda[i], from(g.b), g.ldb[i],
                 g.beta[i],        from(g.c),        g.ldc[i], g.sizes[i]};
    if (g.sizes[i] > 0) first += g.sizes[i];
  }
  Context::process_default().gemm_grouped<T>(layout_of(g.layout), groups);
}

}  // namespace

extern "C" {

duoblas_status duoblas_sgemm_strided_batched(duoblas_layout layout, duoblas_op op_a,
                                             duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                             float alpha, const float* a, int64_t lda,
                                             int64_t stride_a, const float* b, int64_t ldb,
                                             int64_t stride_b, float beta, float* c, int64_t ldc,
                                             int64_t stride_c, int64_t count) {
  return guarded([&] {
    multiply<float>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                    Strides{stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_dgemm_strided_batched(duoblas_layout layout, duoblas_op op_a,
                                             duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                             double alpha, const double* a, int64_t lda,
                                             int64_t stride_a, const double* b, int64_t ldb,
                                             int64_t stride_b, double beta, double* c, int64_t ldc,
                                             int64_t stride_c, int64_t count) {
  return guarded([&] {
    multiply<double>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                     Strides{stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_cgemm_strided_batched(duoblas_layout layout, duoblas_op op_a,
                                             duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                             const void* alpha, const void* a, int64_t lda,
                                             int64_t stride_a, const void* b, int64_t ldb,
                                             int64_t stride_b, const void* beta, void* c,
                                             int64_t ldc, int64_t stride_c, int64_t count) {
  using T = std::complex<float>;
  return guarded([&] {
    multiply<T>(
        {layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), static_cast<const T*>(a), lda,
         static_cast<const T*>(b), ldb, scalar<T>(beta, 14, "beta"), static_cast<T*>(c), ldc},
        Strides{stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_zgemm_strided_batched(duoblas_layout layout, duoblas_op op_a,
                                             duoblas_op op_b, int64_t m, int64_t n, int64_t k,
                                             const void* alpha, const void* a, int64_t lda,
                                             int64_t stride_a, const void* b, int64_t ldb,
                                             int64_t stride_b, const void* beta, void* c,
                                             int64_t ldc, int64_t stride_c, int64_t count) {
  using T = std::complex<double>;
  return guarded([&] {
    multiply<T>(
        {layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), static_cast<const T*>(a), lda,
         static_cast<const T*>(b), ldb, scalar<T>(beta, 14, "beta"), static_cast<T*>(c), ldc},
        Strides{stride_a, stride_b, stride_c, count});
  });
}

duoblas_status duoblas_sgemm_batched(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                     int64_t m, int64_t n, int64_t k, float alpha,
                                     const float* const* a, int64_t lda, const float* const* b,
                                     int64_t ldb, float beta, float* const* c, int64_t ldc,
                                     int64_t count) {
  using T = float;
  return guarded([&] {
    multiply<T>(
        {layout, op_a, op_b, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc},
        Places<T>{a, b, c, count});
  });
}

duoblas_status duoblas_dgemm_batched(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                     int64_t m, int64_t n, int64_t k, double alpha,
                                     const double* const* a, int64_t lda, const double* const* b,
                                     int64_t ldb, double beta, double* const* c, int64_t ldc,
                                     int64_t count) {
  using T = double;
  return guarded([&] {
    multiply<T>(
        {layout, op_a, op_b, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc},
        Places<T>{a, b, c, count});
  });
}

duoblas_status duoblas_cgemm_batched(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                     int64_t m, int64_t n, int64_t k, const void* alpha,
                                     const void* const* a, int64_t lda, const void* const* b,
                                     int64_t ldb, const void* beta, void* const* c, int64_t ldc,
                                     int64_t count) {
  using T = std::complex<float>;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), nullptr, lda, nullptr,
                 ldb, scalar<T>(beta, 12, "beta"), nullptr, ldc},
                Places<T>{typed<T>(a), typed<T>(b), typed<T>(c), count});
  });
}

duoblas_status duoblas_zgemm_batched(duoblas_layout layout, duoblas_op op_a, duoblas_op op_b,
                                     int64_t m, int64_t n, int64_t k, const void* alpha,
                                     const void* const* a, int64_t lda, const void* const* b,
                                     int64_t ldb, const void* beta, void* const* c, int64_t ldc,
                                     int64_t count) {
  using T = std::complex<double>;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, scalar<T>(alpha, 7, "alpha"), nullptr, lda, nullptr,
                 ldb, scalar<T>(beta, 12, "beta"), nullptr, ldc},
                Places<T>{typed<T>(a), typed<T>(b), typed<T>(c), count});
  });
}

duoblas_status duoblas_sgemm_grouped(duoblas_layout layout, const duoblas_op* op_a,
                                     const duoblas_op* op_b, const int64_t* m, const int64_t* n,
                                     const int64_t* k, const float* alpha, const float* const* a,
                                     const int64_t* lda, const float* const* b, const int64_t* ldb,
                                     const float* beta, float* const* c, const int64_t* ldc,
                                     int64_t group_count, const int64_t* group_sizes) {
  using T = float;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count,
                 group_sizes});
  });
}

duoblas_status duoblas_dgemm_grouped(duoblas_layout layout, const duoblas_op* op_a,
                                     const duoblas_op* op_b, const int64_t* m, const int64_t* n,
                                     const int64_t* k, const double* alpha, const double* const* a,
                                     const int64_t* lda, const double* const* b, const int64_t* ldb,
                                     const double* beta, double* const* c, const int64_t* ldc,
                                     int64_t group_count, const int64_t* group_sizes) {
  using T = double;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count,
                 group_sizes});
  });
}

duoblas_status duoblas_cgemm_grouped(duoblas_layout layout, const duoblas_op* op_a,
                                     const duoblas_op* op_b, const int64_t* m, const int64_t* n,
                                     const int64_t* k, const void* alpha, const void* const* a,
                                     const int64_t* lda, const void* const* b, const int64_t* ldb,
                                     const void* beta, void* const* c, const int64_t* ldc,
                                     int64_t group_count, const int64_t* group_sizes) {
  using T = std::complex<float>;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, static_cast<const T*>(alpha), typed<T>(a), lda,
                 typed<T>(b), ldb, static_cast<const T*>(beta), typed<T>(c), ldc, group_count,
                 group_sizes});
  });
}

duoblas_status duoblas_zgemm_grouped(duoblas_layout layout, const duoblas_op* op_a,
                                     const duoblas_op* op_b, const int64_t* m, const int64_t* n,
                                     const int64_t* k, const void* alpha, const void* const* a,
                                     const int64_t* lda, const void* const* b, const int64_t* ldb,
                                     const void* beta, void* const* c, const int64_t* ldc,
                                     int64_t group_count, const int64_t* group_sizes) {
  using T = std::complex<double>;
  return guarded([&] {
    multiply<T>({layout, op_a, op_b, m, n, k, static_cast<const T*>(alpha), typed<T>(a), lda,
                 typed<T>(b), ldb, static_cast<const T*>(beta), typed<T>(c), ldc, group_count,
                 group_sizes});
  });
}

}  // extern "C"
