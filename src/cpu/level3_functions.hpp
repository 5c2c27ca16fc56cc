// The level-3 routines of a CPU BLAS beside gemm, found by their CBLAS names.
#pragma once

#include <array>
#include <string>

#include "problem/level3_problem.hpp"

namespace duoblas {

class Level3Functions {
 public:
  /// Finds those that the library behind this dlopen handle exports; the others stay unknown.
  void find_in(void* handle);

  bool has(Routine routine, Precision precision) const {
    return function(routine, precision) != nullptr;
  }

  /// One call. \pre has(routine, precision); not empty; every size and leading dimension fits an
  /// int.
  void call(const Level3Problem& p) const;

  /// "cblas_dsyrk"
  static std::string name_of(Routine routine, Precision precision);

 private:
  void* function(Routine routine, Precision precision) const {
    return functions_[static_cast<std::size_t>(routine)][precision_index(precision)];
  }

  std::array<std::array<void*, precision_count>, routine_count> functions_{};
};

}  // namespace duoblas
