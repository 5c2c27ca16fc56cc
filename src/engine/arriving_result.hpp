// The check of a result that arrives through page-locked memory. Each part is checked before it is
// copied to the caller's C. Until then C holds its old values, so they need no copy.
#pragma once

#include <cstdint>
#include <map>

#include "check/product_check.hpp"
#include "memory/download_ring.hpp"

namespace duoblas {

/// For a product with beta != 0. One thread at a time.
class ArrivingResult final : public ArrivalCheck {
 public:
  /// `check`: of this part, with OldC::in_place.
  ArrivingResult(ProductCheck& check, const GemmProblem& part) : check_(check), part_(part) {}

  void will_be_written() noexcept override;
  bool is_right(const RowsCopy& rows) noexcept override;

  /// C's old values were copied, so the check runs after the result has arrived.
  bool kept() const { return kept_; }
  /// All rows that arrived were checked; false if none arrived, or if memory was short.
  bool saw_all() const { return rows_ > 0 && !short_of_memory_; }
  const CheckVerdict& verdict() const { return verdict_; }
  double seconds() const;

 private:
  void look(const RowsCopy& rows);

  ProductCheck& check_;
  const GemmProblem part_;
  bool kept_ = false, short_of_memory_ = false;
  std::int64_t rows_ = 0;
  CheckVerdict verdict_;
  /// By their first column, for rows that arrive in parts.
  std::map<std::int64_t, ProductCheck> of_columns_;
};

}  // namespace duoblas
