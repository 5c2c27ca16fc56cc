// One engine for a benchmark program, set up by the environment as a user's program would be.
#pragma once

#include <benchmark/benchmark.h>

#include "engine/engine.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {

/// Made at the first call, for the whole program.
Engine& bench_engine();

/// The engine's tuned point nearest to the problem; null: the built-in choices.
const TunedPoint* bench_point(const GemmProblem& problem);

/// Runs `problem` by `plan` until the library has timed it, and counts GFLOPS and the rows or
/// columns that went to the GPU. A run on which the GPU failed is an error, not a time.
void time_plan(benchmark::State& state, const MeasuredProblem& problem, const Plan& plan);

/// Ends the benchmark, where it needs a GPU and there is none, with the reason; true: it did.
bool skip_without_gpu(benchmark::State& state);

/// The body of main for programs that make their benchmarks at run time: the exit code, 2 for an
/// unknown argument.
int run_registered(int argc, char** argv, void (*register_all)());

}  // namespace duoblas
