#include "tuner/kernel_trial_options.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// A stand-in's worker has one core, on which all the children would compile: two of them took 10.5
// s for eight kernels, and 7.0 s with PoCL on every core (PoCL 3.1, 2 cores of a Xeon). Nothing is
// ranked by a child's times.
Settings trial_settings(Settings settings) {
  if (settings.standin) {
    settings.standin = false;
    settings.strategy = Strategy::hybrid;  // which may use a CPU device too
  }
  return settings;
}

}  // namespace

KernelTrialOptions kernel_trial_options(Engine& engine, const TuneRequest& request) {
  constexpr int most_processes = 4;
  const int processes = std::clamp(engine.cpu().limits().threads, 1, most_processes);
  return {request.helper_program, trial_settings(engine.settings()), processes,
          request.kernel_time_out_seconds};
}

}  // namespace duoblas
