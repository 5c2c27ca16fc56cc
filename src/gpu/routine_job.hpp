// Work of a routine beside gemm, under way on the GPU. Its results reach the caller's memory in
// wait() and not before, so that a GPU that fails leaves that as it was.
#pragma once

#include <memory>
#include <vector>

namespace duoblas {

struct OpenedDevice;

class RoutineJob {
 public:
  RoutineJob();  ///< nothing to do: wait() returns at once
  RoutineJob(RoutineJob&&) noexcept;
  RoutineJob& operator=(RoutineJob&&) noexcept;
  /// Waits, so that memory is never freed under the device.
  ~RoutineJob();

  /// Waits for the kernels. \throws DeviceError.
  void wait();
  /// What the device computed, without gaps. \pre wait() returned.
  const void* results() const;
  /// Its kernels had ended before wait() looked, nobody knows when.
  bool was_early() const;

  struct State;
  explicit RoutineJob(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
