// Which configuration of the CPU BLAS the CPU side uses: by measuring, not by what it says.
#pragma once

#include "tuner/session.hpp"

namespace duoblas {

/// Measures the candidates at n = 512 in each of these precisions and puts its fastest (the first,
/// where no other is 3 % faster) in context.machine.cpu, and its core type in cpu_all. At most six
/// are looked at: each is an instance of the CPU BLAS in a link namespace, of which a process has
/// about eleven.
void choose_cpu_config(TuneContext& context, const std::vector<CpuConfig>& candidates,
                       const std::vector<Precision>& precisions);

}  // namespace duoblas
