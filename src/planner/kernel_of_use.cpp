// The kernel of products that are no whole calls.
#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_replacement.hpp"
#include "planner/planner.hpp"

namespace duoblas {

KernelParams kernel_of_use(KernelUse use, const KernelParams& planned, const GemmProblem& problem,
                           const PlanMachine& machine) {
  const ProfileInUse& known = machine.tuned(problem.precision);
  const TunedPoint* tuned = known.profile ? nearest_point(*known.profile, problem, use) : nullptr;
  if (tuned != nullptr) {
    TunedChoice choice = tuned->gpu;
    choice.kernel = tuned->uses.at(use).kernel;
    return adapted_choice(choice, *tuned, problem, machine).kernel;
  }
  const KernelParams built_in = built_in_kernel(use, problem, machine.device);
  const KernelReplacement replacement{use, planned, known.match == ProfileMatch::exact, built_in};
  return row_for(replacement, problem, machine.device) == nullptr ? planned : built_in;
}

}  // namespace duoblas
