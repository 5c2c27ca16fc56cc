// Which configuration of the CPU BLAS the CPU side uses: by measuring, not by what it says.
#pragma once

#include <vector>

#include "profile/profile.hpp"
#include "tuner/session.hpp"

namespace duoblas {

/// The candidate that is fastest on a square product of n = `size`; the first, where no other is
/// 3 % faster. Each is an instance of the CPU BLAS in a link namespace, of which a process has
/// about eleven: those that cannot be had are left out.
CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size);

/// The candidate with which a call is fastest that both sides work on, each at its best of a few
/// shares: at a shape that leaves the CPU much to do on machines where the GPU takes nearly all of
/// a cube. There other threads, which copy for the GPU, are in the way of a CPU BLAS whose threads
/// wait for each other. The first, where no other is 3 % faster.
CpuConfig fastest_beside_gpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                             Precision precision, const TunedChoice& gpu);

}  // namespace duoblas
