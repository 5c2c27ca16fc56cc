// The kernels of gemv that tuning found.
#pragma once

#include <array>
#include <optional>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

struct TunedGemv {
  GemvKernel kernel;
  double rate = 0;  ///< bytes a second, with A in the device's memory
  friend bool operator==(const TunedGemv&, const TunedGemv&) = default;
};

/// At precision_index(), and by whether the row-major op(A) transposes; nothing: not tuned.
using TunedGemvs = std::array<std::array<std::optional<TunedGemv>, 2>, precision_count>;

}  // namespace duoblas
