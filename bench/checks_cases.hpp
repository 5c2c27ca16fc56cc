// What bench_checks measures.
#pragma once

#include "bench/harness.hpp"

namespace duoblas {

/// The processor time of checks beside that of the calls.
BenchCase cost_case();
/// Products of doubles by integers: how often they are certified, and their errors.
BenchCase integers_case();
/// The same, phase by phase.
BenchCase phases_case();

}  // namespace duoblas
