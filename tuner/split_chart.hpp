// The time at each share of the GPU, as a chart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "tuner/split_sample.hpp"

namespace duoblas {

/// Milliseconds of the CPU's side, the GPU's side and the whole call over the GPU's share in
/// percent. Samples may have any order; those without a time are skipped. The chosen share, if any,
/// is marked and called `chosen_name`. The caller gives the title.
Chart split_chart(const std::vector<SplitSample>& samples, std::optional<double> chosen,
                  const std::string& chosen_name);

}  // namespace duoblas
