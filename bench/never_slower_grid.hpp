// The calls of which none is to be slower through the drop-in than without it.
#pragma once

#include <vector>

#include "bench/blas_call.hpp"

namespace duoblas {

/// Every routine and type; squares, thin shapes, odd sizes, op pairs and sides; no extent over
/// `largest`.
std::vector<BlasPoint> never_slower_grid(int largest);

}  // namespace duoblas
