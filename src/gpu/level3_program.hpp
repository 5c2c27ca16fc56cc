// A level-3 call on a device that has memory for all of its operands, as a list of steps: what goes
// there, what is multiplied, what comes back. Pure arithmetic.
//
// The triangular, symmetric or Hermitian matrix is taken in blocks along its order. Of each block
// row only what is stored goes to the device, once; diagonal blocks are completed by the host
// (diagonal_blocks.hpp), so that all the rest is gemm on long rows:
//
//     syrk, lower               symm, lower               trmm, op(A) lower
//     C_i = A_i A_[0..i]'       C_i = A_i,[0..i] B_[0..i]   C_i = A_i,[0..i] C_[0..i], last i first
//                                   + A_[i+1..],i' B_[i+1..]
//     trsm, op(A) lower: R_i = alpha B_i - A_i,[0..i-1] X_[0..i-1], and X_i from R_i by halves,
//     with the inverses of diagonal blocks of `leaf` rows at the end of that
//
// (trsm by inverted diagonal blocks: J. J. Du Croz, N. J. Higham, Stability of methods for matrix
// inversion, IMA J. Numer. Anal. 12, 1992, and N. J. Higham, Stability of parallel triangular
// system solvers, SIAM J. Sci. Comput. 16(2), 1995.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "problem/cut.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Matrices on the device, each as large as what is stored of it. `b`: B, or of a C that is
/// overwritten what it was; `c`: the results; `inverses`: of diagonal blocks, below one another;
/// `diagonals`: where A or C are the caller's own, diagonal blocks below one another.
enum class DeviceMatrix { a, b, c, inverses, diagonals };

struct DevicePlace {
  DeviceMatrix matrix = DeviceMatrix::a;
  std::int64_t row = 0, column = 0;
};

struct DeviceRect {
  DevicePlace at;
  std::int64_t rows = 0, columns = 0;
};

/// From the caller's memory, where it has the same place.
struct SendRect {
  DeviceRect rect;
};
/// A diagonal block of A as kernels need it (symm, trmm, trsm), or what is stored of one of C.
/// Where that matrix is in place it is one of `diagonals`.
struct SendDiagonal {
  DeviceMatrix matrix = DeviceMatrix::a;
  Interval lines;
  bool has_values = true;  ///< C's: else only a place for the block
};
/// Lines of a C in place that the next products write. What they held is kept for a failure, or
/// nobody reads it.
struct OverwriteRect {
  DeviceRect rect;
  bool keeps = false;
  /// What is kept is these lines of `b`, too; or a second copy is, which products may write.
  enum class AsB { no, kept, copy } as_b = AsB::no;
};
/// Inverses of the diagonal blocks of `leaf` rows that are in this one.
struct SendInverses {
  Interval lines;
};
/// c = alpha op(a) op(b) + beta c: of `product` the sizes, ops and scalars.
struct MultiplyStep {
  GemmProblem product;
  DevicePlace a, b, c;
};
/// Results, to the caller's memory, where they may be already. `lines`: along the order, which are
/// done with it.
struct FetchRect {
  DeviceRect rect;
  Interval lines;
};
/// The same of a diagonal block of syrk's C: what is stored of it. `is_last`: no FetchRect of its
/// lines follows.
struct FetchDiagonal {
  Interval lines;
  bool is_last = false;
};

using DeviceStep = std::variant<SendRect, SendDiagonal, OverwriteRect, SendInverses, MultiplyStep,
                                FetchRect, FetchDiagonal>;

struct BlockSizes {
  std::int64_t block = 512;  ///< lines along the order
  std::int64_t leaf = 64;    ///< of inverted diagonal blocks, at most `block`
  /// Results that come back in the other direction than rows lie do so in pieces of so many bytes,
  /// of which each arrives as a whole.
  std::size_t piece_bytes = std::size_t{4} << 20;
};

/// Blocks for a problem of this order: large enough for a GPU, and several of them in small calls
/// too, which conformance suites make.
BlockSizes block_sizes(std::int64_t order);

/// The steps, in an order in which each finds what it needs. \pre not only_scales_c(), not empty.
/// `in_place`: as usable_in_place() has it.
std::vector<DeviceStep> device_program(const Level3Problem& problem, const BlockSizes& sizes,
                                       MatricesInPlace in_place = {});

/// Diagonal blocks of trsm's A by whose inverses right-hand sides are
/// multiplied; none for other routines.
std::vector<Interval> inverted_blocks(const Level3Problem& problem, const BlockSizes& sizes);

/// Rows and columns of a matrix of the device's own; none: the routine has no use for it.
StoredShape device_shape(const Level3Problem& problem, DeviceMatrix matrix, const BlockSizes& sizes,
                         MatricesInPlace in_place = {});

}  // namespace duoblas
