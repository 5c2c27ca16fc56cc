// ormqr from the right as one from the left: B op(Q) = (op(Q)^H B^H)^H, with a copy of B^H.
#pragma once

#include "engine/engine.hpp"
#include "os/page_block.hpp"
#include "problem/lapack_problem.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

/// The problem of from_left() before its B exists: for decisions. \pre Side::right.
LapackProblem seen_from_left(const LapackProblem& ormqr);

/// A copy of B^H during a call, so that B is unchanged if the device fails. The CPU's cores copy in
/// both directions.
class TurnedSides {
 public:
  /// \throws std::bad_alloc.
  TurnedSides(Engine& engine, const LapackProblem& ormqr, const CpuConfig& cpu);
  const LapackProblem& from_left() const { return from_left_; }
  /// Copies the result into the caller's B.
  void turn_back() const;

 private:
  Engine& engine_;
  const LapackProblem p_;
  const CpuConfig cpu_;
  LapackProblem from_left_;
  PageBlock memory_;
};

}  // namespace duoblas
