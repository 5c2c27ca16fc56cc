// H = I - V T V^H as memory of the host: V, with its ones and zeros, and the upper triangle T, both
// column-major.
#pragma once

#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/cut.hpp"

namespace duoblas {

struct PanelReflector {
  Interval panel;    ///< V's columns, and the rows of the matrix from which on H changes it
  Op op = Op::none;  ///< not none: H^H it is
  const void* v = nullptr;
  std::int64_t ldv = 0;
  const void* t = nullptr;
  std::int64_t ldt = 0;
};

}  // namespace duoblas
