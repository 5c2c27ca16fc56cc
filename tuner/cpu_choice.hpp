// Chooses the CPU side's configuration of the CPU BLAS by measurements.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"
#include "tuner/session.hpp"

namespace duoblas {

/// The configurations of `base`'s core type, by threads, cores and tiles, that can be loaded.
std::vector<CpuConfig> layouts(const TuneContext& context, const CpuConfig& base);

/// How the journal's case of choose_cpus() begins.
inline constexpr std::string_view core_types_title = "core types:";

/// Measures, and sets in context.machine, the CPU BLAS of each of the request's element types: its
/// core type for both, and for the baseline, which has all cores, their layout too.
void choose_cpus(TuneContext& context, const TuneRequest& request);

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
