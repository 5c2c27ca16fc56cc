// The configurations of the CPU side that are worth measuring on a given processor.
#pragma once

#include <vector>

#include "cpu/cpu_limits.hpp"
#include "cpu/topology.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

/// At most six configurations with the library and the core type of `base`, the most promising
/// first, no two alike, never none:
/// - all cores, with the BLAS's own threads and, from two threads on, with tiles;
/// - one core less, left to the GPU's driver, from three threads on;
/// - one hardware thread of each core, where cores have several;
/// - where cores differ in speed, the fast ones, with own threads and with tiles. The fast ones are
///   those of the highest rank, and of the next while they are a single core.
/// All stay within `base.cores` (empty: the limits'), the limits' cores, and the threads of both.
/// It depends on the arguments only.
std::vector<CpuConfig> cpu_configurations(const CpuConfig& base, const Topology& topology,
                                          const CpuLimits& limits);

}  // namespace duoblas
