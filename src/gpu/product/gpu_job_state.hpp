// The private state of a job until it was waited for, for the files that start and end jobs. It
// owns the bindings of the operands and the buffers of this product, and frees them only when the
// device has finished with them (release) or was drained (undo). Only the caller's thread uses it.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/gpu_job.hpp"
#include "gpu/product/operand_route.hpp"
#include "gpu/product/pipelined_product.hpp"
#include "gpu/product/product.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

struct GpuJob::State {
  Stopwatch since_submit;
  double enqueued = 0;  ///< seconds from the start of submit to the flush of the last kernel
  double launched = 0;  ///< the same to the first launch
  KernelParams kernel;
  GpuJobTimes times;
  bool pending = false;         ///< kernels may be running
  bool behind_another = false;  ///< as in Sharing

  std::shared_ptr<OpenedDevice> device;
  BoundInputs inputs;
  std::optional<BoundResult> result;
  ProductScratch scratch;
  cl::Event done;
  std::future<PipelineOutcome> pipelined;  ///< valid: the pipeline does everything
  std::vector<GemmProblem> unfinished;     ///< if the job fails now

  /// Records the rate of the job's kernels. Later launches and deadlines follow from it. `waited`:
  /// the host saw their end.
  void see_rate(bool waited) {
    if (behind_another || kernel.matrix == MatrixUnit::tf32x3) return;
    device->pace.saw_product(kernel, unfinished.front(), times.kernels - launched,
                             waited || !times.at_most);
  }
  /// Starts it. The caller holds the device's mutex. \throws DeviceError; then C has its old
  /// values.
  std::future<PipelineOutcome> start_pipelined(const GemmProblem& part, const Sharing& sharing,
                                               OperandRoute route);
  void start_at_once(const GemmProblem& part, const Sharing& sharing, OperandRoute route);
  /// Waits for a streamed product. \throws DeviceError.
  void wait_for_pipeline();
  /// Waits for the last kernel, asks whether any failed, and sets what the kernels took. Returns
  /// whether the host saw their end: else they had ended before anybody looked, and their time is
  /// the device's own, if it can be believed, or an upper bound. \throws DeviceError.
  bool wait_for_kernels();
  /// Enqueued commands write to the caller's C.
  bool reaches_c() const {
    return launched > 0 && result && result->operand().mode == SharingMode::host_pointer;
  }
  /// Frees the memory, once the device has finished with it.
  void release() {
    done.reset();
    scratch.release();
    inputs = {};
    result.reset();
  }
  /// Ends the enqueued commands and restores C's old values if they are needed.
  void undo() noexcept {
    pending = false;
    device->drain();
    if (result) result->restore();
    release();
  }
  /// The same in an exception handler; then rethrows.
  [[noreturn]] void undo_and_rethrow() {
    const bool may_write_c = reaches_c();
    undo();
    device->rethrow_drained(may_write_c);
  }
};

}  // namespace duoblas
