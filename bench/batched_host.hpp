// Batches of host memory: each side alone, both, and what the engine chooses.
#pragma once

#include "bench/batch_peers.hpp"

namespace duoblas {

/// Prints a table of GFLOPS, medians of `rounds` calls in turns: the CPU on all cores, the CPU
/// side's own cores, the GPU alone, both (once shares have settled) and `automatic`, with the part
/// of the sum of the sides that both reach.
/// `account`: also what a call takes besides its products: each side alone at several numbers of
/// them, and a straight line through the times.
void compare_host_batches(const SquareBatch& batch, int rounds, bool account);

}  // namespace duoblas
