// What a call on both sides did, before anything is concluded from it.
#pragma once

#include <optional>
#include <string>

#include "check/result_check.hpp"

namespace duoblas {

/// Seconds from the start of the call to the end of each side, and to the join. The GPU's include
/// the copy of a staged C to the caller's memory, though that comes after the join.
struct SideTimes {
  double gpu = 0;
  double cpu = 0;
  double whole = 0;
  /// The GPU had ended before the CPU, and the device did not tell when: `gpu` is an upper bound.
  bool gpu_at_most = false;
};

/// The result of checking the GPU's part, and the processor time of the check.
struct CheckedResult {
  CheckVerdict verdict;
  double seconds = 0;
};

/// The outcome of a call on both sides (guarded_job.hpp). C is complete unless c_is_out_of_reach.
struct HybridOutcome {
  SideTimes times;
  /// For the GPU's part, if it was checked.
  std::optional<CheckedResult> check;
  /// A sample was checked while it arrived. So the times contain the check: do not learn from
  /// them.
  bool check_in_times = false;
  /// Why the CPU computed the GPU's part: the GPU failed, or its result was wrong. Empty if nothing
  /// failed.
  std::string gpu_failure;
  int gpu_error_code = 0;  ///< cl_int, 0 where DuoBLAS itself declined the work
  bool failed_after_submit = false;
  bool gpu_hung = false;
  /// C is not complete, and cannot be completed: a GPU that hangs may still write to it.
  bool c_is_out_of_reach = false;

  bool was_wrong = false;    ///< by the check; the CPU computed the GPU's part again
  bool cpu_failed = false;   ///< memory was short, say; the GPU did all
  double check_seconds = 0;  ///< of a check that is not in the times
};

}  // namespace duoblas
