// What batches of C have that C++ has otherwise: arrays in place of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/context.hpp>
#include <duoblas/error.hpp>
#include <duoblas/gemm_group.hpp>
#include <duoblas/opencl.hpp>

#include "api/c_arguments.hpp"

namespace duoblas {

/// The groups of a call by arrays. \throws ArgumentError if their number is negative, or an array
/// is missing.
template <typename T>
void gemm_groups(Layout layout, const duoblas_op* op_a, const duoblas_op* op_b,
                 const std::int64_t* m, const std::int64_t* n, const std::int64_t* k,
                 const T* alpha, const T* const* a, const std::int64_t* lda, const T* const* b,
                 const std::int64_t* ldb, const T* beta, T* const* c, const std::int64_t* ldc,
                 std::int64_t count, const std::int64_t* sizes) {
  if (count < 0) throw ArgumentError(15, "group_count", "is negative");
  struct GroupArray {
    const void* array;
    int position;
    const char* name;
  };
  for (const auto& [array, at, name] : {GroupArray{op_a, 2, "op_a"},
                                        {op_b, 3, "op_b"},
                                        {m, 4, "m"},
                                        {n, 5, "n"},
                                        {k, 6, "k"},
                                        {alpha, 7, "alpha"},
                                        {lda, 9, "lda"},
                                        {ldb, 11, "ldb"},
                                        {beta, 12, "beta"},
                                        {ldc, 14, "ldc"},
                                        {sizes, 16, "group_sizes"}})
    if (array == nullptr && count > 0) throw ArgumentError(at, name, "is a null pointer");
  std::vector<GemmGroup<T>> groups(static_cast<std::size_t>(count));
  std::int64_t first = 0;
  // A null array stays null, for the check to name.
  const auto from = [&](auto places) { return places == nullptr ? nullptr : places + first; };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = {from_c(op_a[i]), from_c(op_b[i]), m[i],   n[i],    k[i],    alpha[i], from(a),
                 lda[i],          from(b),         ldb[i], beta[i], from(c), ldc[i],   sizes[i]};
    if (sizes[i] > 0) first += sizes[i];
  }
  Context::process_default().gemm_grouped<T>(layout, groups);
}

/// The list is not read if there are no products.
inline DeviceMatrices listed(const duoblas_device_matrices& given, std::int64_t count, int position,
                             const char* name) {
  if (count > 0 && given.offsets == nullptr)
    throw ArgumentError(position, name, "has no list of offsets");
  DeviceMatrices matrices{given.buffer, {}, given.ld};
  if (count > 0) matrices.offsets.assign(given.offsets, given.offsets + count);
  return matrices;
}

template <typename T>
void gemm_lists(DeviceBlas& blas, Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                std::int64_t k, T alpha, duoblas_device_matrices a, duoblas_device_matrices b,
                T beta, duoblas_device_matrices c, std::int64_t count, const DeviceEvents& events) {
  if (count < 0) throw ArgumentError(15, "count", "is negative");
  blas.gemm_batched<T>(layout, op_a, op_b, m, n, k, alpha, listed(a, count, 8, "a"),
                       listed(b, count, 10, "b"), beta, listed(c, count, 13, "c"), events);
}

}  // namespace duoblas
