// Small products that together run every part of a kernel's code: inner tiles and edges, one slice
// of k and many, offsets and gaps, and the cases of alpha and beta.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernels/kernel_source.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// A product without memory: its pointers are null, its leading dimensions count.
struct CoveringProduct {
  GemmProblem problem;
  std::int64_t before_a = 0, before_b = 0, before_c = 0;  ///< elements in front of the first one
};

/// Whether there are products whose rows lie as the variant reads them. Rows of compiled-in sizes
/// may end elsewhere.
bool has_products(const KernelVariant& variant);

/// Products with the sizes, offsets and gaps for which the variant is compiled. Compiled-in sizes
/// are kept. \pre has_products(variant).
std::vector<CoveringProduct> covering_products(const KernelVariant& variant);

}  // namespace duoblas
