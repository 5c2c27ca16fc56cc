// The kernels of gemv that tuning found.
#pragma once

#include <array>
#include <optional>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

struct TunedGemv {
  GemvKernel kernel;
  double rate = 0;  ///< bytes a second, with operands in the device's memory
  friend bool operator==(const TunedGemv&, const TunedGemv&) = default;
};

/// At precision_index(), and by form: for the row-major operand as it is, or transposed. Nothing:
/// not tuned.
using TunedGemvs = std::array<std::array<std::optional<TunedGemv>, 2>, precision_count>;

/// Nothing if it was not tuned.
inline std::optional<GemvKernel> kernel_in(const TunedGemvs& tuned, Precision precision,
                                           bool transposes) {
  const auto& found = tuned[precision_index(precision)][transposes ? 1 : 0];
  return found ? std::optional(found->kernel) : std::nullopt;
}

}  // namespace duoblas
