#include "gpu/product/block_walk.hpp"

#include <algorithm>

namespace duoblas {
namespace {

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

Interval block(std::int64_t whole, std::int64_t length, std::int64_t number) {
  return {number * length, std::min(length, whole - number * length)};
}

// The place of a step in a walk along lines of `length` places; every second line is walked
// backwards.
std::int64_t there_and_back(std::int64_t number, std::int64_t length) {
  const std::int64_t at = number % length;
  return number / length % 2 == 0 ? at : length - 1 - at;
}

}  // namespace

BlockWalk::BlockWalk(const GemmProblem& problem, const DeviceBlocks& blocks)
    : problem_(problem),
      blocks_(blocks),
      down_(parts(problem.m, blocks.m)),
      across_(parts(problem.n, blocks.n)),
      slices_(parts(problem.k, blocks.k)) {}

BlockStep BlockWalk::step(std::int64_t number) const {
  BlockStep step;
  step.c = number / slices_;
  step.slice = there_and_back(number, slices_);
  const bool down = blocks_.walk == Axis::rows;
  const std::int64_t line = down ? down_ : across_;
  (down ? step.row : step.column) = there_and_back(step.c, line);
  (down ? step.column : step.row) = step.c / line;
  step.a = step.row * slices_ + step.slice;
  step.b = step.column * slices_ + step.slice;
  step.opens_c = number % slices_ == 0;
  step.closes_c = number % slices_ == slices_ - 1;
  return step;
}

Interval BlockWalk::rows(std::int64_t row) const {
  return block(problem_.m, blocks_.m, row);
}

Interval BlockWalk::columns(std::int64_t column) const {
  return block(problem_.n, blocks_.n, column);
}

GemmProblem BlockWalk::product(const BlockStep& step) const {
  GemmProblem product = block_of(problem_, rows(step.row), columns(step.column),
                                 block(problem_.k, blocks_.k, step.slice));
  if (!step.opens_c) product.beta = 1.0;
  return product;
}

std::vector<GemmProblem> BlockWalk::corners() const {
  std::vector<GemmProblem> products;
  BlockStep step;
  for (step.row = 0; step.row < down_; step.row += std::max<std::int64_t>(1, down_ - 1))
    for (step.column = 0; step.column < across_;
         step.column += std::max<std::int64_t>(1, across_ - 1))
      for (step.slice = 0; step.slice < slices_;
           step.slice += std::max<std::int64_t>(1, slices_ - 1))
        products.push_back(product(step));
  return products;
}

GemmProblem BlockWalk::rest_of(const BlockStep& step, std::int64_t rows_done) const {
  Interval rest = rows(step.row);
  rest.first += rows_done;
  rest.count -= rows_done;
  return block_of(problem_, rest, columns(step.column), {0, problem_.k});
}

}  // namespace duoblas
