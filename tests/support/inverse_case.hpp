// Inverses, and their errors by the measure of LAPACK's own tests (LAPACK Working Note 41).
#pragma once

#include "support/lapack_case.hpp"

namespace duoblas::test {

/// ||1 - X A|| / (n ||A|| ||X|| eps)
template <typename T>
double inverse_error(const Columns<T>& x, const Columns<T>& a) {
  const std::int64_t n = a.lines();
  Columns<T> identity(n, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) identity.at(j, i) = T(i == j ? Real<T>(1) : Real<T>(0));
  return residual(x, a, identity);
}

}  // namespace duoblas::test
