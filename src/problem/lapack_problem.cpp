#include "problem/lapack_problem.hpp"

#include <algorithm>

namespace duoblas {

const char* name(LapackRoutine routine) {
  constexpr const char* names[lapack_routine_count] = {"getrf", "potrf", "gesv",  "posv",
                                                       "getrs", "potrs", "getri", "laswp",
                                                       "geqrf", "orgqr", "ormqr"};
  return names[static_cast<std::size_t>(routine)];
}

std::string name(LapackRoutine routine, Precision precision) {
  std::string of = name(routine);
  if (is_complex(precision) && of.starts_with("or")) of.replace(0, 2, "un");
  return letter(precision) + of;
}

double flops(const LapackProblem& p) {
  const auto n = static_cast<double>(p.n), sides = static_cast<double>(p.right_sides);
  const double type = is_complex(p.precision) ? 4 : 1;
  const auto lu = [](double rows, double columns) {
    const double large = std::max(rows, columns), small = std::min(rows, columns);
    return large * small * small - small * small * small / 3;
  };
  const auto m = static_cast<double>(p.m), k = static_cast<double>(p.reflectors);
  const auto qr = [](double rows, double columns) {
    const double large = std::max(rows, columns), small = std::min(rows, columns);
    return 2 * small * small * (large - small / 3);
  };
  // A device's ormqr has B as its A (lapack/qr.hpp), and names the number of reflectors.
  const double applied = k > 0 ? k : n;
  const double apply = 2 * applied * sides * (2 * m - applied);
  const double cube = n * n * n, solve = 2 * n * n * sides;
  switch (p.routine) {
    case LapackRoutine::getrf: return type * lu(static_cast<double>(p.m), n);
    case LapackRoutine::potrf: return type * cube / 3;
    case LapackRoutine::gesv: return type * (cube * 2 / 3 + solve);
    case LapackRoutine::posv: return type * (cube / 3 + solve);
    case LapackRoutine::getrs:
    case LapackRoutine::potrs: return type * solve;
    case LapackRoutine::getri: return type * cube * 4 / 3;
    case LapackRoutine::laswp: return 0;
    case LapackRoutine::geqrf: return type * qr(m, n);
    case LapackRoutine::orgqr:
      return type * (4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3);
    case LapackRoutine::ormqr: return type * apply;
  }
  return 0;
}

void* element_of(void* matrix, std::int64_t ld, std::int64_t row, std::int64_t column,
                 Precision precision) {
  return advanced(matrix, column * ld + row, precision);
}

}  // namespace duoblas
