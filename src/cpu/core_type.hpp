// Core types of OpenBLAS: which kernels it may use on this processor.
#pragma once

#include <string>
#include <vector>

#include "os/arm_features.hpp"

namespace duoblas {

/// The instruction sets that decide between core types; false where the architecture has no such.
struct VectorExtensions {
  bool avx2_fma = false;
  bool avx512 = false;  ///< F, CD, BW, DQ and VL
  bool avx512_bf16 = false;
  ArmFeatures arm = {};
};
VectorExtensions vector_extensions();

/// Whether the names are equal, ignoring case as OpenBLAS does.
bool same_core_type(const std::string& x, const std::string& y);

/// OpenBLAS takes processors newer than itself for old ones. Returns the type to use instead if
/// `core_name` (from openblas_get_corename()) leaves the processor's vectors unused; empty if the
/// choice is good, or not known here.
std::string better_core_type(const std::string& core_name, const VectorExtensions& has);

/// The types worth measuring on this processor.
std::vector<std::string> candidate_core_types(const VectorExtensions& has);

}  // namespace duoblas
