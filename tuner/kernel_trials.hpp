// Kernels are built and run for the first time in child processes: a driver that crashes or hangs
// costs one kernel, not the tuning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "plan/kernel_params.hpp"
#include "plan/sharing_mode.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

/// A kernel to try: built for these ops, verified at uneven sizes and at `shape`, both with alpha,
/// beta and odd leading dimensions as far as the check needs them.
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

struct KernelVerdict {
  Verdict verdict = Verdict::refused;
  std::string why;           ///< empty where right
  double seconds = 0;        ///< that the trial took, building included
  double alone_seconds = 0;  ///< of one whole call at `shape`; rough: other trials may run
};

struct KernelTrialOptions {
  /// The program whose `--try-kernels` is run_kernel_trials(): the duoblas command.
  std::string helper_program;
  Settings settings;             ///< of the engine that will use the kernels
  int processes = 1;             ///< at work at the same time
  double time_out_seconds = 30;  ///< for one kernel
};

/// Not thread-safe. The children start at the first trial, live until they crash or hang (then a
/// new one takes the next kernel) and end with this object, or with this process however it ends.
class KernelTrials {
 public:
  explicit KernelTrials(KernelTrialOptions options);
  ~KernelTrials();

  /// The verdicts, in the order of the jobs. \throws Error where no child can be started at all.
  std::vector<KernelVerdict> try_all(const std::vector<KernelJob>& jobs);

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
