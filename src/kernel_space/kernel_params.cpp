#include "kernel_space/kernel_params.hpp"

namespace duoblas {

int width_along_m(const KernelParams& params) {
  return params.vector_width_m > 0 ? params.vector_width_m : params.vector_width;
}

// A panel kernel reads single elements of op(A) along k and vectors along the columns of op(B).
// Transposed operands have these far apart in memory: packing them first is faster at all sizes.
bool packs_a(const KernelParams& params, Op op_a) {
  return params.pack_a || (params.family == KernelFamily::panel && op_a != Op::none);
}

bool packs_b(const KernelParams& params, Op op_b) {
  return params.pack_b || (params.family == KernelFamily::panel && op_b != Op::none);
}

}  // namespace duoblas
