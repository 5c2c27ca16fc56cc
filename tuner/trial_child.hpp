// The child's half of trials in processes of their own: its channel to the parent, and its start.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "tuner/kernel_trial_lines.hpp"

namespace duoblas {

/// The original standard input and output; what a kernel or a driver prints is redirected.
class ParentChannel {
 public:
  ParentChannel();
  ~ParentChannel();
  ParentChannel(const ParentChannel&) = delete;
  ParentChannel& operator=(const ParentChannel&) = delete;

  /// A line with its end. Nothing if the parent has closed the channel.
  std::optional<std::string> hear();
  void say(const TrialAnswer& answer);

 private:
  int in_;
  int out_;
  FILE* lines_ = nullptr;
};

TrialAnswer verdict_answer(Verdict verdict, const std::string& why = "");

/// The error and the first lines of the build log, without the options, which only repeat the
/// kernel's name.
std::string first_lines(const std::string& message);

/// Greets, opens the device as the greeting says, and does `work`. The process ends with its
/// parent, and writes no core file. Returns the program's exit code.
int run_trial_child(const std::function<void(ParentChannel&, Engine&)>& work);

}  // namespace duoblas
