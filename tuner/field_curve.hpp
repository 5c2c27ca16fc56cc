// The curve of one parameter of gemm's kernels, in GFLOPS of whole calls.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "plot/chart.hpp"
#include "profile/profile.hpp"
#include "tuner/kernel_pool.hpp"
#include "tuner/rate_curve.hpp"
#include "tuner/search/recording.hpp"

namespace duoblas {

/// The curves that a recording has already: for each field, the kernels that differ from `best` in
/// that field only. Those with the most values come first. `flops` of one call. Pure.
std::vector<FieldCurve> recorded_field_curves(const Recording& recording, const TunedChoice& best,
                                              double flops);

/// `kernel` with each legal value of the field, the nearest values first, at most `most`. Those
/// that break a rule on this device have its reason. \pre the field matters to the kernel.
std::vector<std::pair<KernelParams, FieldRate>> field_neighbours(const KernelParams& kernel,
                                                                 const KernelField& field,
                                                                 Precision precision,
                                                                 const DeviceLimits& limits,
                                                                 std::size_t most = 11);

struct FieldCurveRules {
  int rounds = 5;
  double seconds = 20;  ///< no new round after this
  unsigned seed = 1;
};

/// Measures the curve around the kernel that is best alone at this point. `pool` tries each new
/// kernel first; then calls of the GPU alone take turns. \throws SettingError if the field means
/// nothing to that kernel; Error as KernelPool does.
FieldCurve measure_field_curve(Engine& engine, KernelPool& pool, const TunedPoint& point,
                               const KernelField& field, const FieldCurveRules& rules = {});

/// `tuning_case`: "sgemm nn 1024 x 1024 x 1024".
Chart field_chart(const FieldCurve& curve, const std::string& tuning_case);

}  // namespace duoblas
