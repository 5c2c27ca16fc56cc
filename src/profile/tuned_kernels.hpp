// The kernels that tuning found for memory-bound routines.
#pragma once

#include <array>
#include <optional>

#include "kernel_space/stream_kernels.hpp"

namespace duoblas {

template <typename Kernel>
struct TunedKernel {
  Kernel kernel;
  double rate = 0;  ///< bytes a second, with operands in the device's memory
  friend bool operator==(const TunedKernel&, const TunedKernel&) = default;
};

/// At precision_index(), and by form: for the row-major operand as it is, or transposed if the
/// routine has two forms. Nothing: not tuned.
template <typename Kernel>
using TunedKernelsOf =
    std::array<std::array<std::optional<TunedKernel<Kernel>>, 2>, precision_count>;

struct TunedStreams {
  TunedKernelsOf<GemvKernel> gemv;
  TunedKernelsOf<UpdateKernel> ger, axpy;
  TunedKernelsOf<CopyKernel> omatcopy;

  /// For each routine: `use(GemvKernels{}, &TunedStreams::gemv)`.
  template <typename Use>
  static void for_each(Use&& use) {
    use(GemvKernels{}, &TunedStreams::gemv);
    use(GerKernels{}, &TunedStreams::ger);
    use(AxpyKernels{}, &TunedStreams::axpy);
    use(CopyKernels{}, &TunedStreams::omatcopy);
  }
};

/// Nothing if it was not tuned.
template <typename Kernel>
std::optional<Kernel> kernel_in(const TunedKernelsOf<Kernel>& tuned, Precision precision,
                                bool transposes) {
  const auto& found = tuned[precision_index(precision)][transposes ? 1 : 0];
  return found ? std::optional(found->kernel) : std::nullopt;
}

}  // namespace duoblas
