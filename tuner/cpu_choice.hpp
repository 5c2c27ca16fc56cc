// Chooses the CPU side's configuration of the CPU BLAS by measurements.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/session.hpp"

namespace duoblas {

/// The candidate that is fastest on a square product of n = `size`; the first, where no other is
/// 3 % faster. Each is an instance of the CPU BLAS in a link namespace, of which a process has
/// about eleven: those that cannot be had are left out.
CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size);

/// The candidate with which a call on both sides is fastest, each at its best of a few shares. It
/// is measured at a shape that leaves the CPU much to do even if the GPU takes nearly all of a
/// cube. There the threads that copy for the GPU disturb a CPU BLAS whose threads wait for each
/// other. The first candidate, unless another one is 3 % faster.
CpuConfig fastest_beside_gpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                             Precision precision, const TunedChoice& gpu);

}  // namespace duoblas
