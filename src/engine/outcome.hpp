// The record of a finished call. A line of DUOBLAS_VERBOSE=2, the counts of a summary and
// Context::last_call() are made from it. Engine::carry_out makes it; it refers to nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "check/result_check.hpp"
#include "gpu/level3/level3_times.hpp"
#include "planner/plan.hpp"

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

/// What a call on both sides did (guarded_job.hpp), before anything is concluded from it. C is
/// complete unless c_is_out_of_reach.
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
  bool had_unsuited_numbers = false;  ///< that is why, and nothing failed (UnsuitedNumbers)
  bool gpu_hung = false;
  /// C is not complete, and cannot be completed: a GPU that hangs may still write to it.
  bool c_is_out_of_reach = false;

  bool was_wrong = false;    ///< by the check; the CPU computed the GPU's part again
  double check_seconds = 0;  ///< of a check that is not in the times
};

/// Who asks for a call: one that was `told` how it is done is a measurement. It waits for compilers
/// and trials, and nothing is learned from it.
enum class Manner { decided, told };

/// It is moved, never copied: a copy needs memory, and may find none when the results are written
/// already. Whoever catches that would compute them again from what was overwritten.
struct Outcome {
  Outcome() = default;
  Outcome(Outcome&&) = default;
  Outcome& operator=(Outcome&&) = default;
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  /// The plan as it was carried out: the CPU's if the GPU was busy or failed. For several products
  /// it is that of the first and largest; CPU-only if the CPU BLAS did everything. If it was for
  /// the first rows only, it is those rows' here, and so are its estimates; `times` are of all
  /// rows.
  Plan plan;
  SideTimes times;  ///< for several products only `whole`
  /// For a level-3 call that the device did as one job; otherwise zeros.
  Level3Times job_times;
  /// The time of checks that ran outside the timed part.
  double check_seconds = 0;
  /// A sample was checked while it arrived. So the times contain the check: do not learn from them.
  bool check_in_times = false;
  /// The device allocated memory for this and later calls: do not learn from the times.
  bool waited_for_memory = false;
  /// A kernel was built meanwhile, in this call or beside it.
  bool waited_for_kernels = false;
  int products = 0;
  /// For a batch, otherwise 0: its products, and those in which the GPU had a part.
  std::int64_t batch_products = 0, gpu_products = 0;
  bool used_gpu = false;   ///< in one product at least
  bool recovered = false;  ///< the GPU failed, and the CPU did its part
  /// It recovered from a shortage (of memory, say) that may be over at the next call: a tuner tries
  /// again. Set only for single products.
  bool was_shortage = false;
  /// It recovered, but from no error of the device: DuoBLAS left work that was begun there to the
  /// CPU, because of the operands or for want of host memory. The next call like it may end the
  /// same way, so the time is what such a call takes.
  bool was_declined = false;
  /// For the products in which the GPU took part: seconds saved against the cost model's estimate
  /// of the CPU alone. Nothing if there is no such product, or no estimate.
  std::optional<double> seconds_won;

  /// Whether the time is what a call with the GPU takes.
  bool shows_gpu() const { return recovered ? was_declined : used_gpu; }
  /// Adds what a step of a level-3 call did; the first one's plan becomes the call's. Needs no
  /// memory.
  void add_step(Outcome&& step) {
    if (products == 0) plan = std::move(step.plan);
    if (step.used_gpu || step.recovered) {
      const bool is_first = !used_gpu && !recovered;
      const bool is_estimated = step.seconds_won && (is_first || seconds_won);
      seconds_won =
          is_estimated ? std::optional(seconds_won.value_or(0) + *step.seconds_won) : std::nullopt;
    }
    job_times += step.job_times;
    times.cpu += step.times.cpu;
    add_part(step);
  }
  /// Adds what a later part of the same call did; not its times, nor its plan.
  void add_part(const Outcome& later) {
    if (later.recovered) {
      was_declined = later.was_declined && (!recovered || was_declined);
      if (!recovered) plan.reason = later.plan.reason;
    }
    recovered |= later.recovered;
    used_gpu |= later.used_gpu;
    check_in_times |= later.check_in_times;
    check_seconds += later.check_seconds;
    products += later.products;
  }
};

}  // namespace duoblas
