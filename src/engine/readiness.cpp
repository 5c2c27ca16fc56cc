#include "engine/readiness.hpp"

#include <new>
#include <utility>

#include "engine/engine_state.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/program_cache.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"

namespace duoblas {

bool Readiness::has(const Launches& launches) const {
  const GpuSide* const gpu = engine_.opened_gpu();
  return gpu == nullptr || launches.are_there(*gpu);
}

// If a device fails while kernels are tried, no call is there to report it; after a few vain
// attempts the call itself tries and reports.
bool Readiness::may_wait() const {
  constexpr int most_in_vain = 3;
  return engine_.plans.request().chooses_by_speed() &&
         vain_builds_.load(std::memory_order_relaxed) < most_in_vain;
}

// Nothing is staked while a compiler is at work. Where nobody learns, nothing is known of what
// calls miss.
std::optional<Reason> Readiness::why_not(const Launches& launches, Patience patience,
                                         const std::function<double()>& missed) {
  GpuSide* const gpu = engine_.opened_gpu();
  const bool learns = engine_.adapts();
  if (gpu == nullptr) return {};
  if (patience == Patience::for_disk && (!learns || !may_wait())) return {};
  const bool lacks =
      patience == Patience::none ? !launches.are_there(*gpu) : launches.need_trials(*gpu);
  if (lacks) {
    if (background_work_is_running()) return Reason::kernels_building;
    const double cost = build_cost(engine_.open().facts.device.is_cpu,
                                   static_cast<int>(engine_.machine.cpu().limits().cores.size()));
    if (learns && !builds_.pays(missed(), cost)) return Reason::kernels_not_missed;
    build(*gpu, launches);
    return Reason::kernels_building;
  }
  const double cost = learns ? launches.seconds_of_first_check(engine_.checks) : 0;
  if (cost > 0 && !first_checks_.pays(missed(), cost)) return Reason::check_too_long;
  return {};
}

bool Readiness::waits(GpuSide& gpu, const Launches& launches) noexcept {
  if (!may_wait()) return false;
  try {
    const bool waits = launches.need_trials(gpu);
    if (waits || launches.lack_spares(gpu)) build(gpu, launches);
    return waits;
  } catch (const std::bad_alloc&) {
    return true;  // the CPU needs no memory for it
  }
}

void Readiness::build(GpuSide& gpu, const Launches& launches) {
  for (DeviceBuild& piece : launches.builds(gpu))
    engine_.give(
        [this, side = &gpu, piece = std::move(piece)] {
          const ForkGuard no_fork;  // compilers of drivers do not survive one
          if (EngineState::in_child() || engine_.health.is_unavailable()) return;
          const cl::ScopedCompileApart apart(cl::quirks_of(side->info()).compiler_holds_context);
          const bool worked = piece(*side);
          engine_.health.say_wrong_kernels(*side);
          note_build(worked);
        },
        priority_of_building());
}

void Readiness::build_here(const Launches& launches) noexcept try {
  const ForkGuard no_fork;  // compilers of drivers do not survive one
  GpuSide* const gpu = engine_.opened_gpu();
  if (gpu == nullptr || engine_.health.is_unavailable()) return;
  for (const DeviceBuild& piece : launches.builds(*gpu)) {
    const bool worked = piece(*gpu);
    engine_.health.say_wrong_kernels(*gpu);
    note_build(worked);
  }
} catch (const std::bad_alloc&) {
  // A later call will find or build them.
}

void Readiness::build_apart(const Launches& launches) noexcept try {
  const GpuSide* const gpu = engine_.opened_gpu();
  if (gpu == nullptr) return;
  const ForkGuard no_fork;  // until the compiler's context is gone
  const cl::ScopedCompileApart apart(cl::quirks_of(gpu->info()).compiler_holds_context);
  build_here(launches);
} catch (const std::bad_alloc&) {
  // A later call will find or build them.
}

WorkPriority Readiness::priority_of_building() const {
  const MachineState* const found = engine_.machine.found();
  return building_priority(found == nullptr || found->facts.device.is_cpu);
}

void Readiness::build_transfers(Precision precision) noexcept {
  const ForkGuard no_fork;  // it starts threads, and drivers' page locks are the parent's
  const MachineState* found = EngineState::in_child() ? nullptr : engine_.machine.found();
  if (found == nullptr || found->gpu == nullptr || engine_.health.is_unavailable()) return;
  if (may_copy(found->facts, precision)) found->gpu->build_pipeline();
}

void Readiness::note_build(bool worked) noexcept {
  if (worked)
    vain_builds_.store(0, std::memory_order_relaxed);
  else
    vain_builds_.fetch_add(1, std::memory_order_relaxed);
  if (cl::driver_hangs())
    engine_.logger.always(
        "the device did not end a kernel's trial (DUOBLAS_GPU_DEADLINE): it or its driver hangs; "
        "this process computes on the CPU from now on");
}

}  // namespace duoblas
