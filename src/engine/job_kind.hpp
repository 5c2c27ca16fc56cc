// Jobs of the device that are alike, so that failures of one say something about the next
// (JobBackoff).
#pragma once

#include <cmath>
#include <compare>
#include <optional>

#include "problem/gemm_problem.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// The same routine and type, and flops within a factor of two.
struct JobKind {
  std::optional<LapackRoutine> routine;  ///< nothing: a product
  Precision precision;
  int log_flops;

  JobKind(const LapackProblem& job)
      : routine(job.routine), precision(job.precision), log_flops(std::ilogb(flops(job))) {}
  JobKind(const GemmProblem& job) : precision(job.precision), log_flops(std::ilogb(flops(job))) {}

  friend auto operator<=>(const JobKind&, const JobKind&) = default;
};

}  // namespace duoblas
