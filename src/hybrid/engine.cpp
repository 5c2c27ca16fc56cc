#include "hybrid/engine.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "cpu/fork_state.hpp"
#include "cpu/topology.hpp"
#include "hybrid/gpu_gate.hpp"
#include "hybrid/gpu_opening.hpp"
#include "hybrid/narrator.hpp"
#include "plan/profile.hpp"

namespace duoblas {
namespace {

// Without forcing, nothing smaller opens the device: on the emulated APU (PoCL on one core of an
// AMD EPYC, OpenBLAS on the other) the hybrid wins from n = 128 (dgemm) or 192 (sgemm) on.
constexpr double smallest_gpu_flops = 2.0 * 128 * 128 * 128;

// What a call is to do about strategy and split, in one word so that it can be read without a lock.
using PackedSplit = std::uint64_t;
constexpr PackedSplit no_split = 0;

PackedSplit pack(Share share) {
  return (static_cast<PackedSplit>(share.parts) << 32) | static_cast<unsigned>(share.gpu_parts);
}
Share unpack(PackedSplit packed) {
  return {static_cast<int>(packed & 0xffffffffu), static_cast<int>(packed >> 32)};
}

bool device_is_lost(const HybridOutcome& outcome) {
  constexpr int mem_object_allocation_failure = -4;
  constexpr int out_of_host_memory = -6;
  constexpr int build_program_failure = -11;
  constexpr int invalid_buffer_size = -61;
  if (outcome.failed_after_submit) return true;
  switch (outcome.gpu_error_code) {
    case 0:
    case mem_object_allocation_failure:
    case out_of_host_memory:
    case build_program_failure:
    case invalid_buffer_size: return false;
    default: return true;
  }
}

}  // namespace

struct Engine::State {
  explicit State(Settings given)
      : settings(std::move(given)),
        limits(cpu_limits(settings.cpu_cores, settings.cpu_threads)),
        cpu(limits, settings.cpu_blas),
        narrator(settings.verbose) {
    machine.cpu_all = cpu.all_cores("");
    machine.cpu = machine.cpu_all;
    if (settings.standin) {
      halves = standin_halves(limits);
      machine.cpu.cores = halves.cpu;
      machine.cpu.threads = static_cast<int>(halves.cpu.size());
    }
    in_child = machine.cpu_all;
    watch_forks();
    born_in = fork_generation();
  }

  PlanRequest request() const {
    PlanRequest wanted{settings.strategy, settings.split};
    if (const PackedSplit packed = split.load(std::memory_order_relaxed); packed != no_split) {
      wanted = {Strategy::hybrid, unpack(packed)};
    }
    return wanted;
  }

  // A CPU device is only good for showing that both sides work, so it must be asked for.
  bool cpu_device_allowed(const PlanRequest& wanted) const {
    return settings.standin || wanted.strategy == Strategy::gpu ||
           wanted.strategy == Strategy::hybrid;
  }

  void open(const PlanRequest& wanted);
  void use_profile(const Profile& profile);
  ProfileKey key() const;

  const Settings settings;
  const CpuLimits limits;
  StandinHalves halves;
  CpuSide cpu;
  Narrator narrator;
  GpuGate gate;
  unsigned born_in = 0;
  CpuConfig in_child;  // never changes: a child must not read what another thread was writing
  std::atomic<PackedSplit> split{no_split};

