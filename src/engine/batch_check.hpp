// Whether what the GPU computed of a batch is right: some of its products, or all.
#pragma once

#include <cstdint>
#include <vector>

#include "check/product_check.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class BatchCheck {
 public:
  /// Before the GPU writes C. `part`'s memory stays until this is over. `most`: products that are
  /// looked at, drawn by `seed`. Where C is read, all of it is kept. \pre can_check() of the
  /// largest group's shape. \throws std::bad_alloc.
  BatchCheck(const BatchProblem& part, std::uint64_t seed, double slack, std::int64_t most);

  /// After the GPU's part is there. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Of the product that was wrong. \pre there was one.
  const GemmProblem& wrong_product() const { return products_.at(wrong_); }
  /// Puts back what every C of the part was, where it is read.
  void restore_c() const noexcept;
  /// Processor time that checking took.
  double seconds() const;

 private:
  const BatchProblem part_;
  std::vector<GemmProblem> products_;
  std::vector<ProductCheck> checks_;
  std::vector<std::vector<char>> old_c_;  ///< of each group, dense; empty: it is overwritten
  std::size_t wrong_ = 0;
};

}  // namespace duoblas
