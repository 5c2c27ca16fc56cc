#include "cpu/qr_panel_versions.hpp"

#include "cpu/qr_panel_loops.hpp"

namespace duoblas {
namespace {

template <typename T>
const QrLoops<T>& best() {
#if defined(DUOBLAS_PANEL_VERSIONS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return qr_loops_for_avx512<T>();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return qr_loops_for_avx2<T>();
#endif
  return all_qr_loops<T>;
}

}  // namespace

template <typename T>
const QrLoops<T>& qr_loops() {
  static const QrLoops<T>& chosen = best<T>();
  return chosen;
}

template const QrLoops<float>& qr_loops<float>();
template const QrLoops<double>& qr_loops<double>();

}  // namespace duoblas
