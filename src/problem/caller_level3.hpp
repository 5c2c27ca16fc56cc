// A level-3 call as the caller wrote it, in the caller's storage order; checked, then made
// row-major.
#pragma once

#include <string_view>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// The arguments as given: the same fields as Level3Problem, and `layout`. For trmm and trsm the
/// caller's B is `c`.
struct CallerLevel3 {
  Layout layout = Layout::row_major;
  Level3Problem args;
};

/// Checks the arguments as the reference BLAS does. `names`: the function's arguments in order
/// (NamedArguments), where that is not duoblas_?NAME. \throws ArgumentError with the position
/// (layout is 1). Nothing has been read or written then.
void check(const CallerLevel3& call, std::string_view names = {});

/// The same as a row-major problem: a column-major matrix is the transpose of the row-major one in
/// the same memory. So the other triangle is the stored one, a product changes sides, and
/// A A' becomes A' A.
Level3Problem to_row_major(const CallerLevel3& call);

}  // namespace duoblas
