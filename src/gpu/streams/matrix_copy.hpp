// B = alpha op(A) on operands that the device can reach.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/routine_job.hpp"
#include "kernel_space/copy_kernel.hpp"
#include "memory/bound_operand.hpp"
#include "problem/copy_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

struct CopyOperands {
  BoundOperand a, b;
  /// Rows of both start at multiples of a vector's bytes.
  bool aligned = false;
};

/// The programs that submit_copy may ask for, wherever rows start.
std::vector<TriedProgram> copy_programs(const CopyProblem& problem, const CopyKernel& kernel);

/// Enqueues the copy and flushes. Uses the sizes and the scalar of `problem`, not its pointers.
/// \pre not empty, extents up to most_routine_extent. The caller holds the device's mutex. \throws
/// DeviceError.
cl::Event submit_copy(OpenedDevice& device, const CopyProblem& problem, const CopyKernel& kernel,
                      const CopyOperands& operands);

/// The first element of B that differs from alpha op(A) by more than a rounding of each operation;
/// empty: none. Checks every `step`-th element of a row.
std::string wrong_copy(const CopyProblem& problem, std::int64_t step);

/// The GPU's part of a copy of the caller's memory. B is written in place if the driver shares it;
/// else it is copied in the job's wait(). `of_host`: the part that the host writes meanwhile.
/// \throws DeviceError.
RoutineJob start_copy(const std::shared_ptr<OpenedDevice>& device, const CopyProblem& part,
                      const CopyKernel& kernel, SharingMode sharing, const CopyProblem& of_host);

}  // namespace duoblas
