// The CPU BLAS's routines on vectors, and one matrix, that DuoBLAS uses: found by their CBLAS
// names.
#pragma once

#include <array>
#include <string>

#include "problem/axpy_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/ger_problem.hpp"

namespace duoblas {

/// ger: geru of complex types. gerc: of real types the same as ger.
enum class VectorRoutine { gemv, ger, gerc, axpy };
inline constexpr std::size_t vector_routine_count = 4;

constexpr VectorRoutine routine_of(const GemvProblem&) {
  return VectorRoutine::gemv;
}
constexpr VectorRoutine routine_of(const GerProblem& p) {
  return p.conjugates_x || p.conjugates_y ? VectorRoutine::gerc : VectorRoutine::ger;
}
constexpr VectorRoutine routine_of(const AxpyProblem&) {
  return VectorRoutine::axpy;
}

class VectorFunctions {
 public:
  /// Finds those that the library behind this dlopen handle exports; the others stay unknown.
  void find_in(void* handle);

  bool has(VectorRoutine routine, Precision precision) const {
    return function(routine, precision) != nullptr;
  }

  /// One call. \pre has(), not empty, not only_scales_y; sizes, lda and increments fit an int.
  void call(const GemvProblem& p) const;
  /// The same. \pre likewise; not changes_nothing.
  void call(const GerProblem& p) const;
  void call(const AxpyProblem& p) const;

  /// "cblas_dgemv"
  static std::string name_of(VectorRoutine routine, Precision precision);

 private:
  void* function(VectorRoutine routine, Precision precision) const {
    return functions_[static_cast<std::size_t>(routine)][precision_index(precision)];
  }

  std::array<std::array<void*, precision_count>, vector_routine_count> functions_{};
};

}  // namespace duoblas
