// What became of a program's BLAS calls: counted for a table at its end (DUOBLAS_SUMMARY).
#pragma once

#include "engine/outcome.hpp"
#include "planner/reason.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// The leading terms of what a call computes, also where its arguments are illegal.
double flops(const duoblas_blas_call& call);

/// A call that was not left to the program's own BLAS. The first call that is noted makes this
/// process print the table on standard error when it exits. A child that is forked after that
/// prints nothing. Thread-safe, as is note_passed_on.
void note_done(const duoblas_blas_call& call, const Outcome& outcome) noexcept;
void note_passed_on(const duoblas_blas_call& call, Reason reason) noexcept;

/// A line on standard error for a call that the program's own BLAS does (DUOBLAS_VERBOSE=2).
void say_passed_on(const duoblas_blas_call& call, Reason reason) noexcept;

}  // namespace duoblas
