// The timings of tuned points.
#pragma once

#include <array>
#include <cstddef>

#include "planner/planned_partition.hpp"
#include "planner/time_model.hpp"
#include "profile/profile.hpp"

namespace duoblas {

/// The times that are modelled: of calls on one side, and of each side while both work.
enum class Timed : std::size_t { cpu_all, gpu_alone, gpu_side, cpu_side };
constexpr std::size_t timed_models = 4;

constexpr std::size_t place_of(Timed what) {
  return static_cast<std::size_t>(what);
}

struct PointTimings {
  std::array<TimedWork, timed_models> works;  ///< at place_of()
  /// Seconds of the co-tuned whole call and of its slower side; 0: not measured.
  double whole = 0, slower_side = 0;
};

PointTimings timings_of(const TunedPoint& point);

/// The product of the point, with null pointers.
GemmProblem problem_of(const TunedPoint& point);

/// cpu (on all cores), gpu or hybrid; the simpler one if two cost the same. A strategy that was not
/// measured is never chosen.
Strategy least_cost_strategy(const TunedPoint& point);

/// Flops per second of the GPU alone in the largest tuned product of this type; 0: none is known.
double tuned_gpu_rate(const Profile& profile, Precision precision);

/// Bytes of A, B and C, each once.
double operand_bytes(Precision precision, const WorkSizes& sizes);

}  // namespace duoblas
