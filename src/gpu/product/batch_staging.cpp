#include "gpu/product/batch_staging.hpp"

#include <cstring>

namespace duoblas {
namespace {

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t rows, std::size_t row_bytes) {
  if (to_pitch == row_bytes && from_pitch == row_bytes) {
    std::memcpy(to, from, rows * row_bytes);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch,
                static_cast<const char*>(from) + row * from_pitch, row_bytes);
}

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

void set_distance(BatchOperand& operand, std::int64_t count) {
  const auto distance = distance_of(operand, count);
  if (!distance) return;
  operand.first = operand.at(0);
  operand.places = nullptr;
  operand.stride = *distance;
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

BatchGroup with_distances(BatchGroup group) {
  if (group.count == 0) return group;
  for (BatchOperand* operand : {&group.a, &group.b, &group.c}) set_distance(*operand, group.count);
  return group;
}

std::vector<HostRect> rects_of_c(const BatchProblem& batch) {
  std::vector<HostRect> rects;
  for (const BatchGroup& group : batch.groups) {
    if (group.empty()) continue;
    const OperandOfGroup c = c_of(group);
    if (const auto all = c.all_memory()) {
      rects.push_back(*all);
      continue;
    }
    for (std::int64_t i = 0; i < c.count; ++i) rects.push_back(c.rect(i));
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
