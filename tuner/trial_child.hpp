// The child's half of trials in processes of their own.
#pragma once

#include <functional>
#include <string>

#include <duoblas/error.hpp>

#include "cpu/parent_channel.hpp"
#include "engine/engine.hpp"
#include "tuner/kernel_trial_lines.hpp"

namespace duoblas {

TrialAnswer verdict_answer(Verdict verdict, const std::string& why = "");

/// The error and the first lines of the build log, without the options, which only repeat the
/// kernel's name.
std::string first_lines(const std::string& message);

/// Of a kernel that did not build, or that could not be run. \throws Error if the driver builds
/// nothing at all just now, because a disk is full: that is no kernel's fault, and a verdict would
/// be kept.
TrialAnswer refused_answer(Engine& engine, const DeviceError& error);

/// Greets, opens the device as the greeting says, and does `work`. The process ends with its
/// parent, and writes no core file. Returns the program's exit code.
int run_trial_child(const std::function<void(ParentChannel&, Engine&)>& work);

}  // namespace duoblas
