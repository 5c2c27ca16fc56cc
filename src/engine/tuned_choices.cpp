#include "engine/tuned_choices.hpp"

namespace duoblas {
namespace {

template <typename Kernels>
void prefer(KernelChoice<Kernels>& choice, const TunedKernelsOf<typename Kernels::Kernel>& tuned) {
  for (const Precision precision : all_precisions) {
    choice.prefer(precision, false, kernel_in(tuned, precision, false));
    if (Kernels::has_forms) choice.prefer(precision, true, kernel_in(tuned, precision, true));
  }
}

}  // namespace

void prefer_tuned(StreamChoices& choices, const TunedStreams& tuned) {
  prefer(choices.gemv, tuned.gemv);
  prefer(choices.ger, tuned.ger);
  prefer(choices.axpy, tuned.axpy);
  prefer(choices.omatcopy, tuned.omatcopy);
}

}  // namespace duoblas
