// Times a chain of OpenCL commands by the device's clock.
#pragma once

#include "opencl/handles.hpp"

namespace duoblas {

/// Times commands as a pair of CUDA events would: from a mark that completes just before them to
/// the end of the last one, gaps included. Only the last event is needed, so a chain may be
/// enqueued by another library. The queue is in-order, has profiling, and outlives this. \throws
/// DeviceError.
class DeviceStopwatch {
 public:
  DeviceStopwatch(const cl::Context& context, cl::Queue& queue)
      : queue_(queue),
        mark_(cl::build_from_source(context, "__kernel void mark() {}", "").kernel("mark")) {}

  /// Waits until the queue is empty, then submits the mark: a kernel that does nothing.
  void start() {
    queue_.finish();
    started_ = queue_.submit(mark_, {});
  }

  /// Waits for `last`, enqueued after start(), and returns the seconds from the mark's end to its
  /// end. \throws DeviceError where the queue has no profiling.
  double seconds_until(const cl::Event& last) {
    queue_.wait(last);
    return cl::seconds_between_ends(started_, last);
  }

 private:
  cl::Queue& queue_;
  cl::Kernel mark_;
  cl::Event started_;
};

}  // namespace duoblas
