#include "cpu/panel_loops.hpp"

#include "cpu/panel_loops_compiled.hpp"

namespace duoblas {
namespace {

template <typename T>
const PanelLoops<T>& best() {
#if defined(DUOBLAS_WIDER_VECTORS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return panel_loops_for_avx512<T>();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return panel_loops_for_avx2<T>();
#endif
  return all_loops<T>;
}

}  // namespace

template <typename T>
const PanelLoops<T>& panel_loops() {
  static const PanelLoops<T>& chosen = best<T>();
  return chosen;
}

template const PanelLoops<float>& panel_loops<float>();
template const PanelLoops<double>& panel_loops<double>();

}  // namespace duoblas
