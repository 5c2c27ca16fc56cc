// The core types of the CPU BLAS on this processor: measured, described, offered to the tuner.
#pragma once

#include <string>
#include <vector>

#include "cpu/cpu_side.hpp"
#include "engine/engine.hpp"

namespace duoblas::cli {

/// probe_core_types() with this very program as the helper. The findings are remembered for
/// `duoblas run`.
std::vector<CoreTypeFinding> measured_core_types(Engine& engine);

/// One sentence: whether a better core type than the library's own choice is there, and its worth.
std::string worth_text(const std::vector<CoreTypeFinding>& findings);

/// The engine's CPU side with each core type that is worth trying: the fastest ones in single and
/// in double precision. Empty if nothing was measured.
std::vector<CpuConfig> promising_configs(Engine& engine,
                                         const std::vector<CoreTypeFinding>& findings);

}  // namespace duoblas::cli
