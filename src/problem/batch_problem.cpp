#include "problem/batch_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "problem/partition.hpp"

namespace duoblas {
namespace {

double work_of(const BatchGroup& group) {
  // C is read and written even where nothing is multiplied.
  const auto& p = group.shape;
  const double scaling = static_cast<double>(p.m) * static_cast<double>(p.n);
  return flops(group) + static_cast<double>(group.count) * scaling;
}

void add(BatchProblem& batch, BatchGroup group) {
  if (group.count > 0) batch.groups.push_back(std::move(group));
}

}  // namespace

const void* BatchOperand::at(std::int64_t product) const {
  if (places != nullptr) return places[product];
  if (first == nullptr) return nullptr;
  return static_cast<const char*>(first) +
         product * stride * static_cast<std::int64_t>(element_bytes);
}

BatchOperand BatchOperand::from(std::int64_t product) const {
  BatchOperand rest = *this;
  if (places != nullptr)
    rest.places += product;
  else
    rest.first = at(product);
  return rest;
}

GemmProblem BatchGroup::product(std::int64_t number) const {
  GemmProblem p = shape;
  p.a = a.at(number);
  p.b = b.at(number);
  p.c = const_cast<void*>(c.at(number));
  return p;
}

BatchGroup BatchGroup::part(std::int64_t first, std::int64_t products) const {
  BatchGroup rest = *this;
  rest.a = a.from(first);
  rest.b = b.from(first);
  rest.c = c.from(first);
  rest.count = products;
  return rest;
}

BatchGroup group_of(const GemmProblem& product) {
  const std::size_t element = element_size(product.precision);
  BatchGroup group;
  group.shape = product;
  group.shape.a = group.shape.b = nullptr;
  group.shape.c = nullptr;
  group.a = {product.a, 0, nullptr, element};
  group.b = {product.b, 0, nullptr, element};
  group.c = {product.c, 0, nullptr, element};
  group.count = 1;
  return group;
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

PartitionedBatch partition(const BatchProblem& batch, const BatchPartition& at) {
  PartitionedBatch parts;
  parts.gpu.precision = parts.cpu.precision = batch.precision;
  std::int64_t left = at.products;
  bool is_next = at.rows > 0;
  for (const BatchGroup& group : batch.groups) {
    const std::int64_t whole = std::min(left, group.count);
    left -= whole;
    add(parts.gpu, group.part(0, whole));
    std::int64_t done = whole;
    if (whole < group.count && is_next) {
      const PartitionedProblem one = partition(group.product(whole), Axis::rows, at.rows);
      add(parts.gpu, group_of(one.gpu));
      add(parts.cpu, group_of(one.cpu));
      is_next = false;
      ++done;
    }
    add(parts.cpu, group.part(done, group.count - done));
  }
  return parts;
}

BatchPartition batch_partition(const BatchProblem& batch, double part, std::int64_t rows_of_one) {
  double all = 0;
  for (const BatchGroup& group : batch.groups) all += work_of(group);
  double wanted = std::clamp(part, 0.0, 1.0) * all;
  BatchPartition at;
  for (const BatchGroup& group : batch.groups) {
    const double work = work_of(group);
    if (group.count == 0) continue;
    if (wanted >= work) {
      at.products += group.count;
      wanted -= work;
      continue;
    }
    const double one = work / static_cast<double>(group.count);
    if (!(one > 0)) break;
    const double products = wanted / one;
    if (rows_of_one <= 1 || group.shape.only_scales_c()) {
      at.products += std::min<std::int64_t>(group.count, std::llround(products));
      break;
    }
    const auto whole = std::min(group.count, static_cast<std::int64_t>(products));
    at.products += whole;
    const double rest = products - static_cast<double>(whole);
    const std::int64_t m = group.shape.m;
    const std::int64_t rows =
        std::llround(rest * static_cast<double>(m) / static_cast<double>(rows_of_one)) *
        rows_of_one;
    if (whole == group.count) break;
    if (rows > 0 && m - rows >= rows_of_one)
      at.rows = rows;
    else if (2 * rows >= m)
      ++at.products;
    break;
  }
  return at;
}

}  // namespace duoblas
