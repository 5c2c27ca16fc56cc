#include "planner/kernel_of_updates.hpp"

#include <cstdint>

#include "kernel_space/kernel_defaults.hpp"
#include "problem/precision.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

// A profile's kernels were chosen by whole calls, whose copies hide what kernels differ by, and
// which are deeper than a panel is wide. So for doubles kernels of vectors give way to the built-in
// ones with matrix instructions, also on the machine that the profile is of. In LU of 4096 updates
// of 128 columns had 5 TFLOPS with the one of the shipped profile
// (docs/experiments/factorisations.md). Complex doubles were not measured.
KernelParams kernel_of_updates(const KernelParams& planned, const GemmProblem& problem,
                               const PlanMachine& machine) {
  if (planned.matrix != MatrixUnit::none || problem.precision != Precision::d) return planned;
  const KernelParams built_in =
      default_kernel_of_panels(problem.precision, machine.device, problem.m, problem.n);
  return built_in.matrix != MatrixUnit::none ? built_in : planned;
}

// Tiles of 64 x 64 instead of 64 x 128 took 0.9 to 0.95 of dgeqrf's time at 2048 and 4096 (the same
// page).
KernelParams kernel_of_narrow_updates(const KernelParams& planned, const GemmProblem& update,
                                      const PlanMachine& machine) {
  if (planned.matrix == MatrixUnit::none || update.precision != Precision::d) return planned;
  const std::int64_t tiles =
      parts(update.m, row_tile(planned)) * parts(update.n, col_tile(planned));
  if (tiles >= machine.device.compute_units) return planned;
  const KernelParams built_in =
      default_kernel_of_panels(update.precision, machine.device, update.m, update.n);
  const auto tile = [](const KernelParams& kernel) { return row_tile(kernel) * col_tile(kernel); };
  return built_in.matrix != MatrixUnit::none && tile(built_in) < tile(planned) ? built_in : planned;
}

}  // namespace duoblas
