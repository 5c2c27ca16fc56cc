// The planner's answers for calls, with what is known of this machine and of earlier calls.
#include "engine/plans.hpp"

#include <algorithm>
#include <utility>

#include "engine/engine_state.hpp"
#include "engine/gemv_call.hpp"
#include "engine/known_plans.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/gemv_variant.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "planner/planner.hpp"
#include "planner/stream_plan.hpp"
#include "planner/way.hpp"

namespace duoblas {
namespace {

StreamCall stream_call(const GemvProblem& p, const ResidentMatrix* a, const PlanMachine& facts,
                       const GpuSide& gpu) {
  const bool resident = a != nullptr && a->is_on(*gpu.device());
  StreamCall call;
  call.precision = p.precision;
  call.outputs = p.outputs();
  call.unit = outputs_of_group(p, gemv_kernel(gpu, p));
  call.bytes = traffic_bytes(p);
  call.device_copies = copies(facts.sharing) && !resident;
  call.device_has_it = copies(facts.sharing) && resident;
  return call;
}

bool is_by_times(Reason reason) {
  return reason == Reason::cpu_fastest || reason == Reason::cpu_fastest_same_device;
}

// Whether the kernels are refused here. Before that, a tuned kernel is given up for the built-in
// one.
bool are_refused(GpuSide& gpu, const GemvProblem& problem) {
  const KernelCache& kernels = gpu.device()->kernels;
  const auto any_is = [&] {
    return kernels.has_refused() &&
           std::ranges::any_of(programs_of(gpu, problem), [&](const TriedProgram& tried) {
             return !tried.is_spare && kernels.refuses(tried.number);
           });
  };
  if (!any_is()) return false;
  gpu.device()->gemv.prefer(problem.precision, problem.transposes, std::nullopt);
  return any_is();
}

// A whole call of LAPACK is not made to find out how fast a product is.
Plan without_tries(Plan plan, const CpuConfig& all_cores) {
  if (!plan.uses_gpu() || !plan.forecast || !plan.forecast->explores) return plan;
  Plan cpu = cpu_plan(all_cores, Reason::cpu_fastest);
  cpu.cpu_only_seconds = cpu.expected_seconds = plan.cpu_only_seconds;
  return cpu;
}

std::optional<Reason> too_small(const PlanRequest& wanted, double flops) {
  const bool is = wanted.strategy == Strategy::automatic && flops < DUOBLAS_SMALLEST_GPU_FLOPS;
  return is ? std::optional(Reason::too_small) : std::nullopt;
}

}  // namespace

PlanRequest Plans::request() const {
  const MathMode math = math_.load(std::memory_order_relaxed);
  const std::uint64_t packed = split_.load(std::memory_order_relaxed);
  if (packed == 0) return {strategy_.load(std::memory_order_relaxed), settings_.split, math};
  return {Strategy::hybrid,
          Share{static_cast<int>(packed & 0xffffffffu), static_cast<int>(packed >> 32)}, math};
}

bool Plans::insists_on_gpu() const {
  return !EngineState::in_child() && request().insists_on_gpu();
}

void Plans::set_split(std::optional<Share> split) {
  const std::uint64_t packed = split ? (static_cast<std::uint64_t>(split->parts) << 32) |
                                           static_cast<unsigned>(split->gpu_parts)
                                     : 0;  // there are always parts
  split_.store(packed, std::memory_order_relaxed);
}

const MachineState& Plans::open(const PlanRequest& wanted) {
  return engine_.machine.open(settings_.standin || wanted.insists_on_gpu());
}

// What is the CPU's whatever the planner would say. `why_cpu`: for the call's own sake. No plan is
// moved: small calls take less than a microsecond.
std::optional<Plans::OnCpu> Plans::without_device(const PlanRequest& wanted, Precision precision,
                                                  std::optional<Reason> why_cpu) {
  const CpuConfig& cpu_all = engine_.machine.cpu_all();
  if (EngineState::in_child()) return OnCpu{cpu_all, Reason::forked_child};
  if (wanted.strategy == Strategy::cpu) return OnCpu{cpu_all, Reason::cpu_asked_for};
  if (why_cpu) return OnCpu{cpu_all, *why_cpu};
  const PlanMachine& facts = open(wanted).facts;
  if (engine_.health.is_unavailable())
    return OnCpu{facts.cpu_all_for(precision), engine_.health.why_unavailable()};
  return std::nullopt;
}

bool Plans::finds_kernel(Plan& plan, Precision precision) {
  return finds_launchable(*engine_.open().gpu, plan.kernel, precision);
}

void Plans::say_if_math_is_missing(const PlanMachine& facts) const {
  if (settings_.verbose < 1 || !facts.has_gpu || tf32x3_kernel(Precision::s, facts.device)) return;
  engine_.logger.once("tf32x3: this device has no TF32 matrix instructions; products are exact");
}

Plan Plans::of(const GemmProblem& problem) {
  return of(problem, request());
}

Plan Plans::exact(const GemmProblem& problem) {
  return of(problem, request().in_exact_arithmetic());
}

Plan Plans::of(const GemmProblem& problem, const PlanRequest& wanted) {
  if (const auto on = without_device(wanted, problem.precision, too_small(wanted, flops(problem))))
    return cpu_plan(on->cpu, on->why);
  return with_device(problem, open(wanted), wanted);
}

// Known plans are found in a tenth of a microsecond, so a plan is moved nowhere here.
Plan Plans::with_device(const GemmProblem& problem, const MachineState& opened,
                        const PlanRequest& wanted) {
  const PlanMachine& facts = opened.facts;
  if (wanted.math == MathMode::tf32x3) say_if_math_is_missing(facts);
  Plan plan = by_times(problem, facts, wanted);
  if (plan.strategy == Strategy::cpu) return plan;
  if (plan.uses_gpu() && !finds_launchable(*opened.gpu, plan.kernel, problem.precision))
    plan = cpu_plan(facts.cpu_all_for(problem.precision), Reason::no_kernel_launches);
  else if (plan.sharing == SharingMode::staged && has_registered_operand(problem))
    plan.sharing = SharingMode::pinned;
  return plan;
}

Plan Plans::by_times(const GemmProblem& problem, const PlanMachine& facts,
                     const PlanRequest& wanted) {
  if (!settings_.adapt || wanted.split) return make_plan(problem, facts, wanted);
  CallLearner& learner = engine_.learning.learner();
  Circumstances now = engine_.learning.circumstances();
  // What is kept belongs to the arithmetic of the settings.
  if (wanted.math != settings_.math) now.unusual ^= 1 + static_cast<unsigned>(wanted.math);
  const bool is_untuned = !facts.tuned(problem.precision).profile;
  if (is_untuned && wanted.chooses_by_speed()) return make_plan(problem, facts, wanted);
  const PlanKey key = plan_key(problem, facts, wanted, now, learner.changes());
  const std::size_t hash = hash_of(key);
  if (const Plan* known = known_plans.find(key, hash)) return *known;
  const CallKind kind = kind_of(problem, now);
  const LearnedTimes learned = engine_.learning.learned(kind, facts);
  Plan plan = make_plan(problem, facts, wanted, &learned);
  if (plan.forecast) plan.forecast->kind = kind;
  if (plan.forecast && plan.forecast->is_settled) known_plans.keep(key, hash, plan);
  return plan;
}

Plan Plans::of(const GemvProblem& problem, const ResidentMatrix* a) {
  const PlanRequest wanted = request();
  const bool small = wanted.chooses_by_speed() && traffic_bytes(problem) < smallest_stream_bytes;
  const auto why_cpu = problem.only_scales_y() ? std::optional(Reason::only_scales)
                       : small                 ? std::optional(Reason::too_small)
                                               : std::nullopt;
  if (const auto on = without_device(wanted, problem.precision, why_cpu))
    return cpu_plan(on->cpu, on->why);
  const MachineState& machine_state = engine_.open();
  const PlanMachine& facts = machine_state.facts;
  const CpuConfig& all = facts.cpu_all_for(problem.precision);
  if (!facts.has_gpu) return cpu_plan(all, facts.without_gpu);
  if (wanted.chooses_by_speed() && are_refused(*machine_state.gpu, problem))
    return cpu_plan(all, Reason::gpu_failed_before);
  const StreamCall call = stream_call(problem, a, facts, *machine_state.gpu);
  const StreamRates rates = stream_rates(call, facts);
  if (!engine_.adapts()) return make_stream_plan(call, facts, wanted, rates, nullptr);
  const CallKind kind = kind_of_stream(gemv_number(problem, a != nullptr), problem.outputs(),
                                       problem.terms(), engine_.learning.circumstances());
  const LearnedTimes learned = engine_.learning.learned(kind, facts);
  Plan plan = make_stream_plan(call, facts, wanted, rates, &learned);
  if (plan.forecast) plan.forecast->kind = kind;
  return plan;
}

Plan Plans::of_lapack(const GemmProblem& problem, const std::optional<GemmProblem>& narrow) {
  Plan plan = without_tries(exact(problem), all_cores(problem.precision));
  if (is_by_times(plan.reason) && request().chooses_by_speed() && engine_.adapts()) {
    const PlanMachine& facts = engine_.open().facts;
    const LearnedTimes learned =
        engine_.learning.learned(kind_of(problem, engine_.learning.circumstances()), facts);
    auto promised = promised_plan(problem, facts, request().in_exact_arithmetic(), learned);
    if (promised && finds_kernel(*promised, problem.precision)) plan = *std::move(promised);
  }
  if (!plan.uses_gpu()) return plan;
  const PlanMachine& facts = engine_.open().facts;
  KernelParams wanted = kernel_of_use(KernelUse::update, plan.kernel, problem, facts);
  if (narrow) wanted = kernel_of_use(KernelUse::narrow_update, wanted, *narrow, facts);
  if (wanted == plan.kernel) return plan;
  KernelParams found = wanted;
  const auto& gpu = engine_.open().gpu;
  if (!gpu || !finds_launchable(*gpu, found, problem.precision)) return plan;
  // Where none with matrix instructions may be used, the plan's own is better than a built-in one.
  if (found == wanted || found.matrix != MatrixUnit::none) plan.kernel = found;
  return plan;
}

Plan Plans::beside_work(const GemmProblem& problem) {
  Plan usual = without_tries(of(problem), all_cores(problem.precision));
  if (!is_by_times(usual.reason) || !request().chooses_by_speed()) return usual;
  const PlanMachine& facts = engine_.open().facts;
  if (copies(facts.sharing)) return usual;  // then every plan copies (adapted_choice)
  std::optional<LearnedTimes> learned;
  if (engine_.adapts())
    learned = engine_.learning.learned(kind_of(problem, engine_.learning.circumstances()), facts);
  std::optional<Plan> both = shared_plan(problem, facts, request(), learned ? &*learned : nullptr);
  // What is not clearly slower may still be faster beside other work.
  const bool is_worth_it =
      both && !copies(both->sharing) && both->expected_seconds < clearly * both->cpu_only_seconds;
  if (!is_worth_it) return usual;
  if (finds_kernel(*both, problem.precision)) return *std::move(both);
  return usual;
}

Plan Plans::cpu_alone(Precision precision, Reason reason) const {
  return cpu_plan(engine_.all_cores(precision), reason);
}

const CpuConfig& Plans::all_cores(Precision precision) const {
  return engine_.all_cores(precision);
}

double Plans::estimated_cpu_seconds(const GemmProblem& problem) const {
  const MachineState* found = EngineState::in_child() ? nullptr : engine_.machine.found();
  return found == nullptr ? 0 : duoblas::estimated_cpu_seconds(problem, found->facts);
}

std::optional<double> Plans::promised_gain(const GemmProblem& problem) {
  const PlanMachine* last = engine_.machine.as_last_opened();
  if (last == nullptr) return std::nullopt;
  const ProfileInUse& tuned = last->tuned(problem.precision);
  if (!tuned.profile) return 0;  // nothing is expected of the device, and the CPU computes
  if (tuned.is_borrowed()) return std::nullopt;
  const Plan plan = make_plan(problem, *last, request());
  if (plan.strategy == Strategy::cpu) return 0;
  if (!(plan.cpu_only_seconds > 0 && plan.expected_seconds > 0)) return std::nullopt;
  return std::max(0.0, 1 - plan.expected_seconds / plan.cpu_only_seconds);
}

std::optional<double> Plans::promised_gain_of_gemv(Precision precision) {
  const PlanMachine* last = engine_.machine.as_last_opened();
  if (!knows_streams(last)) return 0;
  if (last == nullptr) return std::nullopt;
  return expected_stream_gain(*last, precision, stream_rates({}, *last));
}

std::optional<Reason> Plans::why_never_stream(Precision precision) const {
  const PlanRequest wanted = request();
  if (EngineState::in_child()) return Reason::forked_child;
  if (wanted.strategy == Strategy::cpu) return Reason::cpu_asked_for;
  if (engine_.health.is_unavailable()) return engine_.health.why_unavailable();
  if (wanted.insists_on_gpu()) return std::nullopt;
  const MachineState* machine_state = engine_.machine.found();
  const PlanMachine* facts =
      machine_state != nullptr ? &machine_state->facts : engine_.machine.as_last_opened();
  if (facts == nullptr) return Reason::device_not_known;
  if (const auto why = duoblas::why_never_stream(*facts, precision)) return why;
  return knows_streams(facts) ? std::nullopt : std::optional(Reason::untuned);
}

double Plans::smallest_bytes(Precision precision) const {
  if (why_never_stream(precision)) return endless;
  return insists_on_gpu() ? 0 : smallest_stream_bytes;
}

// Whether the rates are measured or learned.
bool Plans::knows_streams(const PlanMachine* facts) const {
  return engine_.adapts() || (facts != nullptr && stream_rates({}, *facts).measured);
}

// Before the device is known, only the user's settings count here.
std::optional<Reason> Plans::why_never_gpu(Precision precision) const {
  if (EngineState::in_child()) return Reason::forked_child;
  if (request().strategy == Strategy::cpu) return Reason::cpu_asked_for;
  if (engine_.health.is_unavailable()) return engine_.health.why_unavailable();
  const MachineState* found = engine_.machine.found();
  if (found == nullptr)
    return settings_.device == "none" ? std::optional(Reason::no_device) : std::nullopt;
  if (!found->facts.has_gpu) return found->facts.without_gpu;
  if (request().insists_on_gpu()) return std::nullopt;
  return duoblas::why_never_gpu(found->facts, precision);
}

double Plans::smallest_gemm_flops(Precision precision) const {
  if (why_never_gpu(precision)) return endless;
  if (request().insists_on_gpu()) return 0;
  const MachineState* found = engine_.machine.found();
  if (found == nullptr) return DUOBLAS_SMALLEST_GPU_FLOPS;
  return std::max(DUOBLAS_SMALLEST_GPU_FLOPS, least_automatic_gpu_flops(found->facts, precision));
}

}  // namespace duoblas
