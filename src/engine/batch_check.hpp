// Checks the GPU's results of a batch: some of its products, or all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/product_check.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class BatchCheck final : public ResultCheck {
 public:
  /// Make it before the GPU writes C. `part`'s memory must stay until the check is over. `most`:
  /// the number of products to check, drawn by `seed`. If C is read, a copy of all of it is kept.
  /// \pre can_check() of the largest group's shape. \throws std::bad_alloc.
  BatchCheck(const BatchProblem& part, std::uint64_t seed, double slack, std::int64_t most);

  void restore() const noexcept override;
  std::string describe(const WrongElement& wrong) const override;
  double seconds() const override;

 private:
  CheckVerdict do_compare() override;

  const BatchProblem part_;
  std::vector<ProductCheck> checks_;
  std::vector<std::vector<char>> old_c_;  ///< of each group, dense; empty if C is overwritten
  std::size_t wrong_ = 0;                 ///< the product that was
};

}  // namespace duoblas
