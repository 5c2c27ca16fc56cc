// H = I - V T V^H in the host's memory: V, with its ones and zeros stored, and the upper triangular
// T, both column-major.
#pragma once

#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/partition.hpp"

namespace duoblas {

struct PanelReflector {
  Interval panel;    ///< V's columns, which are also the first rows of the matrix that H changes
  Op op = Op::none;  ///< not none: use H^H
  const void* v = nullptr;
  std::int64_t ldv = 0;
  const void* t = nullptr;
  std::int64_t ldt = 0;
};

/// Where V and T of a panel of at most `ldt` columns are to be, if not in memory of whoever makes
/// them.
struct ReflectorMemory {
  void* v = nullptr;
  std::int64_t ldv = 0;
  void* t = nullptr;
  std::int64_t ldt = 0;
};

}  // namespace duoblas
