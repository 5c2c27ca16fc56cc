// The CPU BLAS's routines on vectors, and one matrix, that DuoBLAS uses: found by their CBLAS
// names.
#pragma once

#include <array>
#include <string>

#include "problem/gemv_problem.hpp"

namespace duoblas {

enum class VectorRoutine { gemv };
inline constexpr std::size_t vector_routine_count = 1;

class VectorFunctions {
 public:
  /// Those that the library behind this dlopen handle exports; the others stay unknown.
  void find_in(void* handle);

  bool has(VectorRoutine routine, Precision precision) const {
    return function(routine, precision) != nullptr;
  }

  /// One call. \pre has(), not empty, not only_scales_y; sizes, lda and increments fit an int.
  void gemv(const GemvProblem& p) const;

  /// "cblas_dgemv"
  static std::string name_of(VectorRoutine routine, Precision precision);

 private:
  void* function(VectorRoutine routine, Precision precision) const {
    return functions_[static_cast<std::size_t>(routine)][precision_index(precision)];
  }

  std::array<std::array<void*, precision_count>, vector_routine_count> functions_{};
};

}  // namespace duoblas
