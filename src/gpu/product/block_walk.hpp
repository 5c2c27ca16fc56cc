// The order in which a product's blocks are computed.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_space/device_blocks.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// One slice of one block of C. The blocks of A, B and C that it needs are identified by number.
struct BlockStep {
  std::int64_t row = 0, column = 0, slice = 0;
  std::int64_t a = 0, b = 0;
  std::int64_t c = 0;  ///< in the order of the walk
  bool opens_c = false, closes_c = false;
};

/// There and back again: neighbouring steps share a block of A, of B or both.
class BlockWalk {
 public:
  BlockWalk(const GemmProblem& problem, const DeviceBlocks& blocks);

  std::int64_t steps() const { return results() * slices_; }
  std::int64_t results() const { return down_ * across_; }  ///< blocks of C
  BlockStep step(std::int64_t number) const;
  BlockStep first_step_of(std::int64_t result) const { return step(result * slices_); }

  /// The product of one step. Later slices add to the result of earlier ones.
  GemmProblem product(const BlockStep& step) const;
  /// A block of C without its first rows: the rest, if those rows are finished.
  GemmProblem rest_of(const BlockStep& step, std::int64_t rows_done) const;
  /// Products of all shapes that occur: blocks at the edges are smaller.
  std::vector<GemmProblem> corners() const;

 private:
  Interval rows(std::int64_t row) const;
  Interval columns(std::int64_t column) const;

  const GemmProblem problem_;
  const DeviceBlocks blocks_;
  const std::int64_t down_, across_, slices_;
};

}  // namespace duoblas
