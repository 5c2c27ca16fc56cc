// The GPU's part of a gemv of the caller's memory: bind, enqueue, FLUSH; later, wait.
#pragma once

#include <memory>

#include "gpu/opened_device.hpp"
#include "gpu/routine_job.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "memory/sharing_mode.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

class ResidentMatrix;

/// Computes alpha op(A) x, which is the job's results(): y is neither read nor written. A is read
/// where it is with `host_pointer`, where the driver shares it; else it is copied to the device, or
/// taken from `resident`, if that is given and the device's. `host_part`: whose y the host writes
/// meanwhile. \pre not empty, not only_scales_y. \throws DeviceError.
RoutineJob start_gemv(const std::shared_ptr<OpenedDevice>& device, const GemvProblem& part,
                      const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                      const ResidentMatrix* resident = nullptr);

}  // namespace duoblas
