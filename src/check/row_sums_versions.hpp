// The loops of row_sums.hpp for processors of x86 that have more than all of them do
// (DUOBLAS_ROW_SUMS_VERSIONS: they are compiled).
#pragma once

#include "check/row_sums.hpp"

namespace duoblas {

template <typename R>
const RowSums<R>& row_sums_for_avx2();
template <typename R>
const RowSums<R>& row_sums_for_avx512();

}  // namespace duoblas
