// The loops of row_sums.hpp for x86 processors with more instructions than all of them have.
// Compiled if DUOBLAS_ROW_SUMS_VERSIONS is defined.
#pragma once

#include "check/row_sums.hpp"

namespace duoblas {

template <typename R>
const RowSums<R>& row_sums_for_avx2();
template <typename R>
const RowSums<R>& row_sums_for_avx512();

}  // namespace duoblas
