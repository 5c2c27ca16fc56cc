#include "cpu/qr_panel_loops.hpp"

namespace duoblas {

template <>
const QrLoops<float>& qr_loops_for_avx2<float>() {
  return all_qr_loops<float>;
}
template <>
const QrLoops<double>& qr_loops_for_avx2<double>() {
  return all_qr_loops<double>;
}

}  // namespace duoblas
