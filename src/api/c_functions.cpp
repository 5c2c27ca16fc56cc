// The table of the C functions that exist for several element types. A row defines one function per
// type. The headers say what its arguments are; c_call.hpp converts them.
#include <complex>
#include <cstddef>
#include <cstdint>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/context.hpp>
#include <duoblas/error.hpp>
#include <duoblas/lapack.hpp>
#include <duoblas/opencl.hpp>

#include "api/c_batch.hpp"
#include "api/c_call.hpp"

namespace {

using duoblas::call;
using duoblas::Context;
using duoblas::DeviceBlas;
using duoblas::DeviceEvents;
using duoblas::Diag;
using duoblas::from_c;
using duoblas::gemm_groups;
using duoblas::gemm_lists;
using duoblas::Layout;
using duoblas::listed;
using duoblas::Op;
using duoblas::OperandOf;
using duoblas::Side;
using duoblas::Uplo;
using duoblas::WithInfo;
using std::int64_t;

// Overloads in C++ have names of their own in C.
template <typename T>
constexpr void (Context::*gemm)(Layout, Op, Op, int64_t, int64_t, int64_t, T, const T*, int64_t,
                                const T*, int64_t, T, T*, int64_t) = &Context::gemm<T>;
template <typename T>
constexpr void (Context::*gemm_prepared)(Layout, Op, Op, int64_t, int64_t, int64_t, T, OperandOf<T>,
                                         OperandOf<T>, T, T*, int64_t) = &Context::gemm<T>;
template <typename T>
constexpr void (Context::*gemv)(Layout, Op, int64_t, int64_t, T, const T*, int64_t, const T*,
                                int64_t, T, T*, int64_t) = &Context::gemv<T>;
template <typename T>
constexpr void (Context::*gemv_prepared)(Layout, Op, int64_t, int64_t, T, OperandOf<T>, const T*,
                                         int64_t, T, T*, int64_t) = &Context::gemv<T>;

// The number of `bytes` is that of the header.
void check_bytes(int position, const int64_t* bytes) {
  if (bytes == nullptr) throw duoblas::ArgumentError(position, "bytes", "is a null pointer");
}
template <typename T>
void gemm_workspace(DeviceBlas& blas, Layout layout, Op op_a, Op op_b, int64_t m, int64_t n,
                    int64_t k, int64_t* bytes) {
  check_bytes(8, bytes);
  *bytes = blas.workspace_bytes<T>(layout, op_a, op_b, m, n, k);
}
template <typename T>
void gemv_workspace(DeviceBlas& blas, Layout layout, Op op, int64_t m, int64_t n, int64_t incx,
                    int64_t* bytes) {
  check_bytes(6, bytes);
  *bytes = blas.gemv_workspace_bytes<T>(layout, op, m, n, incx);
}

constexpr const char* zero_pivot =
    "the matrix is singular: element %lld of the diagonal of U is exactly zero";
constexpr const char* not_positive =
    "the matrix is not positive definite: its leading minor of order %lld is not positive";
constexpr const char* no_inverse =
    "the matrix has no inverse: element %lld of the diagonal of its factor is exactly zero";

// Only its type is asked for: that of the function's argument i. (A member type would have a name
// of its own in what debuggers show.)
template <std::size_t i, typename First, typename... Rest>
auto argument(duoblas_status (*)(First, Rest...)) {
  if constexpr (i == 0) {
    return First();
  } else {
    return argument<i - 1>(static_cast<duoblas_status (*)(Rest...)>(nullptr));
  }
}

}  // namespace

// LIST_3(X, F): X(F, 0), X(F, 1), X(F, 2)
#define LIST_5(X, F) X(F, 0), X(F, 1), X(F, 2), X(F, 3), X(F, 4)
#define LIST_6(X, F) LIST_5(X, F), X(F, 5)
#define LIST_7(X, F) LIST_6(X, F), X(F, 6)
#define LIST_8(X, F) LIST_7(X, F), X(F, 7)
#define LIST_9(X, F) LIST_8(X, F), X(F, 8)
#define LIST_10(X, F) LIST_9(X, F), X(F, 9)
#define LIST_11(X, F) LIST_10(X, F), X(F, 10)
#define LIST_12(X, F) LIST_11(X, F), X(F, 11)
#define LIST_13(X, F) LIST_12(X, F), X(F, 12)
#define LIST_14(X, F) LIST_13(X, F), X(F, 13)
#define LIST_15(X, F) LIST_14(X, F), X(F, 14)
#define LIST_16(X, F) LIST_15(X, F), X(F, 15)
#define LIST_17(X, F) LIST_16(X, F), X(F, 16)
#define LIST_18(X, F) LIST_17(X, F), X(F, 17)

