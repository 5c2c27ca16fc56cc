#include "engine/gemv_call.hpp"

#include <cstdio>
#include <new>
#include <optional>
#include <random>
#include <utility>

#include "check/product_check.hpp"
#include "engine/engine_state.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/vector_product.hpp"

namespace duoblas {
namespace {

// Elements of a sample. Computing their sums takes a small part of the device's work.
constexpr std::int64_t sampled_outputs = 8;

std::optional<std::string> wrong_sums(const GemvProblem& part, const void* sums) {
  const VectorProduct product(part, sums);
  if (!can_check(product.problem())) return {};
  const auto wrong = wrong_element(product.problem(), nullptr);
  if (!wrong) return {};
  return describe(*wrong, product.problem());
}

std::optional<std::string> wrong_in(const GemvProblem& part, const void* sums,
                                    const GemvSample& sample) {
  const std::int64_t outputs = part.outputs();
  if (sample.all || outputs <= sampled_outputs) return wrong_sums(part, sums);
  std::mt19937_64 engine(sample.seed);
  std::uniform_int_distribution<std::int64_t> any(0, outputs - 1);
  for (std::int64_t i = 0; i < sampled_outputs; ++i) {
    const std::int64_t output = any(engine);
    const auto* of_output = static_cast<const char*>(sums) +
                            output * static_cast<std::int64_t>(element_size(part.precision));
    if (auto wrong = wrong_sums(outputs_of(part, {output, 1}), of_output)) return wrong;
  }
  return {};
}

}  // namespace

std::string text_of(const GemvProblem& p) {
  return std::string(1, letter(p.precision)) + "gemv rows=" + std::to_string(p.rows) +
         " columns=" + std::to_string(p.columns) + (p.transposes ? " transposed" : "");
}

// Files of learned times contain it.
std::uint64_t gemv_number(const GemvProblem& p, bool prepared) {
  auto number =
      static_cast<std::uint64_t>(RoutineProgramKind::gemv) * 4 + precision_index(p.precision);
  for (const bool choice : {p.transposes, p.conjugates, p.overwrites_y(), prepared})
    number = number * 4 + (choice ? 1 : 0);
  return number;
}

GemvKernel gemv_kernel(const GpuSide& gpu, const GemvProblem& p) {
  return gpu.device()->gemv.kernel(gpu.limits(), p.precision, p.transposes);
}

std::vector<TriedProgram> programs_of(const GpuSide& gpu, const GemvProblem& p) {
  return gemv_programs(*gpu.device(), p, gemv_kernel(gpu, p));
}

void GemvCall::start(GpuSide& gpu) {
  job_ = start_gemv(gpu.device(), of_gpu(), gemv_kernel(gpu, problem_), plan.sharing, of_cpu(), a_);
}

void GemvCall::wait() {
  job_.wait();
  is_done_ = true;
}

// Another thread may reject these programs meanwhile; then another kernel is used.
void GemvCall::begin_check(ResultChecks& checks, GpuSide& gpu, Manner) noexcept try {
  sample_ = checks.begin(gemv_number(problem_, a_ != nullptr));
  if (sample_.wanted) programs_ = programs_of(gpu, problem_);
} catch (const std::bad_alloc&) {
  sample_ = {};  // a check that finds no memory later has no result either
}

PartCheck GemvCall::check(bool done) {
  PartCheck checked;
  checked.in_times = checked.is_unusual = sample_.all;
  if (done && sample_.wanted) wrong_ = wrong_in(of_gpu(), job_.results(), sample_);
  checked.wrong = wrong_.has_value();
  return checked;
}

Suspect GemvCall::suspect(const ResultChecks&) const noexcept {
  Suspect suspect;
  std::snprintf(suspect.call, sizeof suspect.call, "%cgemv", letter(precision()));
  return suspect;
}

bool GemvCall::reject(GpuSide& gpu, const std::string& why) {
  for (const TriedProgram& tried : programs_) gpu.device()->kernels.reject(tried, why);
  gpu.device()->gemv.prefer(precision(), problem_.transposes, std::nullopt);
  return true;
}

Decision Engine::decide(const GemvProblem& problem, const ResidentMatrix* a) {
  Decision decision{Who::cpu, Reason::none, {}, state_->plans.of(problem, a), {}};
  decision.follow_plan();
  return decision;
}

Outcome Engine::run(const GemvProblem& problem, const ResidentMatrix* a) {
  Outcome outcome;
  outcome.products = 1;
  if (problem.empty()) return outcome;
  Decision decision = decide(problem, a);
  if (const auto why = state_->why_not(Launches(problem), decision.plan))
    decision.plan = cpu_plan(machine().cpu_all_for(problem.precision), *why);
  return carry_out(problem, std::move(decision), a);
}

Outcome Engine::carry_out(const GemvProblem& problem, Decision&& decision,
                          const ResidentMatrix* a) {
  return state_->carry_out(problem, std::move(decision.plan), a, Manner::decided);
}

Outcome Engine::run(const GemvProblem& problem, const Plan& plan, const ResidentMatrix* a) {
  return state_->carry_out(problem, Plan(plan), a, Manner::told);
}

Outcome EngineState::carry_out(const GemvProblem& problem, Plan&& plan, const ResidentMatrix* a,
                               Manner manner) {
  Outcome outcome;
  outcome.plan = std::move(plan);
  GemvCall call(problem, a, outcome);
  carry_out(call, manner);
  logger.call(problem, outcome);
  return outcome;
}

}  // namespace duoblas
