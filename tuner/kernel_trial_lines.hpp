// Messages between the process that tunes and those that try kernels: JSON, one line each.
//
//   parent   {"try_kernels": 1, "parent": 4711, "builds_first": false, "settings": {...}}   once
//   child    {"say": "ready"}                         or {"say": "problem", "why": "..."}
//   parent   {"kernel": {...}, "precision": "s", ...}                   per job
//   child    {"say": "begun"}                         the reference is there, and the
//                                                     kernel's time runs
//   child    {"say": "verdict", "verdict": "right", ...}
//                                                     or {"say": "builds_nothing", "why": "..."}
//
// No kernel is blamed for a problem. Where nothing more builds in a child, a new one is asked to
// build something first: if it can, the kernel may be to blame. After "last" the child ends by
// itself.
#pragma once

#include <string>

#include "tuner/kernel_trials.hpp"

namespace duoblas {

struct TrialGreeting {
  int parent = 0;             ///< its process id
  bool builds_first = false;  ///< not ready before the driver has built something
  Settings settings;
};

struct TrialAnswer {
  enum class Say { ready, begun, verdict, problem, builds_nothing };
  Say say = Say::problem;
  std::string why;             ///< of a problem, or that nothing builds
  KernelVerdict verdict = {};  ///< the parent measures `seconds`
  bool last = false;
};

/// Lines without line breaks.
std::string line_of(const TrialGreeting& greeting);
std::string line_of(const KernelJob& job);
std::string line_of(const TrialAnswer& answer);

/// \throws Error if the line is not of this kind.
TrialGreeting greeting_from(const std::string& line);
KernelJob job_from(const std::string& line);
TrialAnswer answer_from(const std::string& line);

}  // namespace duoblas
