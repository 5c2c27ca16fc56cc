// Which configuration of the CPU BLAS the CPU side uses: by measuring, not by what it says.
#pragma once

#include <vector>

#include "tuner/session.hpp"

namespace duoblas {

/// The candidate that is fastest on a square product of n = `size`; the first, where no other is
/// 3 % faster. Each is an instance of the CPU BLAS in a link namespace, of which a process has
/// about eleven: those that cannot be had are left out.
CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size);

}  // namespace duoblas
