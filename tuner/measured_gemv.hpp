// A gemv with its own random operands, to be measured and verified.
#pragma once

#include <cstdint>

#include "problem/caller_gemv.hpp"
#include "problem/host_rect.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {

/// Owns A, x and y as MeasuredProblem owns its matrices; alpha = 1, beta = 0.
class MeasuredGemv {
 public:
  /// Uses the layout, op, type and sizes of `call`. \throws std::bad_alloc.
  MeasuredGemv(CallerGemv call, unsigned seed);

  /// The row-major problem.
  const GemvProblem& problem() const { return problem_; }
  HostRect a() const;
  /// Sets every element of y to NaN, so that elements that are not written are detected.
  void poison() { memory_.poison_c(); }
  /// The scaled error (verify.hpp) of some of y: at its ends, on both sides of `boundary`, and
  /// anywhere; infinite where an element was not written.
  double error(std::int64_t boundary, unsigned seed) const;

 private:
  double error_of(Interval outputs) const;

  GemvProblem problem_;
  MeasuredProblem memory_;
};

}  // namespace duoblas
