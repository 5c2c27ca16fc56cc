// What a job packed, for a next one with the same operand.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel_space/kernel_params.hpp"
#include "opencl/handles.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// All of a product's B in the form of a kernel, in memory that jobs share (DeviceScratch).
struct PackedB {
  std::weak_ptr<const cl::Buffer> buffer;
  std::uint64_t user = 0;  ///< ScratchBuffer::users() when the job was given the buffer
  GemmProblem of;
  KernelParams kernel;
  std::shared_ptr<cl::Event> done;

  /// Whether this product has that B, in form and place. Only its caller knows whether the numbers
  /// are still the same.
  bool suits(const GemmProblem& product, const KernelParams& with) const {
    return product.b == of.b && product.ldb == of.ldb && product.n == of.n && product.k == of.k &&
           product.op_b == of.op_b && product.precision == of.precision && with == kernel;
  }
};

}  // namespace duoblas
