// What a host batch's call takes besides its products: each side alone at several numbers of them.
#pragma once

#include "engine/engine.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

/// Prints, of `batch` (one strided group) at an eighth to all of its products: seconds of the CPU
/// side and of the GPU alone, the GPU's submit apart; a straight line through each side's times
/// (what a call takes, and what a product takes); both sides on halves, and what the lines say of
/// that; an empty round of the CPU side's threads. `engine` has a GPU, and nobody else uses it.
void account_of_batch(Engine& engine, const BatchProblem& batch, int rounds);

}  // namespace duoblas
