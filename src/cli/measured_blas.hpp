// What is known of the core types of BLAS libraries: measured once, kept beside the profiles.
#pragma once

#include <string>
#include <vector>

#include "cpu/cpu_side.hpp"

namespace duoblas::cli {

/// Where that is kept.
std::string core_types_file(const std::string& folder);

/// Remembers the findings for this very file (its path, size and time of change) on this processor.
/// Nothing is kept where the folder cannot be written: it is no loss. Empty findings are none.
void remember_core_types(const std::string& folder, const std::string& library,
                         const std::vector<CoreTypeFinding>& findings);

/// A library that leaves speed behind where it chooses its core type itself.
struct SlowChoice {
  std::string library;
  std::string chosen;  ///< the core type that it takes
  std::string better;  ///< what to set in OPENBLAS_CORETYPE
  double times = 1;    ///< as fast, the mean of sgemm and dgemm
};

/// The remembered libraries whose file is still the one that was measured.
std::vector<SlowChoice> slow_choices(const std::string& folder);

}  // namespace duoblas::cli
