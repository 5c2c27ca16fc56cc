#include "check/row_sums_loops.hpp"

namespace duoblas {

template <>
const RowSums<float>& row_sums_for_avx2<float>() {
  return all_sums<float>;
}
template <>
const RowSums<double>& row_sums_for_avx2<double>() {
  return all_sums<double>;
}

}  // namespace duoblas
