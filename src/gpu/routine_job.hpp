// Work of a routine beside gemm, under way on the GPU. Results reach the caller's memory in wait()
// at the earliest, or are kept apart; where the device writes them in place, a failure gives the
// memory its old values back where they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  /// After wait(): gives a result that was written in place its old values back, where they are
  /// needed to compute it again. What was updated in pieces keeps its new values.
  void undo() noexcept;
  /// What the device computed, without gaps, where that is kept apart; else null. \pre wait()
  /// returned.
  const void* results() const;
  /// What was there before, without gaps, where the device wrote in place over values that are
  /// needed; else null.
  const void* old_values() const;
  /// After wait() has thrown: outputs, from the first one on, that are there all the same.
  std::int64_t outputs_done() const;
  /// From its start to the end of its kernels, where that was seen; before wait() nothing.
  std::optional<double> seconds() const;
  /// Its kernels had ended before wait() looked, nobody knows when.
  bool was_early() const;

  struct State;
  explicit RoutineJob(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