// One function. Its parameters have the types of the header's declaration.
#define PARAMETER(FUNCTION, i) decltype(argument<i>(FUNCTION)) a##i
#define ARGUMENT(FUNCTION, i) a##i
#define DEFINE(FUNCTION, ELEMENT, COUNT, ...)                      \
  duoblas_status FUNCTION(LIST_##COUNT(PARAMETER, FUNCTION)) {     \
    using T = ELEMENT;                                             \
    return call<T>(__VA_ARGS__, LIST_##COUNT(ARGUMENT, FUNCTION)); \
  }

// A row: for these element types, the names before and behind the type's letter, how many arguments
// the header has, and what computes it. The compiler compares that with the header.
#define SD(BEFORE, BEHIND, ...)                 \
  DEFINE(BEFORE##s##BEHIND, float, __VA_ARGS__) \
  DEFINE(BEFORE##d##BEHIND, double, __VA_ARGS__)
#define CZ(BEFORE, BEHIND, ...)                               \
  DEFINE(BEFORE##c##BEHIND, std::complex<float>, __VA_ARGS__) \
  DEFINE(BEFORE##z##BEHIND, std::complex<double>, __VA_ARGS__)
#define SDCZ(BEFORE, BEHIND, ...) \
  SD(BEFORE, BEHIND, __VA_ARGS__) \
  CZ(BEFORE, BEHIND, __VA_ARGS__)

extern "C" {

// duoblas.h
SDCZ(duoblas_, gemm, 14, gemm<T>)
SDCZ(duoblas_, symm, 13, &Context::symm<T>)
CZ(duoblas_, hemm, 13, &Context::hemm<T>)
SDCZ(duoblas_, syrk, 11, &Context::syrk<T>)
CZ(duoblas_, herk, 11, &Context::herk<T>)
SDCZ(duoblas_, syr2k, 13, &Context::syr2k<T>)
CZ(duoblas_, her2k, 13, &Context::her2k<T>)
SDCZ(duoblas_, trmm, 12, &Context::trmm<T>)
SDCZ(duoblas_, trsm, 12, &Context::trsm<T>)
SDCZ(duoblas_, gemm_async, 15, &Context::gemm_async<T>)
SDCZ(duoblas_, prepare, 6, &Context::prepare<T>)
SDCZ(duoblas_, gemm_prepared, 12, gemm_prepared<T>)

// vectors.h
SDCZ(duoblas_, gemv, 12, gemv<T>)
SDCZ(duoblas_, gemv_prepared, 11, gemv_prepared<T>)

// batched.h
SDCZ(duoblas_, gemm_strided_batched, 18, &Context::gemm_strided_batched<T>)
SDCZ(duoblas_, gemm_batched, 15, &Context::gemm_batched<T>)
SDCZ(duoblas_, gemm_grouped, 16, gemm_groups<T>)

// lapack.h
SDCZ(duoblas_, getrf, 6, WithInfo{&Context::getrf<T>, zero_pivot})
SDCZ(duoblas_, potrf, 5, WithInfo{&Context::potrf<T>, not_positive})
SDCZ(duoblas_, gesv, 8, WithInfo{&Context::gesv<T>, zero_pivot})
SDCZ(duoblas_, posv, 8, WithInfo{&Context::posv<T>, not_positive})
SDCZ(duoblas_, getrs, 8, &Context::getrs<T>)
SDCZ(duoblas_, potrs, 7, &Context::potrs<T>)
SDCZ(duoblas_, getri, 5, WithInfo{&Context::getri<T>, no_inverse})
SDCZ(duoblas_, geqrf, 5, &Context::geqrf<T>)
SD(duoblas_, orgqr, 6, &Context::orgqr<T>)
CZ(duoblas_, ungqr, 6, &Context::orgqr<T>)
SD(duoblas_, ormqr, 10, &Context::ormqr<T>)
CZ(duoblas_, unmqr, 10, &Context::ormqr<T>)

// opencl.h
SDCZ(duoblas_device_, gemm, 13, &DeviceBlas::gemm<T>)
SDCZ(duoblas_device_, gemm_workspace, 8, gemm_workspace<T>)
SDCZ(duoblas_device_, gemv_workspace, 7, gemv_workspace<T>)
SDCZ(duoblas_device_, gemm_strided_batched, 17, &DeviceBlas::gemm_strided_batched<T>)
SDCZ(duoblas_device_, gemm_batched, 14, gemm_lists<T>)
SDCZ(duoblas_device_, gemv, 11, &DeviceBlas::gemv<T>)

}  // extern "C"
