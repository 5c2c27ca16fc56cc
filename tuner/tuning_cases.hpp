// The tuning cases, in their order, with the time for each.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel_pool.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

/// One shape with its element type and ops.
struct TuneCase {
  KernelCase kernel;
  Shape shape;
  /// The first of its element type: searched from nothing, CPU configurations too.
  bool anchor = false;
  double weight = 1;  ///< of the time, relative to the others
};

/// First the anchors, then the other shapes of the first op pair of every type, then the other op
/// pairs. Of all these the first eight shapes come before the rest. So a short budget covers the
/// most.
std::vector<TuneCase> tuning_cases_of(const TuneRequest& request);

/// "sgemm nn 1024 x 1024 x 1024".
std::string tuning_case_text(const TuneCase& tuning_case);

}  // namespace duoblas
