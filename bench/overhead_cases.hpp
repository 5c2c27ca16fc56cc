// What bench_overhead measures of the drop-in.
#pragma once

#include <optional>

#include "bench/harness.hpp"

namespace duoblas {

/// Small calls that are passed on, and the start of a program that never multiplies.
BenchCase small_case();

/// "Never slower": a grid of gemv and level-3 calls, through the drop-in and directly.
BenchCase grid_case();
/// The exit code, where this process is a child of grid_case() that tries a core type.
std::optional<int> answered_for_parent(int argc, char** argv);

}  // namespace duoblas
