// Converts a template's arguments to a checked call of many products.
#pragma once

#include <cstdint>

#include "api/typed_gemm.hpp"
#include "problem/caller_batch.hpp"

namespace duoblas {

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

}  // namespace duoblas
