// The order in which a product's blocks are computed.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/device_blocks.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// One slice of one block of C. The blocks of A, B and C that it needs are told apart by number.
struct BlockStep {
  std::int64_t row = 0, column = 0, slice = 0;
  std::int64_t a = 0, b = 0;
  std::int64_t c = 0;  ///< counted in the order of the walk
  bool opens_c = false, closes_c = false;
};

/// There and back again: neighbours in the walk have a block of A, of B or both in common.
class BlockWalk {
 public:
  BlockWalk(const GemmProblem& problem, const DeviceBlocks& blocks);

  std::int64_t steps() const { return results() * slices_; }
  std::int64_t results() const { return down_ * across_; }  ///< blocks of C
  BlockStep step(std::int64_t number) const;
  BlockStep first_step_of(std::int64_t result) const { return step(result * slices_); }

  /// The product of one step: a later slice adds to what is there.
  GemmProblem product(const BlockStep& step) const;
  /// All of a block of C, but for its first rows: what is left to do where those are done.
  GemmProblem rest_of(const BlockStep& step, std::int64_t rows_done) const;
  /// Products of all the shapes that there are: at the edges blocks are smaller.
  std::vector<GemmProblem> corners() const;

 private:
  Interval rows(std::int64_t row) const;
  Interval columns(std::int64_t column) const;

  const GemmProblem problem_;
  const DeviceBlocks blocks_;
  const std::int64_t down_, across_, slices_;
};

}  // namespace duoblas
