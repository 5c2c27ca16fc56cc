// The check of a result that comes back through page-locked memory: each part is looked at before
// it is the caller's, whose old C needs no copy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "check/product_check.hpp"
#include "memory/arrival_check.hpp"

namespace duoblas {

/// A check that is to be made, of OldC::in_place. Where it is made `beside` the GPU, what needs no
/// result is done while the GPU works, which takes less time, and blurs what the GPU took; else
/// after all of the times. (Results that arrive piece by piece are checked then in any case.)
struct WantedCheck {
  /// As ProductCheck's.
  WantedCheck(const GemmProblem& product, std::uint64_t seed, double slack, bool beside_gpu)
      : check(product, seed, slack, OldC::in_place),
        draws(seed),
        allows(slack),
        beside(beside_gpu) {}

  ProductCheck check;
  std::uint64_t draws;
  double allows;
  bool beside;
};

/// Of a product with beta != 0. One thread at a time.
class ArrivingResult final : public ArrivalCheck {
 public:
  ArrivingResult(WantedCheck& wanted, const GemmProblem& part) : wanted_(wanted), part_(part) {}

  void will_be_written() noexcept override;
  bool is_right(const RowsCopy& rows) noexcept override;

  /// C was kept: the check is wanted.check's, after the result.
  bool kept() const { return kept_; }
  /// What was seen of the rows that arrived; nothing where none did, or memory was short.
  bool saw_all() const { return rows_ > 0 && !short_of_memory_; }
  const CheckVerdict& verdict() const { return verdict_; }
  double seconds() const;

 private:
  void look(const RowsCopy& rows);

  WantedCheck& wanted_;
  const GemmProblem part_;
  bool kept_ = false, short_of_memory_ = false;
  std::int64_t rows_ = 0;
  CheckVerdict verdict_;
  std::map<std::int64_t, ProductCheck> of_columns_;  ///< by their first one, where they are not all
};

}  // namespace duoblas
