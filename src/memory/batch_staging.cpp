#include "memory/batch_staging.hpp"

namespace duoblas {
namespace {

// The distance between neighbours, if it is the same for all and the kernels can count it.
std::optional<std::int64_t> distance_of(const BatchOperand& operand, std::int64_t count) {
  if (operand.places == nullptr) return operand.stride;
  if (count == 1) return 0;
  const auto place = [&](std::int64_t i) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(operand.places[i]));
  };
  const std::int64_t bytes = place(1) - place(0);
  const auto element = static_cast<std::int64_t>(operand.element_bytes);
  if (bytes < 0 || bytes % element != 0) return std::nullopt;
  for (std::int64_t i = 2; i < count; ++i)
    if (place(i) - place(i - 1) != bytes) return std::nullopt;
  return bytes / element;
}

}  // namespace

std::size_t OperandOfGroup::row_bytes() const {
  return static_cast<std::size_t>(columns) * element_size(precision);
}

HostRect OperandOfGroup::rect(std::int64_t number) const {
  return rect_of(at.at(number), rows, columns, ld, precision);
}

OperandOfGroup OperandOfGroup::part(std::int64_t first, std::int64_t products) const {
  OperandOfGroup rest = *this;
  rest.at = at.from(first);
  rest.count = products;
  return rest;
}

std::optional<HostRect> OperandOfGroup::all_rows() const {
  if (count == 1 || is_shared()) return rect(0);
  if (at.places != nullptr) return std::nullopt;
  if (rows == 1 && at.stride >= columns)
    return rect_of(at.first, count, columns, at.stride, precision);
  if (at.stride != rows * ld) return std::nullopt;
  return rect_of(at.first, count * rows, columns, ld, precision);
}

std::optional<HostRect> OperandOfGroup::all_memory() const {
  if (at.places != nullptr && count > 1) return std::nullopt;
  const std::int64_t behind = is_shared() ? 0 : (count - 1) * at.stride;
  const std::int64_t elements = behind + (rows - 1) * ld + columns;
  return rect_of(at.at(0), 1, elements, elements, precision);
}

std::vector<HostRect> OperandOfGroup::rects() const {
  std::vector<HostRect> rects;
  if (count == 0 || rows == 0 || columns == 0) return rects;
  if (const auto all = all_memory()) {
    rects.push_back(*all);
    return rects;
  }
  for (std::int64_t i = 0; i < count; ++i) rects.push_back(rect(i));
  return rects;
}

OperandOfGroup a_of(const BatchGroup& group) {
  const GemmProblem& p = group.shape;
  return {group.a, stored_rows_a(p), stored_cols_a(p), p.lda, group.count, p.precision};
}

OperandOfGroup b_of(const BatchGroup& group) {
  const GemmProblem& p = group.shape;
  return {group.b, stored_rows_b(p), stored_cols_b(p), p.ldb, group.count, p.precision};
}

OperandOfGroup c_of(const BatchGroup& group) {
  const GemmProblem& p = group.shape;
  return {group.c, p.m, p.n, p.ldc, group.count, p.precision};
}

BatchOperand with_distance(BatchOperand operand, std::int64_t count) {
  const auto distance = count == 0 ? std::nullopt : distance_of(operand, count);
  if (!distance) return operand;
  operand.first = operand.at(0);
  operand.places = nullptr;
  operand.stride = *distance;
  return operand;
}

BatchGroup with_distances(BatchGroup group) {
  for (BatchOperand* operand : {&group.a, &group.b, &group.c})
    *operand = with_distance(*operand, group.count);
  return group;
}

std::vector<HostRect> rects_of_c(const BatchProblem& batch) {
  std::vector<HostRect> rects;
  for (const BatchGroup& group : batch.groups) {
    const std::vector<HostRect> of_group = c_of(group).rects();
    rects.insert(rects.end(), of_group.begin(), of_group.end());
  }
  return rects;
}

void gather(const OperandOfGroup& from, void* block, std::size_t pitch) {
  const auto rows = static_cast<std::size_t>(from.rows);
  for (std::int64_t i = 0; i < from.count; ++i) {
    const HostRect rect = from.rect(i);
    copy_rows(static_cast<char*>(block) + static_cast<std::size_t>(i) * rows * pitch, pitch,
              rect.data, rect.pitch, rows, rect.row_bytes);
  }
}

void scatter(const void* block, std::size_t pitch, const OperandOfGroup& to) {
  const auto rows = static_cast<std::size_t>(to.rows);
  for (std::int64_t i = 0; i < to.count; ++i) {
    const HostRect rect = to.rect(i);
    copy_rows(rect.data, rect.pitch,
              static_cast<const char*>(block) + static_cast<std::size_t>(i) * rows * pitch, pitch,
              rows, rect.row_bytes);
  }
}

}  // namespace duoblas
