#include "gpu/gemv_choice.hpp"

namespace duoblas {

void GemvChoice::prefer(Precision precision, bool transposes,
                        const std::optional<GemvKernel>& kernel) {
  const std::lock_guard guard(mutex_);
  preferred_[precision_index(precision)][transposes ? 1 : 0] = kernel;
}

GemvKernel GemvChoice::kernel(const DeviceLimits& device, Precision precision,
                              bool transposes) const {
  std::optional<GemvKernel> wanted;
  {
    const std::lock_guard guard(mutex_);
    wanted = preferred_[precision_index(precision)][transposes ? 1 : 0];
  }
  if (wanted && is_legal(*wanted, device, precision, transposes)) return *wanted;
  return default_gemv_kernel(device, precision, transposes);
}

}  // namespace duoblas
