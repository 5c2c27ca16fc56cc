// Which part of a level-3 call the CPU has beside the device's one job, and what it does if the
// device left something undone. Pure arithmetic on problems: reads and writes no matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/halving.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// The device's part of a call, and what is left, in an order in which it can be done.
struct DeviceParts {
  Level3Problem gpu;
  std::vector<Step> cpu;
  HostRect c_of_cpu;  ///< where these steps write; of a triangle whole lines
};

/// The device gets the first `extent` of divided_extent(), of an upper triangle the last. So the
/// CPU's lines are not between the device's rows. \pre 0 < extent <= that.
DeviceParts parts_for_device(const Level3Problem& problem, std::int64_t extent);

/// What is left to do of a call after `done`. Of trsm, `done` is solved already, in place.
std::vector<Step> rest_of(const Level3Problem& problem, const Level3Progress& done);

}  // namespace duoblas
