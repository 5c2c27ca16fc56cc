#include "check/row_sums.hpp"

#include "check/row_sums_loops.hpp"

namespace duoblas {

template <typename R>
std::vector<const RowSums<R>*> row_sums_that_run() {
  std::vector<const RowSums<R>*> versions;
#if defined(DUOBLAS_WIDER_VECTORS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    versions.push_back(&row_sums_for_avx512<R>());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    versions.push_back(&row_sums_for_avx2<R>());
#endif
  versions.push_back(&all_sums<R>);
  return versions;
}

template <typename R>
const RowSums<R>& row_sums() {
  static const RowSums<R>& chosen = *row_sums_that_run<R>().front();
  return chosen;
}

template std::vector<const RowSums<float>*> row_sums_that_run<float>();
template std::vector<const RowSums<double>*> row_sums_that_run<double>();
template const RowSums<float>& row_sums<float>();
template const RowSums<double>& row_sums<double>();

}  // namespace duoblas
