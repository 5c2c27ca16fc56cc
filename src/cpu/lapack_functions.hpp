// The LAPACK of a CPU BLAS, found by its Fortran names.
#pragma once

#include <array>
#include <cstdint>
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

  /// What a call needs beside its arguments.
  struct Work {
    void* memory = nullptr;
    std::int64_t elements = 0;
  };
  /// One call; returns LAPACK's info (laswp: 0). \pre `work` has least_work() elements; \pre
  /// has(routine, precision); not empty; every size and leading dimension fits an int; no argument
  /// is illegal.
  int call(const LapackProblem& p, const Work& work) const;
  /// Elements with which calls are fast, and without which none is legal; 0: none.
  static std::int64_t good_work(const LapackProblem& p);
  static std::int64_t least_work(const LapackProblem& p);

  /// "dgetrf_"
  static std::string name_of(LapackRoutine routine, Precision precision);

 private:
  void* function(LapackRoutine routine, Precision precision) const {
    return functions_[static_cast<std::size_t>(routine)][precision_index(precision)];
  }

  std::array<std::array<void*, precision_count>, lapack_routine_count> functions_{};
};

}  // namespace duoblas
