// What a job under way holds until it is waited for. Private to the files that start and end jobs.
// It owns the bindings of the operands and the buffers of this product, and lets go of them only
// when the device is done with them (release) or was drained (undo). One thread uses it, the
// caller's.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/pipelined_product.hpp"
#include "gpu/product.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

struct GpuJob::State {
  Stopwatch since_submit;
  double enqueued = 0;  ///< seconds from the start of submit to the flush of the last kernel
  double launched = 0;  ///< the same to the first launch
  KernelParams kernel;
  GpuJobTimes times;
  bool pending = false;  ///< kernels may be running

  std::shared_ptr<OpenedDevice> device;
  BoundInputs inputs;
  std::optional<BoundResult> result;
  ProductScratch scratch;
  cl::Event done;
  std::future<PipelineOutcome> pipelined;  ///< valid: the pipeline does it all
  std::vector<GemmProblem> unfinished;     ///< should the job fail now

  /// What the job's kernels did: launches are cut, and waits end, by that. `waited`: their end was
  /// seen.
  void see_rate(bool waited) {
    if (kernel.matrix == MatrixUnit::tf32x3) return;
    device->pace.saw_product(kernel, unfinished.front(), times.kernels - launched,
                             waited || !times.at_most);
  }
  /// What was enqueued writes to the caller's C.
  bool reaches_c() const {
    return launched > 0 && result && result->operand().mode == SharingMode::host_pointer;
  }
  /// After the device is done with them: lets go of the memory.
  void release() {
    done.reset();
    scratch.release();
    inputs = {};
    result.reset();
  }
  /// Ends what was enqueued and gives C its old values back where they are needed.
  void undo() noexcept {
    pending = false;
    device->drain();
    if (result) result->restore();
    release();
  }
  /// The same in a handler, whose exception goes on.
  [[noreturn]] void undo_and_rethrow() {
    const bool may_write_c = reaches_c();
    undo();
    device->rethrow_drained(may_write_c);
  }
};

}  // namespace duoblas
