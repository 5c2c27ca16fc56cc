// Converts the arguments of the C++ interface's templates to callers' arguments.
#pragma once

#include <complex>
#include <cstdint>

#include "problem/caller_batch.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/caller_gemv.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct GemmSizes {
  std::int64_t m, n, k;
};
template <typename Element>
struct Strided {
  Element* data;
  std::int64_t ld;
};

template <typename T>
CallerGemm caller_gemm(Layout layout, Op op_a, Op op_b, const GemmSizes& sizes, T alpha,
                       Strided<const T> a, Strided<const T> b, T beta, Strided<T> c) {
  CallerGemm call{layout, {}};
  call.args = {.precision = precision_of<T>,
               .op_a = op_a,
               .op_b = op_b,
               .m = sizes.m,
               .n = sizes.n,
               .k = sizes.k,
               .alpha = std::complex<double>(alpha),
               .a = a.data,
               .lda = a.ld,
               .b = b.data,
               .ldb = b.ld,
               .beta = std::complex<double>(beta),
               .c = c.data,
               .ldc = c.ld};
  return call;
}

/// The shape of one product, without the places of its operands.
template <typename T>
GemmProblem shape_of(const CallerGemm& call) {
  GemmProblem shape = call.args;
  shape.a = shape.b = nullptr;
  shape.c = nullptr;
  return shape;
}

template <typename T>
BatchOperand at_distances(const T* first, std::int64_t stride) {
  return {first, stride, nullptr, sizeof(T)};
}

/// Reads an array of pointers to T as one of void pointers, which have the same size.
template <typename T>
BatchOperand at_places(const T* const* places) {
  return {nullptr, 0, reinterpret_cast<const void* const*>(places), sizeof(T)};
}

/// A call of one group.
template <typename T>
CallerBatch caller_batch(BatchForm form, const CallerGemm& shape, const BatchOperand& a,
                         const BatchOperand& b, const BatchOperand& c, std::int64_t count) {
  CallerBatch call{shape.layout, form, {precision_of<T>, {}}};
  call.args.groups.push_back({shape_of<T>(shape), a, b, c, count});
  return call;
}

template <typename Element>
struct Spaced {
  Element* data;
  std::int64_t increment;
};

struct MatrixSizes {
  std::int64_t m, n;
};

template <typename T>
CallerGemv caller_gemv(Layout layout, Op op, const MatrixSizes& sizes, T alpha, const T* a,
                       std::int64_t lda, Spaced<const T> x, T beta, Spaced<T> y) {
  return {.layout = layout,
          .op = op,
          .precision = precision_of<T>,
          .m = sizes.m,
          .n = sizes.n,
          .alpha = std::complex<double>(alpha),
          .a = a,
          .lda = lda,
          .x = x.data,
          .incx = x.increment,
          .beta = std::complex<double>(beta),
          .y = y.data,
          .incy = y.increment};
}

}  // namespace duoblas
