// How to use a device: directories, trials of kernels, limits on time.
#pragma once

#include <optional>
#include <string>

#include "timing/steady_seconds.hpp"

namespace duoblas {

/// Where compiled kernels and kernel sources live; empty: no cache, embedded sources.
struct GpuFolders {
  std::string cache_dir;
  std::string kernel_dir;
};

/// Whether kernels are tried before products use them (kernel_verifier.hpp).
struct Verification {
  bool wanted = false;
  std::string folder;  ///< where verdicts are stored; empty: nowhere
  /// The environment variables of the driver's compiler, which may change its output.
  std::string compiler_environment;
};

struct GpuBounds {
  std::optional<double> launch_seconds;  ///< of one launch; 0: any; nothing: as suits the device
  /// A device that does not end its work within this time plus 20 times the work's estimate counts
  /// as hanging; 0: no deadline; nothing: as suits the device.
  std::optional<double> deadline_seconds;
  /// By which programs that were not built are built again (kernel_refusals.hpp).
  SteadySeconds clock = steady_seconds;
};

}  // namespace duoblas
