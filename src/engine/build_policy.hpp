// Whether calls lose so much time without kernels that building them pays, or checking their first
// results.
#pragma once

#include <algorithm>
#include <atomic>

#include "facts/rates.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// What a call gains of the CPU's time where that is to be found out.
inline constexpr double guessed_gain = 0.1;

/// What a call gains by its plan.
inline double gain_of(const Plan& plan) {
  const double cpu = plan.cpu_only_seconds, guessed = guessed_gain * cpu;
  if (plan.forecast && plan.forecast->explores) return guessed;
  const double best = plan.forecast ? plan.forecast->best_seconds : plan.expected_seconds;
  return best > 0 ? std::max(0.0, cpu - best) : guessed;
}

/// Building a kernel takes a core from the program, and on two cores that is half of the machine:
/// in HPL there two kernels were built from which nothing gained. So the time that calls would have
/// gained is added up, like rent before skis are bought (StartPolicy). Thread-safe.
class BuildPolicy {
 public:
  /// A call would have gained `missed` seconds. True: now it pays to build its kernels, or to check
  /// their results, which takes `cost` seconds of the program's time.
  bool pays(double missed, double cost) noexcept {
    double before = pot_.load(std::memory_order_relaxed), after = 0;
    do {
      after = before + missed;
      if (after >= cost) after -= cost;
    } while (!pot_.compare_exchange_weak(before, after, std::memory_order_relaxed));
    return before + missed >= cost;
  }

 private:
  // As much as any program may lose by work that it did not ask for.
  std::atomic<double> pot_{20e-3};
};

/// Seconds of a program's time to build a kernel: those of one of its `cores`, by the kind of the
/// device.
constexpr double build_cost(bool device_is_cpu, int cores) {
  return (device_is_cpu ? rates::seconds_of_build_for_cpu : rates::seconds_of_build_for_gpu) /
         (cores > 1 ? cores : 1);
}

}  // namespace duoblas
