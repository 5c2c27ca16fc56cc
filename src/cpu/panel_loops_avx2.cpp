#include "cpu/panel_loops_compiled.hpp"

namespace duoblas {

template <>
const PanelLoops<float>& panel_loops_for_avx2<float>() {
  return all_loops<float>;
}
template <>
const PanelLoops<double>& panel_loops_for_avx2<double>() {
  return all_loops<double>;
}

}  // namespace duoblas
