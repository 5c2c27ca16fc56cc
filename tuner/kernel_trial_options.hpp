// Options for trying kernels in child processes.
#pragma once

#include "engine/engine.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

KernelTrialOptions kernel_trial_options(Engine& engine, const TuneRequest& request);

}  // namespace duoblas
