// Which kernel the arguments of `duoblas kernel` mean.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "gpu/kernels/kernel_source.hpp"

namespace duoblas::cli {

struct KernelRequest {
  std::string precision = "s";
  std::string ops = "nn";
  std::string family;                    ///< "panel", "tiled"; empty: this machine's
  std::vector<std::string> assignments;  ///< "tile_rows=8"
  std::string size;                      ///< "MxNxK" or "N"; empty: 2048
  bool unaligned = false;
  bool to_build = false;  ///< it is to be compiled here, not only shown
};

struct ChosenKernel {
  KernelVariant variant;  ///< normalised
  std::string origin;     ///< in words
};

/// The tuned kernel if this machine has a profile, else the built-in one, with the requested
/// changes. Opens the device. \throws UsageError that names the parameter, or the rule that the
/// kernel breaks: on this device if it is to be built, else on every device of its family.
ChosenKernel chosen_kernel(Engine& engine, const KernelRequest& request);

}  // namespace duoblas::cli
