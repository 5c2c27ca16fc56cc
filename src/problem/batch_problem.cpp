#include "problem/batch_problem.hpp"

#include <algorithm>

namespace duoblas {
namespace {

double work_of(const BatchGroup& group) {
  // C is read and written even where nothing is multiplied.
  const auto& p = group.shape;
  const double scaling = static_cast<double>(p.m) * static_cast<double>(p.n);
  return flops(group) + static_cast<double>(group.count) * scaling;
}

}  // namespace

const void* BatchOperand::at(std::int64_t product) const {
  if (places != nullptr) return places[product];
  if (first == nullptr) return nullptr;
  return static_cast<const char*>(first) +
         product * stride * static_cast<std::int64_t>(element_bytes);
}

GemmProblem BatchGroup::product(std::int64_t number) const {
  GemmProblem p = shape;
  p.a = a.at(number);
  p.b = b.at(number);
  p.c = const_cast<void*>(c.at(number));
  return p;
}

std::int64_t BatchProblem::count() const {
  std::int64_t all = 0;
  for (const BatchGroup& group : groups) all += group.count;
  return all;
}

bool BatchProblem::empty() const {
  return std::ranges::all_of(groups, [](const BatchGroup& group) { return group.empty(); });
}

const BatchGroup* BatchProblem::largest() const {
  const BatchGroup* most = nullptr;
  for (const BatchGroup& group : groups)
    if (!group.empty() && (most == nullptr || work_of(group) > work_of(*most))) most = &group;
  return most;
}

double flops(const BatchGroup& group) {
  if (group.empty() || group.shape.only_scales_c()) return 0;
  return static_cast<double>(group.count) * flops(group.shape);
}

double flops(const BatchProblem& batch) {
  double all = 0;
  for (const BatchGroup& group : batch.groups) all += flops(group);
  return all;
}

// C of a product `distance` further on has its rows between this one's, or behind.
bool are_apart(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride,
               std::int64_t count) {
  if (rows == 0 || columns == 0 || count <= 1) return true;
  const std::int64_t extent = (rows - 1) * ld + columns;
  if (stride >= extent) return true;
  if (stride == 0) return false;
  for (std::int64_t next = 1; next < count && next * stride < extent; ++next) {
    const std::int64_t distance = next * stride, lines = distance / ld, rest = distance % ld;
    if (lines < rows && rest < columns) return false;
    if (lines + 1 < rows && ld - rest < columns) return false;
  }
  return true;
}

}  // namespace duoblas
