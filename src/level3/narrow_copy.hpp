// Copies operands whose leading dimension exceeds a 32-bit integer, for a CPU BLAS with such
// integers. The copies live for one call, on the calling thread.
#pragma once

#include <cstdint>
#include <functional>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// The largest leading dimension of the call's operands.
std::int64_t widest_ld(const Level3Problem& p);

/// Calls `run` with a copy of each operand whose ld is over `max_ld`, and then copies back what it
/// wrote: for C of syrk, syr2k, herk and her2k only the stored triangle. \pre no extent is over
/// max_ld.
void with_narrow_copies(const Level3Problem& p, std::int64_t max_ld,
                        const std::function<void(const Level3Problem&)>& run);

}  // namespace duoblas
