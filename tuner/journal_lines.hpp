// The lines of a journal as values, and as JSON text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The first line: whose journal this is.
struct JournalHeader {
  ProfileKey key;
  std::string code;  ///< tells versions of the kernels' source apart
  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

namespace journal {

/// A new tuning begins; what it asks for, as one text.
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
/// What is about to be tried in a child process, and what came of it.
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
  int kernels = 0;  ///< that its search may look at
};
/// A trial with the numbers of kernel and CPU configuration; `parts` is what gpu_parts are of.
struct TrialLine {
  int kernel = 0;
  SharingMode sharing = SharingMode::staged;
  int cpu = 0;
  int gpu_parts = 0;
  int parts = 0;
  Sides sides = Sides::both;
  friend bool operator==(const TrialLine&, const TrialLine&) = default;
};
/// This process is about to run these for the first time.
struct Measuring {
  std::vector<int> kernels;
};
struct Measured {
  std::vector<TrialLine> trials;
  int rounds = 0;
  std::vector<TrialOutcome> outcomes;
};
/// The first `kept` tuning cases and measured batches of the current request stand; the others were
/// replaced by what follows.
struct Diverged {
  int kept = 0;
};
/// A kernel of a routine that memory bounds, in words.
struct Timed {
  std::string kernel;
  double seconds = 0;  ///< of a call; 0: it is not used, and `why` says why
  std::string why;
  bool ended_a_process = false;  ///< it is not tried again, whatever is asked for
};
/// Written before this process runs such a kernel for the first time.
struct Timing {
  std::string kernel;
};
/// Its user ended the tuning: no kernel is to blame for that.
struct Interrupted {};
/// The current request is done.
struct Done {};

using Line = std::variant<JournalHeader, Request, Kernel, Cpu, Trying, Tried, Case, Measuring,
                          Measured, Diverged, Timing, Timed, Interrupted, Done>;

/// Of Interrupted, with its line break: for a signal's handler.
inline constexpr char interrupted_text[] = "{\"interrupted\":true}\n";

std::string to_text(const Line& line);
/// \throws SettingError that says what is wrong.
Line from_text(const std::string& text);

/// Samples as they are stored: whole nanoseconds and microjoules. What is measured is rounded so
/// before anyone decides by it, so that a tuning that goes on decides alike.
TrialOutcome rounded(TrialOutcome outcome);

}  // namespace journal
}  // namespace duoblas
