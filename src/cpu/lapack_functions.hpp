// The LAPACK of a CPU BLAS, found by its Fortran names.
#pragma once

#include <array>
#include <string>

#include "problem/lapack_problem.hpp"

namespace duoblas {

class LapackFunctions {
 public:
  /// Finds those that the library behind this dlopen handle exports; the others stay unknown.
  void find_in(void* handle);

  bool has(LapackRoutine routine, Precision precision) const {
    return function(routine, precision) != nullptr;
  }

  /// One call; returns LAPACK's info (laswp: 0). `work`: work_bytes() bytes. \pre has(routine,
  /// precision); not empty; every size and leading dimension fits an int; no argument is illegal.
  int call(const LapackProblem& p, void* work) const;
  /// Memory that a call needs beside its arguments; 0: none.
  static std::size_t work_bytes(const LapackProblem& p);

  /// "dgetrf_"
  static std::string name_of(LapackRoutine routine, Precision precision);

 private:
  void* function(LapackRoutine routine, Precision precision) const {
    return functions_[static_cast<std::size_t>(routine)][precision_index(precision)];
  }

  std::array<std::array<void*, precision_count>, lapack_routine_count> functions_{};
};

}  // namespace duoblas
