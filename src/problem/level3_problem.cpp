#include "problem/level3_problem.hpp"

namespace duoblas {

const char* name(Routine routine) {
  switch (routine) {
    case Routine::symm: return "symm";
    case Routine::hemm: return "hemm";
    case Routine::syrk: return "syrk";
    case Routine::herk: return "herk";
    case Routine::syr2k: return "syr2k";
    case Routine::her2k: return "her2k";
    case Routine::trmm: return "trmm";
    case Routine::trsm: return "trsm";
  }
  return "unknown";
}

double flops(const Level3Problem& p) {
  const auto extent = static_cast<double>(order(p));
  const bool both_triangles = !is_in_place(p.routine) && has_b(p.routine);
  return (is_complex(p.precision) ? 4.0 : 1.0) * (both_triangles ? 2.0 : 1.0) * extent * extent *
         static_cast<double>(free_extent(p));
}

}  // namespace duoblas
