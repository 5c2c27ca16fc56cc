// Kernels of gemv are built and run for the first time in a child process, as gemm's are
// (kernel_trials.hpp): a driver that crashes or hangs costs one kernel, not the tuning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cpu/child_process.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "tuner/kernel_trials.hpp"

namespace duoblas {

/// What kernels are tried for: op(A) of `size` x `size`.
struct GemvTrialSubject {
  Precision precision = Precision::s;
  bool transposes = false;
  std::int64_t size = 0;
};

/// One kernel after another, in a child that is started where there is none. Not thread-safe.
class GemvTrials {
 public:
  /// The helper program's `--try-gemv` is run_gemv_trials().
  explicit GemvTrials(KernelTrialOptions options) : options_(std::move(options)) {}

  /// Builds the kernel's programs and tries them on small operands; with sizes compiled in, on
  /// operands of the subject's. A crash counts only in a child that has tried nothing before.
  /// \throws Error where no child can be started, or open the device.
  KernelVerdict verdict(const GemvTrialSubject& subject, const GemvKernel& kernel);

 private:
  void start();
  /// Nothing: it said nothing within the time, or has ended.
  std::optional<std::string> hear(double seconds);

  KernelTrialOptions options_;
  std::unique_ptr<ChildProcess> child_;
  std::string heard_;
  int tried_ = 0;  ///< by this child
};

/// The first argument of a helper program.
inline constexpr const char* gemv_trials_argument = "--try-gemv";

/// The child's half; returns the program's exit code.
int run_gemv_trials();

}  // namespace duoblas
