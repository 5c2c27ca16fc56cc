// One random call of level 3 or LAPACK: everything that follows from the seed and its number.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas::soak {

/// How the operands lie to each other.
enum class Arrangement {
  separate,     ///< each in memory of its own
  adjacent,     ///< one behind the other
  interleaved,  ///< blocks of one larger matrix, as LAPACK's: their lines alternate
};

/// Where their memory comes from.
enum class Home {
  heap,
  library,     ///< duoblas_malloc
  registered,  ///< the heap, registered for the call
  mapped,      ///< a shared mapping of a file; A and B are read-only during the call
};

/// NaN or infinity where it is read.
enum class Plant { nothing, in_a, in_b, in_c };

/// Of gemm: by which door.
enum class EntryPoint { plain, job, prepared_a, prepared_b, prepared_both };

struct SoakCall {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
  std::optional<Routine> routine;  ///< nothing: gemm
  /// This instead, of m x n or n x n matrices with k right-hand sides.
  std::optional<LapackRoutine> lapack;
  Precision precision = Precision::s;
  Layout layout = Layout::row_major;
  Op op_a = Op::none;  ///< the op of the other level-3 routines, too
  Op op_b = Op::none;
  Side side = Side::left;
  Uplo uplo = Uplo::upper;
  Diag diag = Diag::non_unit;
  std::int64_t m = 0, n = 0, k = 0;
  std::complex<double> alpha = 1, beta = 0;  ///< exact in float
  Arrangement arrangement = Arrangement::separate;
  Home home = Home::heap;
  std::array<std::int64_t, 3> pad = {};     ///< of A, B and C, elements
  std::array<std::int64_t, 3> offset = {};  ///< elements past a 64-byte boundary
  bool b_is_a = false;                      ///< gemm of square matrices: the same memory
  Plant plant = Plant::nothing;
  bool plants_infinity = false;
  EntryPoint entry_point = EntryPoint::plain;

  bool is_complex() const { return precision == Precision::c || precision == Precision::z; }
  bool in_place() const { return routine && is_in_place(*routine); }
  bool has_own_b() const { return !routine || has_b(*routine); }
  /// The sizes and options of the other level-3 routines; no memory.
  Level3Problem shape() const;
  /// The stored matrices, row-major or not. 0: A, 1: B, 2: C.
  StoredShape stored(int operand) const;
  /// The terms of the sum that an element of the result is.
  std::int64_t depth() const;
  bool reads_operands() const { return alpha != 0.0 && depth() > 0; }
  bool reads_c() const { return in_place() ? alpha != 0.0 : beta != 0.0; }
};

struct CallLimits {
  std::string types = "sdcz";
  std::int64_t largest = 1100;  ///< extent
};

SoakCall draw_call(std::uint64_t seed, std::uint64_t number, const CallLimits& limits);

/// In one line.
std::string text(const SoakCall& call);

}  // namespace duoblas::soak
