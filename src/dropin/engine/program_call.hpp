// A program's own call: by both sides, or by the program's own BLAS.
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
#include "problem/blas_call.h"
#include "problem/gemv_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// A drop-in's call, row-major; LAPACK's calls as they are.
using ProgramCall = std::variant<GemmProblem, Level3Problem, GemvProblem, ProgramLapack>;

/// \pre the call's arguments were checked.
ProgramCall program_call(const duoblas_blas_call& call);

/// Whether the routine is memory-bound.
constexpr bool is_stream(int routine) {
  return routine == DUOBLAS_GEMV;
}
/// Nothing to read or write, by BLAS's rules, whatever the scalars are.
inline bool is_empty(const GemvProblem& problem) {
  return problem.empty() || problem.terms() == 0;
}

/// The product itself. For a level-3 call other than gemm: a product as large as the largest of its
/// first halving (level3/blocked_level3.hpp), without matrices. \pre not is_stream().
GemmProblem product_of(const duoblas_blas_call& call);

/// Why the program's own BLAS keeps a call, judged by earlier calls like it; nothing: it must be
/// decided. Makes no plan, which takes microseconds.
std::optional<Reason> remembered_reason(const Engine& engine, const duoblas_blas_call& call);

/// Who does the call. It is the program's own BLAS if that is as fast as far as is known, if the
/// GPU's kernels are not there yet, or if our CPU BLAS could not do its part. Nothing is written,
/// and a call that asked for nothing never waits for a compiler.
Decision decide(Engine& engine, const duoblas_blas_call& call, const ProgramCall& problem);

/// Carries out the decision, and learns from the time. \pre decision.who is not the program's BLAS.
Outcome carry_out(Engine& engine, const ProgramCall& problem, Decision&& decision);

/// Whether to time a call that is left to the program's BLAS. If true, the thread calls end_timed()
/// when the call is done.
bool begin_timed(Engine& engine, const ProgramCall& problem, const Decision& decision);
/// \param seconds infinite: there was no such BLAS. \param contended by another thread's call.
void end_timed(Engine& engine, double seconds, bool contended);
/// Learns from an undisturbed call of the program's BLAS before the device is open. Of such calls
/// the policy of the start counts those that it needs.
void note_before_device(Engine& engine, const duoblas_blas_call& call, double seconds);

}  // namespace duoblas
