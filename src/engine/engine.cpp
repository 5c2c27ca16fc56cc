#include "engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include <duoblas/error.hpp>

#include "cpu/fork_state.hpp"
#include "engine/gpu_gate.hpp"
#include "engine/machine.hpp"
#include "engine/narrator.hpp"
#include "engine/share_follower.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/registered_memory.hpp"

namespace duoblas {
namespace {

// A fork waits for the engine's work, which may look into the registry of host memory: the handlers
// of that, which keep it locked, must run after ours, so they must be registered before.
void watch_forks_after_memory() {
  static constinit std::atomic_flag registered;
  if (!registered.test_and_set()) {
    registered_block_of(nullptr, 0);
    watch_forks_before_others();
  }
  watch_forks();
}

// A split in one word, so that it can be read without a lock. parts is never 0.
using PackedSplit = std::uint64_t;
constexpr PackedSplit no_split = 0;

PackedSplit pack(Share share) {
  return (static_cast<PackedSplit>(share.parts) << 32) | static_cast<unsigned>(share.gpu_parts);
}
Share unpack(PackedSplit packed) {
  return {static_cast<int>(packed & 0xffffffffu), static_cast<int>(packed >> 32)};
}

constexpr double never = std::numeric_limits<double>::infinity();

bool any_registered(const GemmProblem& p) {
  const auto registered = [&](const void* data, std::int64_t rows, std::int64_t columns,
                              std::int64_t ld) {
    return is_registered(data, static_cast<std::size_t>(footprint(p.precision, rows, columns, ld)));
  };
  return registered(p.a, stored_rows_a(p), stored_cols_a(p), p.lda) ||
         registered(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb) ||
         registered(p.c, p.m, p.n, p.ldc);
}

// Whether there are plans in which the device works on copies of the operands.
bool may_copy(const PlanMachine& machine, Precision precision) {
  if (copies(machine.sharing)) return true;
  return machine.profile && std::ranges::any_of(machine.profile->points, [&](const auto& point) {
           return point.precision == precision &&
                  (copies(point.gpu.sharing) || copies(point.hybrid.sharing));
         });
}

// Short memory, a kernel that does not build and work that DuoBLAS declined (code 0) say nothing
// about the next call, also where they are found out beside the caller's thread. Anything else
// does.
bool device_is_lost(const HybridOutcome& outcome) {
  constexpr int mem_object_allocation_failure = -4;
  constexpr int out_of_host_memory = -6;
  constexpr int build_program_failure = -11;
  constexpr int invalid_buffer_size = -61;
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
      : settings(std::move(given)), narrator(settings.verbose), machine(settings, narrator) {
    math = settings.math;
    watch_forks_after_memory();
    born_in = fork_generation();
  }

  PlanRequest request() const {
    if (const PackedSplit packed = split.load(std::memory_order_relaxed); packed != no_split) {
      return {Strategy::hybrid, unpack(packed), math.load(std::memory_order_relaxed)};
    }
    return {settings.strategy, settings.split, math.load(std::memory_order_relaxed)};
  }

  // A CPU device is only good for showing that both sides work, so it must be asked for.
  const Findings& open() {
    const Strategy wanted = request().strategy;
    return machine.open(settings.standin || wanted == Strategy::gpu || wanted == Strategy::hybrid);
  }

  // Whether this engine was made before or after the fork: what OpenCL had in the parent, made by
  // whomever, is dead in the child.
  static bool in_child() { return fork_generation() != 0; }

  // What was opened is the parent's, and may be half done; the CPU's part was there from the start.
  Plan child_plan() const { return cpu_plan(machine.cpu_all(), "forked child: CPU only"); }

  // A leaf of a blocked routine must not open a device that no product asked for.
  const CpuConfig& all_cores(Precision precision) const {
    const Findings* findings = in_child() ? nullptr : machine.found();
    return findings == nullptr ? machine.cpu_all() : findings->facts.cpu_all_for(precision);
  }

  // A split that was given stays as it is, and so does every bit of the result. OpenCL and its
  // times are the parent's business.
  bool adapts() const { return settings.adapt && !in_child() && !request().split; }

  Plan followed(const GemmProblem& problem, const Plan& planned) {
    const Findings* findings = machine.found();
    return with_shareable_cut(problem, follower.follow(problem, planned),
                              findings == nullptr ? 0 : findings->facts.shared_bytes);
  }

  void say_if_math_is_missing(const PlanMachine& facts) {
    if (settings.verbose < 1 || !facts.has_gpu || tf32x3_kernel(facts.device)) return;
    narrator.once("tf32x3: this device has no TF32 matrix instructions; products are exact");
  }

  const Settings settings;
  Narrator narrator;
  Machine machine;
  GpuGate gate;
  unsigned born_in = 0;
  std::atomic<PackedSplit> split{no_split};
  std::atomic<MathMode> math{MathMode::exact};
  std::atomic<bool> gpu_lost{false};
  ShareFollower follower;
};

Engine::Engine(Settings settings) : state_(std::make_unique<State>(std::move(settings))) {}

// What OpenCL holds must not be released in a forked child: its driver's threads are not there.
Engine::~Engine() {
  if (fork_generation() != state_->born_in) (void)state_.release();
}

void Engine::set_split(std::optional<Share> split) {
  state_->split.store(split ? pack(*split) : no_split, std::memory_order_relaxed);
}

void Engine::set_math(MathMode math) {
  state_->math.store(math, std::memory_order_relaxed);
}

const Settings& Engine::settings() const {
  return state_->settings;
}

CpuSide& Engine::cpu() {
  return state_->machine.cpu();
}

GpuSide* Engine::gpu() {
  return state_->in_child() ? nullptr : state_->open().gpu.get();
}

std::string Engine::gpu_problem() {
  if (state_->in_child()) return "a forked child computes on the CPU";
  return state_->open().gpu_problem;
}

const PlanMachine& Engine::machine() {
  return state_->open().facts;
}

ProfileKey Engine::profile_key() {
  return state_->machine.profile_key(state_->open());
}

ProfileOrigin Engine::profile_origin() {
  return state_->machine.profile_origin(state_->open());
}

void Engine::adopt(const Profile& profile) {
  state_->open();
  state_->machine.adopt(profile);
  if (!state_->in_child()) state_->follower.forget();
}

std::string Engine::profile_problem() {
  return state_->open().profile_problem;
}

Plan Engine::plan(const GemmProblem& problem) {
  const Plan planned = plan_without_adapting(problem);
  return state_->adapts() ? state_->followed(problem, planned) : planned;
}

Plan Engine::plan_without_adapting(const GemmProblem& problem) {
  if (state_->in_child()) return state_->child_plan();
  const CpuConfig& cpu_all = state_->machine.cpu_all();
  const PlanRequest wanted = state_->request();
  if (wanted.strategy == Strategy::cpu) return cpu_plan(cpu_all, "the CPU was asked for");
  if (wanted.strategy == Strategy::automatic && flops(problem) < smallest_gpu_flops) {
    return cpu_plan(cpu_all, "too small for the GPU");
  }
  const PlanMachine& facts = state_->open().facts;
  if (state_->gpu_lost.load(std::memory_order_relaxed)) {
    return cpu_plan(facts.cpu_all_for(problem.precision), "the GPU failed before");
  }
  if (wanted.math == MathMode::tf32x3) state_->say_if_math_is_missing(facts);
  Plan plan = make_plan(problem, facts, wanted);
  if (plan.strategy != Strategy::cpu && plan.sharing == SharingMode::staged &&
      any_registered(problem))
    plan.sharing = SharingMode::pinned;
  return plan;
}

std::shared_ptr<const ResidentMatrix> Engine::make_resident(const HostRect& matrix,
                                                            Precision precision) {
  if (matrix.span() == 0 || state_->in_child() || state_->request().strategy == Strategy::cpu)
    return nullptr;
  GpuSide* side = gpu();
  if (side == nullptr || smallest_gemm_flops(precision) == never || !may_copy(machine(), precision))
    return nullptr;
  const ActiveWork no_fork;
  try {
    return side->make_resident(matrix);
  } catch (const DeviceError&) {
    return nullptr;  // the products then do without
  }
}

CallReport Engine::run(const GemmProblem& problem, const ResidentOperands& resident) {
  HybridOutcome outcome;
  const Plan planned = plan_without_adapting(problem);
  if (!state_->adapts()) return carry_out(problem, planned, resident, outcome);

  const CallReport report =
      carry_out(problem, state_->followed(problem, planned), resident, outcome);
  if (report.recovered) {
    state_->follower.leave_alone(problem, planned);
  } else if (report.plan.strategy == Strategy::hybrid) {
    state_->follower.observe(problem, planned, report.plan.gpu_extent, outcome.overlap);
  }
  return report;
}

CallReport Engine::run(const GemmProblem& problem, const Plan& plan,
                       const ResidentOperands& resident) {
  HybridOutcome outcome;
  return carry_out(problem, plan, resident, outcome);
}

bool Engine::has_kernels(const GemmProblem& problem, const Plan& plan) const {
  const Findings* findings = state_->in_child() ? nullptr : state_->machine.found();
  if (plan.strategy == Strategy::cpu || findings == nullptr || findings->gpu == nullptr)
    return true;
  return findings->gpu->has_kernels(cut(problem, plan.axis, plan.gpu_extent).gpu, plan.kernel,
                                    plan.sharing);
}

void Engine::build_kernels(const GemmProblem& problem, const Plan& plan) noexcept {
  const ActiveWork no_fork;  // compilers of drivers do not survive one
  const Findings* findings = state_->in_child() ? nullptr : state_->machine.found();
  if (plan.strategy == Strategy::cpu || findings == nullptr || findings->gpu == nullptr) return;
  findings->gpu->build_kernels(cut(problem, plan.axis, plan.gpu_extent).gpu, plan.kernel,
                               plan.sharing);
}

void Engine::build_transfers(Precision precision) noexcept {
  const ActiveWork no_fork;  // it starts threads, and drivers' page locks are the parent's
  const Findings* findings = state_->in_child() ? nullptr : state_->machine.found();
  if (findings == nullptr || findings->gpu == nullptr) return;
  if (may_copy(findings->facts, precision)) findings->gpu->build_pipeline();
}

void Engine::run_on_cpu(const Level3Problem& problem) {
  cpu().run(problem, state_->all_cores(problem.precision));
}

void Engine::require_on_cpu(Routine routine, Precision precision) {
  cpu().require(routine, precision, state_->all_cores(precision));
}

bool Engine::insists_on_gpu() const {
  if (state_->in_child()) return false;
  const Strategy wanted = state_->request().strategy;
  return wanted == Strategy::gpu || wanted == Strategy::hybrid;
}

double Engine::smallest_gemm_flops(Precision precision) const {
  if (state_->in_child() || state_->request().strategy == Strategy::cpu ||
      state_->gpu_lost.load(std::memory_order_relaxed))
    return never;
  const Findings* findings = state_->machine.found();
  if (findings != nullptr && !findings->facts.has_gpu) return never;
  if (insists_on_gpu()) return 0;
  if (findings == nullptr) return smallest_gpu_flops;
  return std::max(smallest_gpu_flops, least_automatic_gpu_flops(findings->facts, precision));
}

CallReport Engine::carry_out(const GemmProblem& problem, const Plan& plan,
                             const ResidentOperands& resident, HybridOutcome& outcome) {
  CallReport report{plan, {}, false};
  if (problem.empty()) return report;
  GpuSide* gpu = nullptr;
  std::optional<GpuGate::Pass> pass;
  if (plan.strategy != Strategy::cpu && plan.gpu_extent > 0) {
    gpu = state_->gpu_lost.load(std::memory_order_relaxed) ? nullptr : this->gpu();
    if (gpu != nullptr) {
      const bool insists = state_->request().strategy != Strategy::automatic;
      pass = state_->gate.enter(plan, insists);
    }
  }

  if (pass) {
    outcome = hybrid_gemm(*gpu, cpu(), problem, plan, resident);
    if (state_->settings.verbose > 0 && !gpu->cache_problem().empty()) {
      state_->narrator.once("compiled kernels are not kept on disk: " + gpu->cache_problem());
    }
  } else {
    if (state_->in_child()) {
      report.plan = state_->child_plan();
    } else if (plan.strategy != Strategy::cpu) {
      report.plan = cpu_plan(machine().cpu_all_for(problem.precision),
                             gpu == nullptr ? "no GPU can be used" : "the GPU was busy for longer");
    }
    outcome.times = cpu_gemm(cpu(), problem, report.plan.cpu);
  }

  report.times = outcome.times;
  report.recovered = !outcome.gpu_failure.empty();
  if (report.recovered) {
    if (device_is_lost(outcome)) state_->gpu_lost.store(true, std::memory_order_relaxed);
    // C is there: what is said of it must not fail, where nobody listens.
    if (state_->settings.verbose > 0)
      state_->narrator.once("the CPU did the GPU's part: " + outcome.gpu_failure);
    report.plan.strategy = Strategy::cpu;
    report.plan.gpu_extent = 0;
    report.plan.reason = "the GPU failed, and the CPU did its part";
  }
  state_->narrator.call(problem, report.plan, report.times);
  return report;
}

}  // namespace duoblas
