// The matrices of a level-3 call as bytes in memory.
#pragma once

#include "problem/host_rect.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

inline HostRect rect_of_a(const Level3Problem& p) {
  const StoredShape shape = stored_a(p);
  return rect_of(p.a, shape.rows, shape.cols, p.lda, p.precision);
}
/// \pre the routine has a B of its own.
inline HostRect rect_of_b(const Level3Problem& p) {
  const StoredShape shape = stored_b(p);
  return rect_of(p.b, shape.rows, shape.cols, p.ldb, p.precision);
}
inline HostRect rect_of_c(const Level3Problem& p) {
  const StoredShape shape = stored_c(p);
  return rect_of(p.c, shape.rows, shape.cols, p.ldc, p.precision);
}

/// Whether the call reads the old values of C.
inline bool reads_c(const Level3Problem& p) {
  return is_in_place(p.routine) || p.beta != 0.0;
}

}  // namespace duoblas
