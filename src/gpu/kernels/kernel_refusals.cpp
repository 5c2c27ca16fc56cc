#include "gpu/kernels/kernel_refusals.hpp"

#include "kernel_space/canonical_kernel.hpp"

namespace duoblas {
namespace {

// The kernel as products ask for it, without compiled-in sizes.
KernelParams without_sizes(KernelParams kernel) {
  kernel.inline_sizes = false;
  return canonical(kernel);
}

}  // namespace

void KernelRefusals::note(const KernelParams& kernel, Precision precision, const std::string& why,
                          double until) {
  const std::lock_guard lock(mutex_);
  refusals_.push_back({without_sizes(kernel), precision, why, until});
}

bool KernelRefusals::refuse(const KernelParams& kernel, Precision precision,
                            const std::string& why) {
  const std::lock_guard lock(mutex_);
  const Refusal* const known = find(kernel, precision);
  if (known != nullptr && known->until == for_ever) return false;
  refusals_.push_back({without_sizes(kernel), precision, why});
  return true;
}

std::string KernelRefusals::why(const KernelParams& kernel, Precision precision) const {
  const std::lock_guard lock(mutex_);
  const Refusal* known = find(kernel, precision);
  return known == nullptr ? std::string() : known->why;
}

// The one that lasts longest.
const KernelRefusals::Refusal* KernelRefusals::find(const KernelParams& kernel,
                                                    Precision precision) const {
  const KernelParams wanted = without_sizes(kernel);
  const Refusal* longest = nullptr;
  for (const Refusal& known : refusals_)
    if (known.kernel == wanted && known.precision == precision &&
        (longest == nullptr || known.until > longest->until))
      longest = &known;
  const bool is_over =
      longest != nullptr && longest->until < for_ever && clock_() >= longest->until;
  return is_over ? nullptr : longest;
}

}  // namespace duoblas
