// How long things on a GPU may take.
#pragma once

#include <optional>

namespace duoblas {

struct GpuBounds {
  std::optional<double> launch_seconds;  ///< of one launch; 0: any; nothing: as suits the device
  /// After which a device that does not end its work is taken to hang, beside 20 times the work's
  /// estimate; 0: it is waited for; nothing: as suits the device.
  std::optional<double> deadline_seconds;
};

}  // namespace duoblas
