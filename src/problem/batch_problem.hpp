// Many products in one call: groups of products of one shape, row-major like a GemmProblem.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Where one operand of a group's products begins: at equal distances, or each at its own place.
struct BatchOperand {
  const void* first = nullptr;          ///< of the first product, where `places` is null
  std::int64_t stride = 0;              ///< elements from one product's operand to the next one's
  const void* const* places = nullptr;  ///< of each product; the caller's array
  std::size_t element_bytes = 0;

  const void* at(std::int64_t product) const;
};

/// `count` products of one shape. Products may use the same A or B. No C overlaps anything else in
/// the call.
struct BatchGroup {
  GemmProblem shape;  ///< sizes, ops, scalars, leading dimensions; its pointers are null
  BatchOperand a, b, c;
  std::int64_t count = 0;

  GemmProblem product(std::int64_t number) const;
  /// No element of any C.
  bool empty() const { return count == 0 || shape.empty(); }
};

/// All groups have one element type. The memory stays the caller's, and valid until the call
/// returns.
struct BatchProblem {
  Precision precision = Precision::s;
  std::vector<BatchGroup> groups;

  std::int64_t count() const;
  bool empty() const;
  /// The group with the most work, whose shape stands for the call's; null where all are empty.
  const BatchGroup* largest() const;
};

/// The flops of the products that multiply.
double flops(const BatchGroup& group);
double flops(const BatchProblem& batch);

/// Whether the `count` matrices C, `stride` elements apart, have no element in common.
bool are_apart(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride,
               std::int64_t count);

}  // namespace duoblas
