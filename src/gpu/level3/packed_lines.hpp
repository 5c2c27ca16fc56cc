// Lines of A and B that many products of a level-3 job multiply by, packed once for all of them.
#pragma once

#include <memory>

#include "gpu/level3/level3_program.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// One job's. The caller has the device's mutex.
class PackedLines {
 public:
  /// `all`: the product by all lines of A, or of B, as packed_once() has it.
  PackedLines(OpenedDevice& device, const KernelParams& kernel, const GemmProblem& all)
      : device_(device), kernel_(kernel), all_(all) {}

  /// The B of a product by lines of `step.b`'s matrix, which is `matrix`. Where that is not packed
  /// yet, it is; that kernel is added to `kernels`. \throws DeviceError.
  BoundOperand lines(const MultiplyStep& step, const BoundOperand& matrix, EarlierKernels& kernels);

 private:
  OpenedDevice& device_;
  const KernelParams kernel_;
  const GemmProblem all_;
  std::shared_ptr<const cl::Buffer> of_a_, of_b_;  ///< null: yet to be packed
};

}  // namespace duoblas
