// A profile that makes the GPU compute on copies at every size, even if it could share memory. It
// has the types whose products are of this arithmetic.
#pragma once

#include "engine/engine.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas::test {

inline Profile staged_profile(Engine& engine, Arithmetic arithmetic = Arithmetic::native) {
  Profile profile;
  profile.key = engine.facts().profile_key(arithmetic);
  profile.origin = engine.facts().profile_origin();
  for (const Precision precision : all_precisions) {
    if (engine.machine().device.arithmetic(precision) != arithmetic) continue;
    TunedPoint point;
    point.precision = precision;
    point.m = point.n = point.k = 512;
    point.hybrid.kernel = default_kernel(precision, engine.machine().device);
    point.hybrid.sharing = SharingMode::staged;
    point.hybrid.share = {8, 16};
    point.hybrid.seconds = 1e-3;
    point.simple = point.gpu = point.hybrid;
    point.gpu.share = {16, 16};
    point.gpu.seconds = 2e-3;
    point.cpu_seconds = point.cpu_all_seconds = 2e-3;
    profile.points.push_back(point);
  }
  return profile;
}

/// A profile that says that both sides together take a tenth of the CPU's time. The times are made
/// up.
inline Profile flattering_profile(Engine& engine, Arithmetic arithmetic = Arithmetic::native) {
  Profile profile = staged_profile(engine, arithmetic);
  for (TunedPoint& point : profile.points) {
    point.cpu_seconds = point.cpu_all_seconds = 1;
    point.hybrid.seconds = point.simple.seconds = 0.1;
    point.gpu.seconds = 0.2;
  }
  return profile;
}

}  // namespace duoblas::test
