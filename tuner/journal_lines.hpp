// The lines of a journal as values, and as JSON text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The first line: the machine and the source that the journal belongs to.
struct JournalHeader {
  ProfileKey key;
  std::string code;  ///< tells versions of the kernels' source apart
  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

namespace journal {

/// A new tuning begins, with its request as one text.
struct Request {
  std::string text;
};
/// Numbers that later lines use: the first kernel is 0, and so on; CPU configurations likewise.
struct Kernel {
  KernelParams params;
};
struct Cpu {
  CpuConfig config;
};
/// A kernel that will be tried in a child process, and the result.
struct Trying {
  int kernel = 0;
  std::string tuning_case;  ///< "sgemm nn"
};
struct Tried {
  int kernel = 0;
  std::string tuning_case;
  KernelVerdict verdict;
};
struct Case {
  std::string text;
  double budget_seconds = 0;
  int kernels = 0;  ///< that its search may try
};
/// A trial, with the numbers of its kernel and CPU configuration. gpu_parts is out of `parts`.
struct TrialLine {
  int kernel = 0;
  SharingMode sharing = SharingMode::staged;
  int cpu = 0;
  int gpu_parts = 0;
  int parts = 0;
  Sides sides = Sides::both;
  friend bool operator==(const TrialLine&, const TrialLine&) = default;
};
/// This process is about to run these kernels for the first time.
struct Measuring {
  std::vector<int> kernels;
};
struct Measured {
  std::vector<TrialLine> trials;
  int rounds = 0;
  std::vector<TrialOutcome> outcomes;
};
/// The first `kept` tuning cases and measured batches of the current request are valid. Later lines
/// replace the others.
struct Diverged {
  int kept = 0;
};
/// A kernel of a memory-bound routine, as text.
struct Timed {
  std::string kernel;
  double seconds = 0;  ///< of a call; 0: not used, see `why`
  std::string why;
  bool ended_a_process = false;  ///< never tried again
};
/// Written before this process runs such a kernel for the first time.
struct Timing {
  std::string kernel;
};
/// The user ended the tuning, so no kernel is to blame.
struct Interrupted {};
/// The current request is done.
struct Done {};

using Line = std::variant<JournalHeader, Request, Kernel, Cpu, Trying, Tried, Case, Measuring,
                          Measured, Diverged, Timing, Timed, Interrupted, Done>;

/// The line of Interrupted, with its line break, for a signal handler.
inline constexpr char interrupted_text[] = "{\"interrupted\":true}\n";

std::string to_text(const Line& line);
/// \throws SettingError that says what is wrong with the line.
Line from_text(const std::string& text);

/// Samples as they are stored, in whole nanoseconds and microjoules. They are rounded before any
/// decision, so that a resumed tuning decides in the same manner.
TrialOutcome rounded(TrialOutcome outcome);

}  // namespace journal
}  // namespace duoblas
