// Copies of operands whose leading dimension a 32-bit integer cannot hold, for a CPU BLAS with such
// integers. The copies live for the length of one call, on the calling thread.
#pragma once

#include <cstdint>
#include <functional>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// The largest leading dimension of the call's operands.
std::int64_t widest_ld(const Level3Problem& p);

/// Calls `run` with each operand over `max_ld` copied, and then brings back what it wrote: of
/// C of syrk, syr2k, herk and her2k the stored triangle only. \pre no extent is over max_ld.
void with_narrow_copies(const Level3Problem& p, std::int64_t max_ld,
                        const std::function<void(const Level3Problem&)>& run);

}  // namespace duoblas
