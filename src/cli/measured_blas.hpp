// The core types of BLAS libraries: measured once, stored beside the profiles.
#pragma once

#include <string>
#include <vector>

#include "cpu/cpu_side.hpp"

namespace duoblas::cli {

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
