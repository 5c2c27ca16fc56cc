// Copies operands of a batch between the caller's memory and blocks that are transferred at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problem/batch_problem.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// One operand of all products of a group, as it is stored.
struct OperandOfGroup {
  BatchOperand at;
  std::int64_t rows = 0, columns = 0, ld = 0;
  std::int64_t count = 0;
  Precision precision = Precision::s;

  std::size_t row_bytes() const;
  /// The operand of product `number`.
  HostRect rect(std::int64_t number) const;
  OperandOfGroup part(std::int64_t first, std::int64_t products) const;
  /// All products use the same operand.
  bool is_shared() const { return at.places == nullptr && at.stride == 0; }

  /// All rows of all products, if they are equally far apart.
  std::optional<HostRect> all_rows() const;
  /// All memory from the first element to past the last one, as one row; nothing if the products'
  /// places are not at equal distances.
  std::optional<HostRect> all_memory() const;
  /// The memory of all products: all_memory(), or a rectangle for each.
  std::vector<HostRect> rects() const;
};

OperandOfGroup a_of(const BatchGroup& group);
OperandOfGroup b_of(const BatchGroup& group);
OperandOfGroup c_of(const BatchGroup& group);

/// The same operand, or group. If its pointers are at equal distances, it gets a stride instead.
BatchOperand with_distance(BatchOperand operand, std::int64_t count);
BatchGroup with_distances(BatchGroup group);

/// The memory of a batch's matrices C.
std::vector<HostRect> rects_of_c(const BatchProblem& batch);

/// Copies all products' rows to a block in which they are `pitch` bytes apart, or back.
void gather(const OperandOfGroup& from, void* block, std::size_t pitch);
void scatter(const void* block, std::size_t pitch, const OperandOfGroup& to);

}  // namespace duoblas
