#include "level3/smallest_flops.hpp"

#include "problem/halving.hpp"

namespace duoblas {

double smallest_flops(const Engine& engine, Routine routine, Precision precision) {
  return engine.plans().smallest_gemm_flops(precision) / largest_product_share(routine);
}

}  // namespace duoblas
