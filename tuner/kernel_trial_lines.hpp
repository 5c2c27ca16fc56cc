// What the process that tunes and those that try kernels say to each other: JSON, a line each.
//
//   parent   {"try_kernels": 1, "parent": 4711, "settings": {...}}      once
//   child    {"say": "ready"}                         or {"say": "problem", "why": "..."}
//   parent   {"kernel": {...}, "precision": "s", ...}                   per job
//   child    {"say": "begun"}                         the reference is there: the kernel's time
//   runs child    {"say": "verdict", "verdict": "right", ...}
//
// A problem is no kernel's fault. After "last" the child ends by itself.
#pragma once

#include <string>

#include "tuner/kernel_trials.hpp"

namespace duoblas {

struct TrialGreeting {
  int parent = 0;  ///< its process id
  Settings settings;
};

struct TrialAnswer {
  enum class Say { ready, begun, verdict, problem };
  Say say = Say::problem;
  std::string why;             ///< of a problem
  KernelVerdict verdict = {};  ///< `seconds` is the parent's to measure
  bool last = false;
};

/// Lines without their end.
std::string line_of(const TrialGreeting& greeting);
std::string line_of(const KernelJob& job);
std::string line_of(const TrialAnswer& answer);

/// \throws Error where the line is not one of these.
TrialGreeting greeting_from(const std::string& line);
KernelJob job_from(const std::string& line);
TrialAnswer answer_from(const std::string& line);

}  // namespace duoblas
