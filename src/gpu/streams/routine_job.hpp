// A running job of a routine beside gemm on the GPU. Results reach the caller's memory in wait() at
// the earliest, or are kept apart. If the device writes them in place, a failure restores the old
// values if they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace duoblas {

class OpenedDevice;

class RoutineJob {
 public:
  RoutineJob();  ///< nothing to do: wait() returns at once
  RoutineJob(RoutineJob&&) noexcept;
  RoutineJob& operator=(RoutineJob&&) noexcept;
  /// Waits, so that memory is never freed under the device.
  ~RoutineJob();

  /// Waits for the kernels. \throws DeviceError.
  void wait();
  /// After wait(): restores the old values of a result that was written in place, if they are
  /// needed to compute it again. Results that were updated in pieces keep their new values.
  void undo() noexcept;
  /// The device's results, without gaps, if they are kept apart; else null. \pre wait() returned.
  const void* results() const;
  /// The old values, without gaps, if the device wrote in place over values that are needed; else
  /// null.
  const void* old_values() const;
  /// After wait() has thrown: the number of first outputs that are complete all the same.
  std::int64_t outputs_done() const;
  /// Seconds from its start to the end of its kernels, if that was seen; nothing before wait().
  std::optional<double> seconds() const;
  /// Its kernels had ended before wait() looked, so nobody knows when.
  bool was_early() const;

  struct State;
  explicit RoutineJob(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
