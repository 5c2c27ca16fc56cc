#include "problem/level3_problem.hpp"

namespace duoblas {

const char* name(Routine routine) {
  constexpr const char* names[routine_count] = {"symm",  "hemm",  "syrk", "herk",
                                                "syr2k", "her2k", "trmm", "trsm"};
  return names[static_cast<std::size_t>(routine)];
}

double flops(const Level3Problem& p) {
  const auto extent = static_cast<double>(order(p));
  const bool both_triangles = !is_in_place(p.routine) && has_b(p.routine);
  return (is_complex(p.precision) ? 4.0 : 1.0) * (both_triangles ? 2.0 : 1.0) * extent * extent *
         static_cast<double>(free_extent(p));
}

}  // namespace duoblas
