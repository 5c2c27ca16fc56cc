// How one product will be done: which side has which part of C, the kernel, the cores, the reason.
// Made by the planner before anything is touched, carried out by the engine. A value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernel_space/kernel_params.hpp"
#include "planner/forecast.hpp"
#include "planner/reason.hpp"
#include "problem/partition.hpp"
#include "sides/cpu_config.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

struct Plan {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid; never automatic
  Axis axis = Axis::rows;
  std::int64_t gpu_extent = 0;  ///< rows (or columns) of C that the GPU computes
  Share share;                  ///< the share that gpu_extent was rounded from
  /// The plan is for this many rows of C, from the top; the CPU alone does the others afterwards.
  /// 0: for all of C. This is a cheap test of a kind of call about which nothing is known.
  std::int64_t entry_rows = 0;
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  CpuConfig cpu;
  /// The cost model's estimates for this plan and for the CPU alone; 0: not known.
  double expected_seconds = 0;
  double cpu_only_seconds = 0;
  Reason reason = Reason::none;
  /// What the learner compares the call's times with; nothing if there is nothing to learn.
  std::optional<Forecast> forecast;

  /// The rows of C that the plan covers, and those that the CPU alone does afterwards.
  PartitionedProblem parts(const GemmProblem& problem) const {
    return partition(problem, Axis::rows, entry_rows > 0 ? entry_rows : problem.m);
  }
  /// The plan of the first alone.
  Plan of_first_part(const GemmProblem& problem) const {
    Plan first = *this;
    if (entry_rows == 0) return first;
    const double share = static_cast<double>(entry_rows) / static_cast<double>(problem.m);
    first.entry_rows = 0;
    first.cpu_only_seconds *= share;
    first.expected_seconds =
        std::max(0.0, expected_seconds - (cpu_only_seconds - first.cpu_only_seconds));
    if (first.forecast) first.forecast->modelled[place_of(Timed::cpu_all)] *= share;
    return first;
  }
  bool uses_gpu() const { return strategy != Strategy::cpu && gpu_extent > 0; }
};

}  // namespace duoblas
