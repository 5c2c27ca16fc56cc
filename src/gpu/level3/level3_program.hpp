// A level-3 call as a list of steps, for a device with memory for all operands: what is sent, what
// is multiplied, what comes back. Pure arithmetic.
//
// The triangular, symmetric or Hermitian matrix is divided into blocks along its order. The
// stored part of each block row is sent once; of a block that trsm solves by one inverse only what
// is beside its diagonal block. The host completes diagonal blocks (diagonal_blocks.hpp), so that
// all else is gemm on long rows:
//
//     syrk, lower               symm, lower               trmm, op(A) lower
//     C_i = A_i A_[0..i]'       C_i = A_i,[0..i] B_[0..i]   C_i = A_i,[0..i] C_[0..i], last i first
//                                   + A_[i+1..],i' B_[i+1..]
//     trsm, op(A) lower: R_i = alpha B_i - A_i,[0..i-1] X_[0..i-1], and X_i from R_i by halves,
//     with the inverses of diagonal blocks of `leaf` rows at the end of that
//
// Where A is in place and C is not, symm, trmm and trsm from the left go by block columns of A
// (level3_columns.cpp).
//
// (trsm by inverted diagonal blocks: J. J. Du Croz, N. J. Higham, Stability of methods for matrix
// inversion, IMA J. Numer. Anal. 12, 1992, and N. J. Higham, Stability of parallel triangular
// system solvers, SIAM J. Sci. Comput. 16(2), 1995.)
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "gpu/level3/level3_blocks.hpp"
#include "problem/level3_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// Matrices on the device, each as large as what is stored of it. `b`: B, or the old values of a C
/// that is overwritten; `c`: the results; `inverses`: of diagonal blocks, below one another;
/// `diagonals`: where A or C are the caller's own, diagonal blocks below one another.
enum class Level3Matrix { a, b, c, inverses, diagonals };

struct DevicePlace {
  Level3Matrix matrix = Level3Matrix::a;
  std::int64_t row = 0, column = 0;
};

struct DeviceRect {
  DevicePlace at;
  std::int64_t rows = 0, columns = 0;
};

/// Sends from the caller's memory to the same place.
struct SendRect {
  DeviceRect rect;
  bool is_saved = false;  ///< what was sent, for a failure
};
/// Sends a block row of a triangle. Its diagonal block has zeros where nothing is stored; products
/// of trsm do not read those places.
struct SendTriangle {
  DeviceRect rect, beside;  ///< `beside`: the part without the diagonal block
  Interval lines;           ///< of the diagonal block
};
/// Sends a diagonal block of A as kernels need it (symm, trmm, trsm), or the stored part of one of
/// C. If that matrix is in place it becomes one of `diagonals`.
struct SendDiagonal {
  Level3Matrix matrix = Level3Matrix::a;
  Interval lines;
  bool has_values = true;  ///< of C; if false, only room is made for the block
};
/// Lines of a C in place that the next products write. What they held is saved for a failure, or
/// nobody reads it. By block columns: all of a C apart, with or without what C holds.
struct OverwriteRect {
  DeviceRect rect;
  bool saves = false;
  /// The saved values are also these lines of `b`; or a second copy is, which products may
  /// overwrite.
  enum class AsB { no, saved, copy } as_b = AsB::no;
};
/// Sends the inverses of the diagonal blocks of `leaf` rows in this block.
struct SendInverses {
  Interval lines;
};
/// c = alpha op(a) op(b) + beta c, with the sizes, ops and scalars of `product`.
struct MultiplyStep {
  GemmProblem product;
  DevicePlace a, b, c;
  /// B is that of the last product without this, or rows of it from the given one on, and may be
  /// packed.
  bool has_last_b = false;
  std::int64_t first_of_last_b = 0;
};
/// Brings results to the caller's memory, where they may be already. `lines`: the lines along the
/// order that are finished with it; none where what they held is saved until the job ends.
struct FetchRect {
  DeviceRect rect;
  Interval lines;
};
/// The same for the stored part of a diagonal block of syrk's C. `is_last`: no FetchRect of its
/// lines follows.
struct FetchDiagonal {
  Interval lines;
  bool is_last = false;
};

using DeviceStep = std::variant<SendRect, SendTriangle, SendDiagonal, OverwriteRect, SendInverses,
                                MultiplyStep, FetchRect, FetchDiagonal>;

/// The steps, in an order in which each finds its operands. \pre not only_scales_c(), not empty.
/// `in_place`: from usable_in_place().
std::vector<DeviceStep> device_program(const Level3Problem& problem, const BlockSizes& sizes,
                                       MatricesInPlace in_place = {});

/// The diagonal blocks of trsm's A by whose inverses right-hand sides are multiplied; none for
/// other routines.
std::vector<Interval> inverted_blocks(const Level3Problem& problem, const BlockSizes& sizes);

}  // namespace duoblas
