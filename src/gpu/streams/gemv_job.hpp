// The GPU's part of a gemv of the caller's memory: bind, enqueue, FLUSH; later, wait.
#pragma once

#include <memory>

#include "gpu/device/opened_device.hpp"
#include "gpu/streams/routine_job.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "problem/gemv_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

class ResidentMatrix;

/// Computes alpha op(A) x, which becomes the job's results(): y is neither read nor written. With
/// `host_pointer` A is read in place, if the driver shares it. Otherwise A is copied to the device,
/// or taken from `resident`, if that is given and belongs to the device. `host_part`: the part
/// whose y the host writes meanwhile. \pre not empty, not only_scales_y. \throws DeviceError.
RoutineJob start_gemv(const std::shared_ptr<OpenedDevice>& device, const GemvProblem& part,
                      const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                      const ResidentMatrix* resident = nullptr);

}  // namespace duoblas
