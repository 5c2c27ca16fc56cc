// y += alpha x on operands that the device can reach, and as the GPU's part of a call.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/routine_job.hpp"
#include "kernel_space/update_kernel.hpp"
#include "memory/bound_operand.hpp"
#include "problem/axpy_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

struct AxpyOperands {
  BoundVector x, y;
  /// Both start at multiples of a vector's bytes.
  bool aligned = false;
};

/// The programs that submit_axpy may ask for, wherever vectors start.
std::vector<TriedProgram> axpy_programs(Precision precision, const UpdateKernel& kernel);

/// Enqueues it and flushes, in as many launches as it takes. Uses the size and scalar of `problem`,
/// not its vectors. \pre not changes_nothing; y's increment is not 0; both fit an int. The caller
/// holds the device's mutex. \throws DeviceError.
cl::Event submit_axpy(OpenedDevice& device, const AxpyProblem& problem, const UpdateKernel& kernel,
                      const AxpyOperands& operands);

/// The GPU's part of an axpy of the caller's memory. Vectors without gaps are used in place if the
/// driver shares them; others are copied. Old values survive a failure (update_job.hpp). `of_host`:
/// the part whose y the host writes meanwhile. \throws DeviceError.
RoutineJob start_axpy(const std::shared_ptr<OpenedDevice>& device, const AxpyProblem& part,
                      const UpdateKernel& kernel, SharingMode sharing, const AxpyProblem& of_host,
                      bool looked_at);

/// The memory of y's elements, as rows.
HostRect rect_of_y(const AxpyProblem& problem);

}  // namespace duoblas
