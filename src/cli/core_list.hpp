// Cores in the notation of `duoblas devices`.
#pragma once

#include <string>
#include <vector>

#include "cpu/topology.hpp"

namespace duoblas::cli {

/// "0-3,8". \pre ascending.
std::string core_list(const std::vector<int>& cores);

/// A line, with its end, per irregularity of the processor's cores: kinds of cores, fastest first,
/// and hardware threads that share a core. Empty for plain cores.
std::string core_facts(const Topology& machine);

}  // namespace duoblas::cli
