// The check of a result that arrives through page-locked memory. Each part is checked before it is
// copied to the caller's C. Until then C holds its old values, so they need no copy.
#pragma once

#include <cstdint>
#include <map>

#include "check/product_check.hpp"
#include "memory/arrival_check.hpp"

namespace duoblas {

/// A check that is due, with OldC::in_place. `beside`: its part that needs no result runs while the
/// GPU works. That takes less time in all, but disturbs the GPU's measured time. Otherwise all of
/// it runs after the times were taken. (Results that arrive piece by piece are always checked as
/// they arrive.)
struct WantedCheck {
  /// As ProductCheck's.
  WantedCheck(const GemmProblem& product, std::uint64_t seed, double slack, bool beside_gpu,
              const CheckThreads& checkers = {})
      : check(product, seed, slack, OldC::in_place, checkers),
        draws(seed),
        allows(slack),
        threads(checkers),
        beside(beside_gpu) {}

  ProductCheck check;
  std::uint64_t draws;
  double allows;
  CheckThreads threads;
  bool beside;
};

/// For a product with beta != 0. One thread at a time.
class ArrivingResult final : public ArrivalCheck {
 public:
  ArrivingResult(WantedCheck& wanted, const GemmProblem& part) : wanted_(wanted), part_(part) {}

  void will_be_written() noexcept override;
  bool is_right(const RowsCopy& rows) noexcept override;

  /// C's old values were copied, so wanted.check runs after the result has arrived.
  bool kept() const { return kept_; }
  /// All rows that arrived were checked; false if none arrived, or if memory was short.
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
  /// By their first column, for rows that arrive in parts.
  std::map<std::int64_t, ProductCheck> of_columns_;
};

}  // namespace duoblas
