// The private state of a RoutineJob until it was waited for.
#pragma once

#include <cstddef>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/routine_job.hpp"
#include "gpu/streams/update_in_place.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

struct RoutineJob::State {
  explicit State(std::shared_ptr<OpenedDevice> opened) : device(std::move(opened)) {}

  bool pending = false;  ///< kernels may be running
  bool was_early = false;
  std::shared_ptr<OpenedDevice> device;
  std::vector<BoundOperand> inputs;
  std::vector<std::shared_ptr<const cl::Buffer>> scratch;
  std::vector<cl::Image> images;
  std::vector<std::byte> host_result;             ///< where the results come to
  std::list<std::vector<std::byte>> host_copies;  ///< of the host's memory, which the device reads
  std::optional<BoundResult> result;
  std::future<UpdateEnd> pieces;  ///< valid: another thread enqueues, keeps old values and waits
  UpdateEnd end;                  ///< of those
  EarlierKernels earlier;
  cl::Event done;

  /// Frees the memory, except that of a result, once the device has finished with it.
  void release() {
    done.reset();
    earlier.clear();
    inputs.clear();
    scratch.clear();
    images.clear();
  }
  /// In an exception handler: ends the enqueued commands, restores the caller's old values if they
  /// are needed, then rethrows.
  [[noreturn]] void end_and_rethrow() {
    const bool may_write = pending && result && !copies(result->operand().mode);
    pending = false;
    device->drain();
    if (result) result->restore();
    release();
    if (device->context.wait_deadline()->is_over()) abandon_host_memory();
    device->rethrow_drained(may_write);
  }
  /// Leaks the host memory, because the device may go on, and read or write it then.
  void abandon_host_memory() {
    static_cast<void>(new std::vector<std::byte>(std::move(host_result)));
    static_cast<void>(new std::list<std::vector<std::byte>>(std::move(host_copies)));
  }
};

}  // namespace duoblas
