// A program's own call of LAPACK: done here, or by the program's own library.
#pragma once

#include <optional>

#include "engine/engine.hpp"
#include "lapack/lapack_call.hpp"
#include "problem/blas_call.h"
#include "problem/caller_lapack.hpp"

namespace duoblas {

constexpr bool is_lapack(int routine) {
  return routine >= DUOBLAS_GETRF;
}

/// A call with pivots that are ints, whatever the program's are.
class ProgramLapack {
 public:
  /// \pre the call's arguments were checked. \throws std::bad_alloc.
  explicit ProgramLapack(const duoblas_blas_call& call);

  const LapackProblem& problem() const { return problem_; }
  /// Copies the results to the program: pivots with its integers, the length that work should have,
  /// and info.
  void publish(int info) const noexcept;

 private:
  LapackProblem problem_;
  std::optional<NarrowPivots> narrow_;  ///< none: the pivots are the program's own
  void* info_ = nullptr;
  void* work_ = nullptr;
  bool is_wide_ = false;
};

/// \pre is_lapack(routine).
LapackRoutine lapack_routine_of(int routine);
/// The call's problem, without its memory.
LapackProblem lapack_problem(const duoblas_blas_call& call);

/// Who does it, as far as earlier times tell. Nothing is written.
Decision decide(Engine& engine, const ProgramLapack& call);
/// Does it. \throws CpuBlasError.
Outcome carry_out(Engine& engine, const ProgramLapack& call, const Decision& decision);

}  // namespace duoblas
