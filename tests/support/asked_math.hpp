// Whether a decision asked for MathMode::tf32x3, on every device: one that has no such instructions
// is said to have none as soon as a plan asks for them, and any other has them in the plan's
// kernel.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "engine/engine.hpp"

namespace duoblas::test {

/// `decide`: makes the Decision about a call that the device does, with an engine that was asked
/// for tf32x3.
template <typename Decide>
bool asks_for_tf32x3(Decide&& decide) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::gpu;
  settings.split.reset();
  settings.math = MathMode::tf32x3;
  settings.profile_dir.clear();
  settings.verbose = 1;
  testing::internal::CaptureStderr();
  Engine engine(settings);  // of its own, because it says each thing once
  const Decision decision = decide(engine);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(decision.uses_gpu()) << said;
  const auto is_fast = [](const Plan& plan) { return plan.kernel.matrix == MatrixUnit::tf32x3; };
  bool any_fast = is_fast(decision.plan);
  for (const CallStep& step : decision.steps) {
    if (const auto* call = std::get_if<DeviceCall>(&step)) any_fast |= is_fast(call->plan);
    if (const auto* call = std::get_if<DeviceFactorisation>(&step)) any_fast |= is_fast(call->plan);
  }
  return any_fast || said.find("no TF32 matrix instructions") != std::string::npos;
}

}  // namespace duoblas::test
