// What the steps of a factorisation in place take, by kinds of work, relative to one another: what
// is known before it begins, then what the call's own steps took. So a step is divided by the rates
// that both sides had beside one another a moment ago.
#pragma once

#include <array>
#include <cstddef>

#include "engine/device_updates.hpp"
#include "planner/plan.hpp"

namespace duoblas {

enum class StepWork { device_product, product, panel, rows_of_u };

class StepCosts {
 public:
  /// `plan`: of a whole update.
  explicit StepCosts(const Plan& plan);

  /// What the call's work took. Without flops or seconds, or if they are no numbers, it tells
  /// nothing.
  void note(StepWork work, double flops, double seconds);
  /// The same of what the device took for a product. If that is an upper bound, it tells something
  /// where more was expected.
  void note_device(double flops, const SideSeconds& took);
  /// The time of a flop over that of a flop of the CPU's products.
  double of(StepWork work) const;

 private:
  static constexpr std::size_t kinds = 4;
  std::array<double, kinds> expected_;
  std::array<double, kinds> seconds_{};  ///< of a flop; 0: none was timed
};

}  // namespace duoblas
