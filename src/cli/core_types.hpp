// The core types of the CPU BLAS on this processor: measured once and stored beside the profiles,
// described, offered to the tuner and to programs.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/core_type_probe.hpp"

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

/// The file of these measurements.
std::string core_types_file(const std::string& folder);

/// Stores the findings for this file (its path, size and modification time) on this processor. Does
/// nothing if the folder cannot be written, or if there are no findings.
void remember_core_types(const std::string& folder, const std::string& library,
                         const std::vector<CoreTypeFinding>& findings);

/// A library whose own choice of core type is slow.
struct SlowChoice {
  std::string library;
  std::string chosen;  ///< the core type that it takes
  std::string better;  ///< what to set in OPENBLAS_CORETYPE
  double times = 1;    ///< as fast, the mean of sgemm and dgemm
};

/// The remembered libraries whose file is still the one that was measured.
std::vector<SlowChoice> slow_choices(const std::string& folder);

}  // namespace duoblas::cli
