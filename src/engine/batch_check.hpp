// Checks the GPU's results of a batch: some of its products, or all.
#pragma once

#include <cstdint>
#include <vector>

#include "check/product_check.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class BatchCheck {
 public:
  /// Make it before the GPU writes C. `part`'s memory must stay until the check is over. `most`:
  /// the number of products to check, drawn by `seed`. If C is read, a copy of all of it is kept.
  /// \pre can_check() of the largest group's shape. \throws std::bad_alloc.
  BatchCheck(const BatchProblem& part, std::uint64_t seed, double slack, std::int64_t most);

  /// Call it after the GPU's part is complete. \throws std::bad_alloc.
  CheckVerdict compare();
  /// The product that was wrong. \pre there was one.
  const GemmProblem& wrong_product() const { return products_.at(wrong_); }
  /// Restores every C of the part that is read.
  void restore_c() const noexcept;
  /// Processor time of the check.
  double seconds() const;

 private:
  const BatchProblem part_;
  std::vector<GemmProblem> products_;
  std::vector<ProductCheck> checks_;
  std::vector<std::vector<char>> old_c_;  ///< of each group, dense; empty if C is overwritten
  std::size_t wrong_ = 0;
};

}  // namespace duoblas
