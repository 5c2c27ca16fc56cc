// How a device is to be used: folders, what its kernels are tried for, how long things may take.
#pragma once

#include <optional>
#include <string>

namespace duoblas {

/// Where compiled kernels and kernel sources live; empty: no cache, embedded sources.
struct GpuFolders {
  std::string cache_dir;
  std::string kernel_dir;
};

/// Whether kernels are tried before products use them (kernel_verifier.hpp).
struct Verification {
  bool wanted = false;
  std::string folder;  ///< where verdicts are kept; empty: nowhere
  /// What the driver's compiler reads in the environment: it may decide what it makes of a kernel.
  std::string compiler_environment;
};

struct GpuBounds {
  std::optional<double> launch_seconds;  ///< of one launch; 0: any; nothing: as suits the device
  /// After which a device that does not end its work is taken to hang, beside 20 times the work's
  /// estimate; 0: it is waited for; nothing: as suits the device.
  std::optional<double> deadline_seconds;
};

}  // namespace duoblas
