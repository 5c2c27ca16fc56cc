// A += alpha x y' on operands that the device can reach, and as the GPU's part of a call.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/routine_job.hpp"
#include "gpu/streams/update_trial.hpp"
#include "kernel_space/update_kernel.hpp"
#include "problem/ger_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// All programs that submit_ger may need, for aligned and for unaligned rows of A.
std::vector<TriedProgram> ger_programs(const GerProblem& problem, const UpdateKernel& kernel);

/// Enqueues it and flushes. `aligned`: each row of A starts at a multiple of a vector's bytes. Uses
/// the sizes, scalar and conjugations of `problem`, not its pointers. \pre not changes_nothing,
/// extents up to most_routine_extent. The caller holds the device's mutex. \throws DeviceError.
cl::Event submit_ger(OpenedDevice& device, const GerProblem& problem, const UpdateKernel& kernel,
                     const UpdateOperands& operands, bool aligned);

/// Starts the GPU's part of a ger whose operands are in the caller's memory. Old values survive a
/// failure (update_job.hpp). `of_host`: the part whose A the host writes meanwhile. `looked_at`:
/// the result will be checked, so old values are kept until then. \throws DeviceError.
RoutineJob start_ger(const std::shared_ptr<OpenedDevice>& device, const GerProblem& part,
                     const UpdateKernel& kernel, SharingMode sharing, const GerProblem& of_host,
                     bool looked_at);

}  // namespace duoblas
