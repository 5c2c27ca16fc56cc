// A program's call at its root: both sides, or the program's own BLAS.
//
//   shim ─> dropin_engine ─> decide() ─> the program's own BLAS: the shim calls it
//                                    └─> carry_out(): engine, level3 or lapack
//
// In: a call whose arguments were checked; the matrices stay the program's. Out: a Decision, then
// an Outcome. Any thread may call.
#pragma once

#include <optional>
#include <variant>

#include "dropin/engine/lapack_program.hpp"
#include "engine/engine.hpp"
#include "engine/gemv_routine.hpp"
#include "problem/blas_call.h"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// A drop-in's call, row-major; LAPACK's as it is.
using ProgramCall = std::variant<GemmProblem, Level3Problem, GemvRoutine, ProgramLapack>;

/// \pre the call's arguments were checked.
ProgramCall program_call(const duoblas_blas_call& call);

/// Whether memory bounds it.
constexpr bool is_stream(int routine) {
  return routine == DUOBLAS_GEMV;
}
/// What the engine knows of such a call; null: it is none.
const StreamRoutine* stream_of(const ProgramCall& problem);
/// As BLAS has it: nothing is read or written, whatever the scalars.
bool is_empty(const StreamRoutine& routine);

/// \pre not is_stream(). The product itself; of a level-3 call other than gemm one as large as the
/// largest of its first halving (level3/smallest_flops.hpp), without matrices.
GemmProblem product_of(const duoblas_blas_call& call);

/// Why the program's own BLAS keeps a call, by what is remembered of calls like it; nothing: it is
/// to be decided. Takes no plan, which takes microseconds.
std::optional<Reason> remembered_reason(const Engine& engine, const duoblas_blas_call& call);

/// Who does the call: the program's own BLAS where that is as fast as far as is known, where the
/// GPU's kernels are not there yet, or where our CPU BLAS could not do its part. Nothing is
/// written, and nobody who asked for nothing waits for a compiler.
Decision decide(Engine& engine, const duoblas_blas_call& call, const ProgramCall& problem);

/// Does what was decided, and learns from how long it took. \pre decision.who is not the program's
/// BLAS.
Outcome carry_out(Engine& engine, const ProgramCall& problem, Decision&& decision);

/// `threads_sleep`: those of the program's BLAS, as far as is known. Whether it is wanted what the
/// program's BLAS takes for a call that was left to it. Then the thread ends that with end_timed(),
/// when the call is done.
bool begin_timed(Engine& engine, const Decision& decision, bool threads_sleep);
/// \param seconds infinite: there was no such BLAS.
void end_timed(Engine& engine, double seconds);

}  // namespace duoblas
