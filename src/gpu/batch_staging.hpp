// Operands of a batch between the caller's memory and blocks that are copied at once.
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
  /// Of product `number` alone.
  HostRect rect(std::int64_t number) const;
  OperandOfGroup part(std::int64_t first, std::int64_t products) const;
  /// All products have the same one.
  bool is_shared() const { return at.places == nullptr && at.stride == 0; }

  /// All rows of all products, where each follows the one before it at the same distance.
  std::optional<HostRect> all_rows() const;
  /// All memory from the first to past the last element, as one row; nothing where the products'
  /// places are anywhere.
  std::optional<HostRect> all_memory() const;
};

OperandOfGroup a_of(const BatchGroup& group);
OperandOfGroup b_of(const BatchGroup& group);
OperandOfGroup c_of(const BatchGroup& group);

/// The same group, at equal distances where its pointers are.
BatchGroup with_distances(BatchGroup group);

/// What the matrices C of a batch lie in.
std::vector<HostRect> rects_of_c(const BatchProblem& batch);

/// Copies all products' rows to a block in which they are `pitch` bytes apart, or back.
void gather(const OperandOfGroup& from, void* block, std::size_t pitch);
void scatter(const void* block, std::size_t pitch, const OperandOfGroup& to);

}  // namespace duoblas
