// The device memory that a product takes beside its operands: how much, and a program's own memory
// for it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "gpu/device/device_scratch.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "opencl/callers_objects.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Bytes by part; 0: the product does not need it.
struct WorkspaceBytes {
  std::size_t packed_a = 0, packed_b = 0;
  std::size_t partial = 0;  ///< sums of a split k
  std::size_t flag = 0;     ///< the guard's (kernels/guard.cl)
  std::size_t zeros = 0;    ///< multiplied if C is only scaled
  /// The sum, with each part at a multiple of `alignment`.
  std::size_t total(std::size_t alignment) const;
};

/// What submit_product needs for the problem's sizes and ops. \pre m, n, k >= 1. \throws
/// DeviceError like launch().
WorkspaceBytes workspace_bytes(const GemmProblem& problem, const KernelParams& kernel,
                               const DeviceLimits& limits);

/// A program's memory, which products use for these parts. Products that follow one another on one
/// in-order queue may use the same.
class Workspace {
 public:
  explicit Workspace(cl::CallerBuffer memory) : memory_(std::move(memory)) {}

  const cl::CallerBuffer& memory() const { return memory_; }
  /// From now on `scratch` and `zeros` use this memory; their own is freed. Parts that lie as at
  /// the last call are the same buffers; no two have bytes in common, where the caller keeps none
  /// of them. \throws DeviceError. \pre needs.total(memory().alignment()) <= memory().bytes()
  void serve(const WorkspaceBytes& needs, DeviceScratch& scratch, ScratchBuffer& zeros);

 private:
  struct Part {
    std::size_t first = 0, bytes = 0;
    std::shared_ptr<const cl::Buffer> buffer;
  };
  cl::CallerBuffer memory_;
  std::array<Part, 5> parts_;
};

}  // namespace duoblas