  std::mutex opening;
  std::atomic<bool> opened{false};
  std::atomic<bool> opened_with_cpu_devices{false};
  std::unique_ptr<GpuSide> gpu;
  std::string gpu_problem;
  std::string profile_problem;
  std::atomic<bool> gpu_lost{false};
  PlanMachine machine;
};

// Opens once; again only where a CPU device has become acceptable since and there is no GPU.
void Engine::State::open(const PlanRequest& wanted) {
  const bool cpu_devices = cpu_device_allowed(wanted);
  const auto done = [&] {
    return opened.load(std::memory_order_acquire) &&
           (!cpu_devices || opened_with_cpu_devices.load(std::memory_order_acquire) || gpu);
  };
  if (done()) return;
  const std::lock_guard guard(opening);
  if (done()) return;

  auto found = settings.standin ? open_standin(settings, halves) : open_gpu(settings, cpu_devices);
  gpu = std::move(found.side);
  gpu_problem = std::move(found.problem);
  machine.has_gpu = gpu != nullptr;
  if (gpu) {
    machine.device = gpu->limits();
    machine.sharing = gpu->best_sharing();
    const auto stored = load_profile(settings.profile_dir, key(), &profile_problem);
    if (stored) use_profile(*stored);
    if (!profile_problem.empty()) narrator.once(profile_problem);
    if (!stored && profile_problem.empty()) {
      narrator.once(
          "no profile for this machine: run 'duoblas tune' to find its best kernel and split");
    }
  } else {
    narrator.once("CPU only: " + gpu_problem);
  }
  opened_with_cpu_devices.store(cpu_devices, std::memory_order_release);
  opened.store(true, std::memory_order_release);
}

// The profile's core type and thread count, within what this process may use now.
void Engine::State::use_profile(const Profile& profile) {
  const auto adapt = [](CpuConfig& mine, const CpuConfig& tuned) {
    mine.core_type = tuned.core_type;
    if (tuned.threads > 0 && tuned.threads < mine.threads) mine.threads = tuned.threads;
  };
  adapt(machine.cpu, profile.cpu);
  adapt(machine.cpu_all, profile.cpu_all);
  machine.profile = profile;
}

ProfileKey Engine::State::key() const {
  ProfileKey key;
  if (gpu) {
    key.device = gpu->info().name;
    key.driver = gpu->info().platform + " " + gpu->info().driver_version;
  }
  key.cpu = topology().cpu_model + " x" + std::to_string(limits.threads);
  key.standin = settings.standin;
  return key;
}

Engine::Engine(Settings settings) : state_(std::make_unique<State>(std::move(settings))) {}

// What OpenCL holds must not be released in a forked child: its driver's threads are not there.
Engine::~Engine() {
  if (fork_generation() != state_->born_in) state_.release();
}

void Engine::set_split(std::optional<Share> split) {
  state_->split.store(split ? pack(*split) : no_split, std::memory_order_relaxed);
}

const Settings& Engine::settings() const {
  return state_->settings;
}

CpuSide& Engine::cpu() {
  return state_->cpu;
}

GpuSide* Engine::gpu() {
  if (fork_generation() != state_->born_in) return nullptr;
  state_->open(state_->request());
  return state_->gpu.get();
}

std::string Engine::gpu_problem() {
  if (fork_generation() != state_->born_in) return "a forked child computes on the CPU";
  state_->open(state_->request());
  return state_->gpu_problem;
}

const PlanMachine& Engine::machine() {
  if (fork_generation() == state_->born_in) state_->open(state_->request());
  return state_->machine;
}

ProfileKey Engine::profile_key() {
  machine();
  return state_->key();
}

void Engine::adopt(const Profile& profile) {
  machine();
  state_->use_profile(profile);
}

std::string Engine::profile_problem() {
  machine();
  return state_->profile_problem;
}

Plan Engine::plan(const GemmProblem& problem) {
  if (fork_generation() != state_->born_in) {
    return cpu_plan(state_->in_child, "forked child: CPU only");
  }
  const PlanRequest wanted = state_->request();
  if (wanted.strategy == Strategy::cpu) return cpu_plan(state_->machine.cpu_all, "as asked for");
  if (wanted.strategy == Strategy::automatic && flops(problem) < smallest_gpu_flops) {
    return cpu_plan(state_->machine.cpu_all, "too small for the GPU");
  }
  state_->open(wanted);
  if (state_->gpu_lost.load(std::memory_order_relaxed)) {
    return cpu_plan(state_->machine.cpu_all, "the GPU failed before");
  }
  return make_plan(problem, state_->machine, wanted);
}

CallReport Engine::run(const GemmProblem& problem) {
  return run(problem, plan(problem));
}

CallReport Engine::run(const GemmProblem& problem, const Plan& plan) {
  CallReport report{plan, {}, false};
  if (problem.empty()) return report;
  if (fork_generation() != state_->born_in) {
    report.plan = cpu_plan(state_->in_child, "forked child: CPU only");
    report.times = cpu_gemm(state_->cpu, problem, state_->in_child);
    return report;
  }
  const PlanRequest wanted = state_->request();
  const bool on_gpu = plan.strategy != Strategy::cpu && plan.gpu_extent > 0 && gpu() != nullptr &&
                      !state_->gpu_lost.load(std::memory_order_relaxed);
  std::optional<GpuGate::Pass> pass;
  if (on_gpu) {
    pass = state_->gate.enter(plan, wanted.strategy != Strategy::automatic);
    if (!pass) report.plan = cpu_plan(state_->machine.cpu_all, "the GPU was busy for longer");
  } else if (plan.strategy != Strategy::cpu) {
    report.plan = cpu_plan(state_->machine.cpu_all, "no GPU");
  }

  HybridOutcome outcome;
  if (pass) {
    outcome = hybrid_gemm(*state_->gpu, state_->cpu, problem, report.plan);
  } else {
    outcome.times = cpu_gemm(state_->cpu, problem, report.plan.cpu);
  }
  report.times = outcome.times;
  report.recovered = !outcome.gpu_failure.empty();
  if (report.recovered) {
    if (device_is_lost(outcome)) state_->gpu_lost.store(true, std::memory_order_relaxed);
    state_->narrator.once("the CPU did the GPU's part: " + outcome.gpu_failure);
  }
  state_->narrator.call(problem, report.plan, report.times);
  return report;
}

}  // namespace duoblas
