// The curve of a kernel parameter: the rate over its values, with the other parameters as in the
// best kernel.
#pragma once

#include <string>
#include <vector>

#include "plot/chart.hpp"

namespace duoblas {

struct FieldRate {
  int value = 0;
  double rate = 0;     ///< of the GPU alone, by medians; 0: not measured
  std::string reason;  ///< why not
};

/// (J. Jiang and M. Snir plot their tuner's parameters in this form.)
struct FieldCurve {
  std::string field;
  int chosen = 0;                ///< the best kernel's value
  std::vector<FieldRate> rates;  ///< by value
};

/// One more line of a chart over the parameter's values; its axis has a tick at each of them.
void add_curve(Chart& chart, const FieldCurve& curve, const std::string& name);

}  // namespace duoblas
