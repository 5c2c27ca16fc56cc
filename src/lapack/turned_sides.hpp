// ormqr from the right as one from the left: B op(Q) = (op(Q)^H B^H)^H, of a copy of B^H.
#pragma once

#include "cpu/cpu_config.hpp"
#include "engine/engine.hpp"
#include "memory/page_block.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// What from_left() is to be, of which B is not made yet: for decisions. \pre Side::right.
LapackProblem seen_from_left(const LapackProblem& ormqr);

/// A copy of B^H for the length of a call: a device that fails leaves B as it was. Both copies are
/// made by the CPU's cores.
class TurnedSides {
 public:
  /// \throws std::bad_alloc.
  TurnedSides(Engine& engine, const LapackProblem& ormqr, const CpuConfig& cpu);
  const LapackProblem& from_left() const { return from_left_; }
  /// Into the caller's B.
  void turn_back() const;

 private:
  Engine& engine_;
  const LapackProblem p_;
  const CpuConfig cpu_;
  LapackProblem from_left_;
  PageBlock memory_;
};

}  // namespace duoblas
