// What a CPU BLAS exports, found by its CBLAS and Fortran names, and called with our problems.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "problem/gemm_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// Routines on a matrix and vectors.
enum class VectorRoutine { gemv };

constexpr VectorRoutine routine_of(const GemvProblem&) {
  return VectorRoutine::gemv;
}
constexpr Routine routine_of(const Level3Problem& p) {
  return p.routine;
}

/// What the library behind this dlopen handle exports by this name, or by the name that the builds
/// of OpenBLAS on PyPI (scipy-openblas32) have for it, with scipy_ before it; null: neither.
void* blas_symbol(void* handle, const std::string& name);

/// "cblas_dsyrk", "cblas_dgemv", "dgetrf_".
std::string function_name(Routine routine, Precision precision);
std::string function_name(VectorRoutine routine, Precision precision);
std::string function_name(LapackRoutine routine, Precision precision);

/// What a call of LAPACK needs beside its arguments.
struct LapackWork {
  void* memory = nullptr;
  std::int64_t elements = 0;
};
/// Elements with which calls are fast, and without which none is legal; 0: none.
std::int64_t good_work(const LapackProblem& p);
std::int64_t least_work(const LapackProblem& p);

class BlasFunctions {
 public:
  /// Finds those that the library behind this dlopen handle exports; the others stay unknown.
  void find_in(void* handle);

  bool has_gemm(Precision precision) const { return gemm_[precision_index(precision)] != nullptr; }
  template <typename AnyRoutine>
  bool has(AnyRoutine routine, Precision precision) const {
    return function(routine, precision) != nullptr;
  }

  /// One call. \pre it has the routine; not empty, and no problem that only scales its result;
  /// sizes, leading dimensions and increments fit an int.
  void call(const GemmProblem& p) const;
  void call(const Level3Problem& p) const;
  void call(const GemvProblem& p) const;
  /// The same; returns LAPACK's info (laswp: 0). \pre `work` has least_work() elements; no argument
  /// is illegal.
  int call(const LapackProblem& p, const LapackWork& work) const;

 private:
  using OfTypes = std::array<void*, precision_count>;
  const OfTypes& of(Routine routine) const { return level3_[static_cast<std::size_t>(routine)]; }
  const OfTypes& of(VectorRoutine) const { return gemv_; }
  const OfTypes& of(LapackRoutine routine) const {
    return lapack_[static_cast<std::size_t>(routine)];
  }
  template <typename AnyRoutine>
  void* function(AnyRoutine routine, Precision precision) const {
    return of(routine)[precision_index(precision)];
  }

  OfTypes gemm_{}, gemv_{};
  std::array<OfTypes, routine_count> level3_{};
  std::array<OfTypes, lapack_routine_count> lapack_{};
};

}  // namespace duoblas
