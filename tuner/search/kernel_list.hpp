// The kernels that a search chooses from.
#pragma once

#include <cstddef>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"
#include "tuner/fixed_fields.hpp"

namespace duoblas {

/// kernel_candidates() first, then kernels that differ from one of the best of them in one field.
/// Of these, closer values come first, then more important fields (fields_by_importance), in turns
/// between the candidates. All are different, canonical, legal on this device and without an opt-in
/// arithmetic. There are at most `most`, and at least one. All have the `fixed` values, which are
/// put into the candidates first. \throws DeviceError that names the rule if no kernel is left.
std::vector<KernelParams> search_kernels(Precision precision, Op op_a, Op op_b,
                                         const DeviceLimits& limits, std::size_t most,
                                         const FixedFields& fixed = {});

}  // namespace duoblas
