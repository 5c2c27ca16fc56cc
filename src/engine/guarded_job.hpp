// The heart: the device's part of a call, from its submission until the whole call is complete.
//
//   GuardedJob        call.start    enqueue and flush: the device works now
//   run_beside()                    the CPU's part, on the calling thread and its workers
//   complete()        call.wait     what the device did not do, or did wrong, the CPU does
//
// In: a call, a device that the caller has (gpu_gate.hpp) until this is gone. Out: the result,
// complete (unless c_is_out_of_reach), and what each side took. Failures of the device are
// remembered instead of thrown. Decides nothing, learns nothing, prints nothing.
#pragma once

#include <string>
#include <utility>

#include "engine/call.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// Notes why a device's job failed, in a handler of that exception. Short memory counts as a
/// failure of the GPU's side, because the CPU needs no staging memory.
void note_failure_of_job(HybridOutcome& outcome) noexcept;

class GuardedJob {
 public:
  /// Starts the device's part; that waits until the device takes it. Any thread may do so. A part
  /// that cannot be started counts as one that did nothing.
  GuardedJob(Call& call, GpuSide& gpu) noexcept;
  /// The device has ended by then.
  ~GuardedJob() { call_.end(); }
  GuardedJob(const GuardedJob&) = delete;
  GuardedJob& operator=(const GuardedJob&) = delete;

  /// \throws what the CPU's side threw.
  void run_beside(CpuSide& cpu);
  /// Once, on the caller's thread. \throws CpuBlasError.
  HybridOutcome complete(CpuSide& cpu);

 private:
  void join() noexcept;
  double check_part(CpuSide& cpu);

  Call& call_;
  const Stopwatch watch_;
  double cpu_seconds_ = 0;
  bool started_ = false, done_ = false;
  HybridOutcome outcome_;
};

/// Both parts of a call, one after the other. \throws as run_beside() and complete().
HybridOutcome on_both_sides(Call& call, GpuSide& gpu, CpuSide& cpu);

}  // namespace duoblas
