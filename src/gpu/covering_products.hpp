// Small products that together go through every part of a kernel's code: inner tiles and edges, one
// slice of k and many, offsets and gaps, what alpha and beta switch.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernel_source.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// A product without memory: its pointers are null, its leading dimensions count.
struct CoveringProduct {
  GemmProblem problem;
  std::int64_t before_a = 0, before_b = 0, before_c = 0;  ///< elements in front of the first one
};

/// Whether rows can lie as the variant reads them: those of sizes that are compiled in may end
/// elsewhere.
bool has_products(const KernelVariant& variant);

/// Of sizes, places and gaps for which the variant is compiled; those that are compiled in stay.
/// \pre has_products(variant).
std::vector<CoveringProduct> covering_products(const KernelVariant& variant);

}  // namespace duoblas
