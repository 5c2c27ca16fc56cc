// What a RoutineJob holds until it is waited for.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "gpu/routine_job.hpp"

namespace duoblas {

struct RoutineJob::State {
  explicit State(std::shared_ptr<OpenedDevice> opened) : device(std::move(opened)) {}

  bool pending = false;  ///< kernels may be running
  bool was_early = false;
  std::shared_ptr<OpenedDevice> device;
  std::vector<BoundOperand> inputs;
  std::vector<std::shared_ptr<const cl::Buffer>> scratch;
  std::vector<std::byte> landing;  ///< where the results come to
  std::optional<BoundResult> result;
  EarlierKernels earlier;
  cl::Event done;

  /// After the device is done with them: lets go of the memory.
  void release() {
    done.reset();
    earlier.clear();
    inputs.clear();
    scratch.clear();
    result.reset();
  }
  /// In a handler, whose exception goes on: ends what was enqueued.
  [[noreturn]] void end_and_rethrow() {
    pending = false;
    device->drain();
    release();
    device->rethrow_drained(false);
  }
};

}  // namespace duoblas
