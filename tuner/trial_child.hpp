// The child's half of trials in processes of their own.
#pragma once

#include <functional>
#include <string>

#include <duoblas/error.hpp>

#include "engine/engine.hpp"
#include "os/parent_channel.hpp"
#include "tuner/kernel_trial_lines.hpp"

namespace duoblas {

TrialAnswer verdict_answer(Verdict verdict, const std::string& why = "");

/// The error and the first lines of the build log, without the options, which only repeat the
/// kernel's name.
std::string first_lines(const std::string& message);

/// Of a kernel that did not build, or that could not be run. If the driver builds nothing at all
/// just now, the answer is that, and the last: a disk is full, or the kernel broke the compiler.
TrialAnswer refused_answer(Engine& engine, const DeviceError& error);

/// So many new children build nothing after a kernel, and after each another one builds: a disk
/// that is full for a moment is not the reason.
inline constexpr int enough_broken_compilers = 2;
/// The verdict on a kernel after which nothing more builds, though new processes build. \param why
/// of Say::builds_nothing.
KernelVerdict verdict_on_a_broken_compiler(const std::string& why);

/// Greets, opens the device as the greeting says, and does `work`. The process ends with its
/// parent, and writes no core file. Returns the program's exit code.
int run_trial_child(const std::function<void(ParentChannel&, Engine&)>& work);

}  // namespace duoblas
