// Compiled for processors with these instructions; called on such only.
#include "tuner/cpu_peak_loops.hpp"

namespace duoblas {

template <typename R>
const MultiplyAdds<R>& multiply_adds_for_avx2() {
  return multiply_adds<R>;
}

template const MultiplyAdds<float>& multiply_adds_for_avx2<float>();
template const MultiplyAdds<double>& multiply_adds_for_avx2<double>();

}  // namespace duoblas
