// Counts who computed a program's BLAS calls, for a table at its end (DUOBLAS_SUMMARY).
#pragma once

#include <optional>
#include <string>

#include "engine/outcome.hpp"
#include "planner/reason.hpp"
#include "planner/way.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// The leading terms of a call's flops, also if its arguments are illegal.
double flops(const duoblas_blas_call& call);

/// Notes a call that was not left to the program's own BLAS. After the first one this process
/// prints the table on standard error when it exits; a child that is forked later prints nothing.
/// Thread-safe, as are the next two.
void note_done(const duoblas_blas_call& call, const Outcome& outcome) noexcept;
void note_passed_on(const duoblas_blas_call& call, Reason reason) noexcept;
/// Notes a call of ?copy that the engine was asked for. Without `who` it was passed on.
void note_copy(const duoblas_copy& call, std::optional<Way> who, double seconds) noexcept;

/// The table; empty if this process noted nothing.
std::string summary_so_far();

/// Prints a line on standard error for a call that the program's own BLAS does (DUOBLAS_VERBOSE=2).
void say_passed_on(const duoblas_blas_call& call, Reason reason) noexcept;

}  // namespace duoblas
