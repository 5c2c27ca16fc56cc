// Kernels are built and run for the first time in child processes: a driver that crashes or hangs
// costs one kernel, not the tuning.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <duoblas/settings.hpp>

#include "kernel_space/kernel_params.hpp"
#include "sides/sharing_mode.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

/// A kernel to try. It is built for these ops, and verified at uneven sizes and at `shape`, both
/// with alpha, beta and odd leading dimensions as far as the check needs them.
struct KernelJob {
  KernelParams kernel;
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  Shape shape;
  SharingMode sharing = SharingMode::staged;
};

enum class Verdict {
  right,
  wrong,    ///< it ran, and computed something else
  refused,  ///< it did not build, or the driver refused to run it
  crashed,  ///< the process that tried it died
  hung,     ///< the time-out passed, and the process was killed
};

constexpr bool ended_a_process(Verdict verdict) {
  return verdict == Verdict::crashed || verdict == Verdict::hung;
}

/// "right", "wrong", ...
std::string_view name(Verdict verdict);

struct KernelVerdict {
  Verdict verdict = Verdict::refused;
  std::string why;           ///< empty where right
  double seconds = 0;        ///< that the trial took, building included, the CPU's reference not
  double alone_seconds = 0;  ///< of one whole call at `shape`; rough: other trials may run
};

struct KernelTrialOptions {
  /// The program whose `--try-kernels` is run_kernel_trials(): the duoblas command.
  std::string helper_program;
  Settings settings;             ///< of the engine that will use the kernels
  int processes = 1;             ///< at work at the same time
  double time_out_seconds = 30;  ///< for one kernel: building it, and every run
  /// The time limit for opening the device and for computing a shape's reference.
  double opening_seconds = 120;
};

/// Gets the verdict of jobs[job] as soon as it is known, in any order. An exception from it ends
/// try_all().
using VerdictListener = std::function<void(std::size_t job, const KernelVerdict&)>;
/// Gets each job once, before a process gets it. An exception from it ends try_all().
using BeginListener = std::function<void(std::size_t job)>;

/// Not thread-safe. The children start at the first trial. They end with this object, with this
/// process in any case, or with the thread that called try_all().
///
/// A verdict is about one kernel alone. After a kernel that was wrong, failed while it ran, crashed
/// or hung, the next gets a new process, because memory or the device may be damaged. A crash
/// counts only in a process that has tried nothing before.
class KernelTrials {
 public:
  explicit KernelTrials(KernelTrialOptions options);
  ~KernelTrials();

  /// The verdicts, in the order of the jobs. \throws Error if no child can be started or open the
  /// device, none can compute the reference, or the driver builds nothing at all; `listener` has
  /// then got the verdicts so far.
  std::vector<KernelVerdict> try_all(const std::vector<KernelJob>& jobs,
                                     const VerdictListener& listener = {},
                                     const BeginListener& begins = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The first argument of a helper program.
inline constexpr const char* kernel_trials_argument = "--try-kernels";

/// The child's half: reads jobs from standard input until it ends, and answers each. Returns the
/// program's exit code.
int run_kernel_trials();

}  // namespace duoblas
