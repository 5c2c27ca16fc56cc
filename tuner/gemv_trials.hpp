// Builds and runs kernels of gemv for the first time in a child process, like
// gemm's (kernel_trials.hpp): a driver that crashes or hangs costs one kernel, not the tuning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernel_space/gemv_kernel.hpp"
#include "os/child_process.hpp"
#include "tuner/kernel_trials.hpp"

namespace duoblas {

/// Tries one kernel after another, in a child that is started when needed. Not thread-safe.
class GemvTrials {
 public:
  /// The helper program's `--try-stream` is run_gemv_trials().
  explicit GemvTrials(KernelTrialOptions options) : options_(std::move(options)) {}

  /// Builds the kernel's programs and tries them on small operands; with compiled-in sizes, on a
  /// square matrix of `size`. `kernel`: from gemv_kernel_text(). A crash counts only in a child
  /// that has tried nothing before. \throws Error if no child can be started, or it cannot open the
  /// device.
  KernelVerdict verdict(const std::string& kernel, std::int64_t size);

 private:
  void start(bool builds_first = false);
  KernelVerdict tried(const std::string& kernel, std::int64_t size);
  KernelVerdict tried_again(const std::string& kernel, std::int64_t size, const std::string& why);
  /// Nothing if the child was silent for this time, or has ended.
  std::optional<std::string> hear(double seconds);

  KernelTrialOptions options_;
  std::unique_ptr<ChildProcess> child_;
  std::string heard_;
  int tried_ = 0;             ///< by this child
  int broken_compilers_ = 0;  ///< new children after whose try of the kernel nothing more built
};

/// "dgemv t".
inline std::string gemv_name(Precision precision, bool transposes) {
  return std::string(1, letter(precision)) + "gemv" + (transposes ? " t" : " n");
}
/// "dgemv t, v4 32x1 lines 1 unroll 8": a kernel, with its type and form.
inline std::string gemv_kernel_text(Precision precision, bool transposes,
                                    const GemvKernel& kernel) {
  return gemv_name(precision, transposes) + ", " + describe(kernel);
}

/// The first argument of a helper program.
inline constexpr const char* gemv_trials_argument = "--try-stream";

/// The child's half; returns the program's exit code.
int run_gemv_trials();

}  // namespace duoblas
