#include "engine/readiness.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "engine/engine_state.hpp"
#include "gpu/device/opened_device.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/program_cache.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// What is compiled or tried, and not only loaded: all, where no trials are kept.
bool is_new(const GpuSide& gpu, const DeviceBuild& piece) {
  const KernelVerifier* const verdicts = gpu.device()->kernels.verifier();
  return piece.needs_trial || verdicts == nullptr || !verdicts->keeps();
}

std::size_t count_new(const GpuSide& gpu, const std::vector<DeviceBuild>& pieces) {
  const auto counts = [&](const DeviceBuild& piece) { return is_new(gpu, piece); };
  return static_cast<std::size_t>(std::ranges::count_if(pieces, counts));
}

}  // namespace

bool Readiness::has(const Launches& launches) const {
  const GpuSide* const gpu = engine_.opened_gpu();
  return gpu == nullptr || launches.are_there(*gpu);
}

// If a device fails while kernels are tried, no call is there to report it; after a few vain
// attempts the call itself tries and reports.
bool Readiness::may_wait() const {
  constexpr int most_in_vain = 3;
  return engine_.plans.request().chooses_by_speed() && !engine_.settings.fixes_plans() &&
         vain_builds_.load(std::memory_order_relaxed) < most_in_vain;
}

int Readiness::cores() const {
  return static_cast<int>(engine_.machine.cpu().limits().cores.size());
}

// Who says when to start the device waits for its compilers as well.
OutlayPrice Readiness::price_of_build(const GpuSide& gpu, const Launches& launches) const {
  const MachineState* const found = engine_.machine.found();
  const bool is_cpu = found != nullptr && found->facts.device.is_cpu;
  const double each = engine_.outlays.build_seconds(is_cpu),
               all = static_cast<double>(count_new(gpu, launches.builds(gpu))) * each;
  return {all / std::max(1, cores()), engine_.outlays.is_told() ? 0 : all + builds_to_come_ * each};
}

std::optional<double> Readiness::pays(Outlay what, std::uint32_t of_class,
                                      std::optional<double> missed, const OutlayPrice& price) {
  CallLearner& learner = engine_.learning.learner();
  return engine_.outlays.pays(what, of_class, missed, price, learner.gains(),
                              [&learner] { return learner.gains_of_classes(); });
}

// Nothing is bought while a compiler is at work. Where nobody learns, nothing is known of what
// calls miss.
std::optional<Reason> Readiness::why_not(const Launches& launches, Patience patience,
                                         const std::function<Missed()>& missed) {
  GpuSide* const gpu = engine_.opened_gpu();
  const bool learns = engine_.adapts();
  if (gpu == nullptr) return {};
  if (patience == Patience::for_disk && (!learns || !may_wait())) return {};
  const auto pays_now = [&](Outlay what, const OutlayPrice& price) {
    const auto [seconds, of_class] = missed();
    return pays(what, of_class, seconds, price);
  };
  const bool lacks =
      patience == Patience::none ? !launches.are_there(*gpu) : launches.need_trials(*gpu);
  if (lacks && engine_.settings.fixes_plans()) {
    build_here(launches);
    return {};
  }
  if (lacks) {
    if (background_work_is_running()) {
      if (learns) {
        const auto [seconds, of_class] = missed();
        engine_.outlays.miss(seconds, of_class);
      }
      return Reason::kernels_building;
    }
    const OutlayPrice price = price_of_build(*gpu, launches);
    const auto paid = learns ? pays_now(Outlay::builds, price) : std::optional(0.0);
    if (!paid) return Reason::kernels_not_missed;
    build(*gpu, launches, *paid);
    return Reason::kernels_building;
  }
  if (!learns) return {};
  const double keeping = launches.seconds_of_first_check(engine_.checks);
  if (keeping > 0 && !pays_now(Outlay::checks, {engine_.outlays.check_factor() * keeping}))
    return Reason::check_too_long;
  return {};
}

void Readiness::expect(const Launches& launches, std::uint32_t of_class) {
  GpuSide* const gpu = engine_.opened_gpu();
  if (gpu == nullptr || launches.are_there(*gpu)) return;
  const OutlayPrice price = price_of_build(*gpu, launches);
  if (price.seconds == 0) return build_here(launches);
  // Compilers register destructors, before which exit() must wait for a build.
  if (!main_exit_waits()) return;
  if (engine_.outlays.is_told() || !engine_.adapts()) return build(*gpu, launches, 0);
  if (const auto paid = pays(Outlay::builds, of_class, {}, price)) build(*gpu, launches, *paid);
}

bool Readiness::waits(GpuSide& gpu, const Launches& launches) noexcept {
  if (!may_wait()) return false;
  try {
    const bool waits = launches.need_trials(gpu);
    if (waits || launches.lack_spares(gpu)) build(gpu, launches, 0);
    return waits;
  } catch (const std::bad_alloc&) {
    return true;  // the CPU needs no memory for it
  }
}

void Readiness::build_piece(GpuSide& gpu, const DeviceBuild& piece, bool is_new,
                            double paid) noexcept {
  const std::size_t before = builds_of(gpu);
  const Stopwatch watch;
  const bool worked = piece.work(gpu);
  const bool did = builds_of(gpu) != before;  // else it waited, without a core, for who did
  engine_.outlays.note_build(did ? watch.seconds() : 0, cores(), paid, is_new && did);
  engine_.health.say_wrong_kernels(gpu);
  note_build(worked);
}

// What is only loaded was not paid for.
void Readiness::build(GpuSide& gpu, const Launches& launches, double paid) {
  std::vector<DeviceBuild> pieces = launches.builds(gpu);
  const auto all = static_cast<double>(std::max<std::size_t>(1, count_new(gpu, pieces)));
  for (DeviceBuild& piece : pieces) {
    const bool is_new = duoblas::is_new(gpu, piece);
    const double each = is_new ? paid / all : 0;
    engine_.outlays.order(each);
    builds_to_come_ += is_new;
    const bool given = engine_.give(
        [this, side = &gpu, piece = std::move(piece), is_new, each] {
          const ForkGuard no_fork;  // compilers of drivers do not survive one
          if (EngineState::in_child()) return;
          const cl::ScopedCompileApart apart(cl::quirks_of(side->info()).compiler_holds_context);
          if (engine_.health.is_unavailable())
            engine_.outlays.note_build(0, 1, each, false);
          else
            build_piece(*side, piece, is_new, each);
          builds_to_come_ -= is_new;
        },
        priority_of_building());
    if (given) continue;
    builds_to_come_ -= is_new;
    engine_.outlays.note_build(0, 1, each, false);
  }
}

void Readiness::build_here(const Launches& launches) noexcept try {
  const ForkGuard no_fork;  // compilers of drivers do not survive one
  GpuSide* const gpu = engine_.opened_gpu();
  if (gpu == nullptr || engine_.health.is_unavailable()) return;
  for (const DeviceBuild& piece : launches.builds(*gpu))
    build_piece(*gpu, piece, is_new(*gpu, piece), 0);
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
