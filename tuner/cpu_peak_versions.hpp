// The chains of cpu_peak_loops.hpp, by the instructions they were compiled for.
#pragma once

#include <cstdint>

namespace duoblas {

/// Chains of multiply-adds; `flops` of each turn.
template <typename R>
struct MultiplyAdds {
  R (*run)(std::int64_t turns, R factor, R summand);
  double flops;
};

template <typename R>
const MultiplyAdds<R>& multiply_adds_for_avx2();
template <typename R>
const MultiplyAdds<R>& multiply_adds_for_avx512();

}  // namespace duoblas
