// Into which blocks on its diagonal a triangle is divided that is solved with by products with
// their inverses. An inverse of an ill-conditioned block would lose digits that substitution keeps
// (N. J. Higham, The accuracy of solutions to triangular systems, SIAM J. Numer. Anal. 26, 1989),
// and halves of a block are conditioned better than it is. Of a unit triangle without numbers above
// 1, as LU's L, 8 lines have a condition number of 1024 at the most; of 64 lines it may be 2^69.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/level3/diagonal_blocks.hpp"

namespace duoblas {

/// The solve whose triangle is A, of so many rows.
struct TriangleAt {
  Side side = Side::left;
  Uplo uplo = Uplo::lower;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
};
inline Level3Problem solve_with(const TriangleAt& triangle, Precision precision, const void* a,
                                std::int64_t lda) {
  Level3Problem solve;
  solve.routine = Routine::trsm;
  solve.precision = precision;
  solve.side = triangle.side;
  solve.uplo = triangle.uplo;
  solve.op = triangle.op;
  solve.diag = triangle.diag;
  solve.a = a;
  solve.lda = lda;
  return solve;
}

struct TriangleLeaf {
  std::int64_t first = 0, size = 0;  ///< counted from the first line
  bool is_ill_conditioned = false;   ///< its condition number is over harmless_condition
};

/// invert_leaves(), with those leaves divided whose condition number is over `most`: they become
/// two, down to 8 lines. The inverse of a leaf begins in its first line's row of `inverses`.
std::vector<TriangleLeaf> invert_in_leaves(const Level3Problem& triangle, Interval lines,
                                           std::int64_t leaf, double most, DenseBlock& inverses,
                                           CopyThreads* threads = nullptr);

/// invert_leaves(), for who neither divides leaves nor corrects solutions. \throws
/// UnsuitedNumbers where too few digits would be right of what the inverses are multiplied with.
void invert_solvable(const Level3Problem& triangle, Interval lines, std::int64_t leaf,
                     DenseBlock& inverses, CopyThreads* threads);
void invert_solvable(const Level3Problem& triangle, Interval lines, std::int64_t leaf,
                     void* inverses, CopyThreads* threads);

/// \throws UnsuitedNumbers if a leaf has this condition number, as above.
void require_solvable(double condition, Precision precision);

}  // namespace duoblas
