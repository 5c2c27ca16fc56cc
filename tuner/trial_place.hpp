// Tries one kernel at a time in a child process, which is started when needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "os/child_process.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/kernel_trial_lines.hpp"

namespace duoblas {

/// Every Error of this class is about the child or the machine, not about the kernel. The place is
/// then free, and its child is gone.
class TrialPlace {
 public:
  /// `options` outlives this object.
  explicit TrialPlace(const KernelTrialOptions& options) : options_(options) {}

  /// Begins a trial. \pre !busy(). \throws Error if no child can be started.
  void begin(const KernelJob& job);
  bool busy() const { return doing_ != Doing::nothing; }
  /// Ends a trial without a verdict, with its child.
  void give_up();

  /// While busy: its child's channel (channels_with_output()), and the time-out.
  int channel() const { return child_->channel(); }
  double seconds_left() const;
  /// Reads what the child has written, if anything, and checks the clock. Returns the verdict if
  /// the trial has ended; the place is then free. \throws Error.
  std::optional<KernelVerdict> look(bool can_hear);

 private:
  enum class Doing {
    nothing,    // no child, or one that waits for a job
    opening,    // the device
    preparing,  // the reference of the job's shape
    trying,     // the job's kernel
  };

  void start(bool builds_first = false);
  void send_job();
  void enter(Doing doing);
  void end_child();
  bool has_ended();
  double seconds() const;
  std::optional<KernelVerdict> hear();
  std::optional<KernelVerdict> answered(const std::string& line);
  std::optional<KernelVerdict> failed(const std::string& what);
  void doubt_compiler(const std::string& why);
  KernelVerdict timed_out();
  [[noreturn]] void end_with_error(const std::string& why);

  const KernelTrialOptions& options_;
  Doing doing_ = Doing::nothing;
  Stopwatch watch_;  // of what it is doing
  std::unique_ptr<ChildProcess> child_;
  std::string heard_;  // of a line whose end is still to come
  int starts_ = 0;     // of children
  int jobs_done_ = 0;  // by this child
  std::string job_;    // its line
  // New children after whose try of the job nothing more built, and why.
  int broken_compilers_ = 0;
  std::string why_broken_;
};

}  // namespace duoblas
