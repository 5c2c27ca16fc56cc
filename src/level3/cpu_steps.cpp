// What the CPU BLAS does of a level-3 call: calls that do not exceed its limits.
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "level3/call_steps.hpp"

namespace duoblas {
namespace {

// The product that scales C (in place: sets it to 0), where the call does no more than that;
// nothing: it does more, or C is a triangle.
std::optional<GemmProblem> as_scaling(const Level3Problem& p) {
  if (!p.only_scales_c() || updates_triangle(p.routine)) return std::nullopt;
  GemmProblem c;
  c.precision = p.precision;
  c.m = p.m;
  c.n = p.n;
  c.alpha = 0.0;
  c.beta = is_in_place(p.routine) ? 0.0 : p.beta;
  c.c = p.c;
  c.ldc = c.ldb = p.ldc;
  c.lda = 1;
  return c;
}

// The parts of a call that exceeds the CPU BLAS's limits; nothing: it does not.
std::optional<Steps> divided_routine(const Level3Problem& p, const RoutineLimits& limits) {
  const bool is_wide = widest_ld(p) > limits.leading_dimension;
  const std::int64_t most = is_wide ? limits.copied_extent : limits.extent;
  if (free_extent(p) > most) return split_free_extent(p, free_extent(p) / 2);
  if (order(p) > most) return halved(p, halfway(order(p)));
  if (flops(p) <= limits.flops || p.only_scales_c()) return std::nullopt;
  if (free_extent(p) > order(p)) return split_free_extent(p, free_extent(p) / 2);
  if (order(p) > 1) return halved(p, halfway(order(p)));
  return std::nullopt;
}

}  // namespace

void divide(const Step& step, const RoutineLimits& limits,
            const std::function<void(const GemmProblem&)>& product,
            const std::function<void(const RoutineStep&)>& routine) {
  if (const auto* gemm = std::get_if<GemmProblem>(&step)) return product(*gemm);
  const auto& p = std::get<Level3Problem>(step);
  if (p.changes_nothing()) return;
  if (const auto scaled = as_scaling(p)) return product(*scaled);
  const auto parts = divided_routine(p, limits);
  if (!parts) return routine(RoutineStep{p, limits.leading_dimension});
  for (const Step& part : *parts) divide(part, limits, product, routine);
}

std::vector<CallStep> steps_on_cpu(Engine& engine, const RoutineLimits& limits,
                                   const std::vector<Step>& steps) {
  std::vector<CallStep> divided;
  for (const Step& step : steps)
    divide(
        step, limits,
        [&](const GemmProblem& product) {
          divided.emplace_back(PlannedProduct{
              product, engine.plans().cpu_alone(product.precision, Reason::routine_fastest)});
        },
        [&](const RoutineStep& routine) { divided.emplace_back(routine); });
  return divided;
}

void carry_out_on_cpu(Engine& engine, const std::vector<CallStep>& steps, const CpuConfig* config) {
  for (const CallStep& step : steps)
    if (const auto* product = std::get_if<PlannedProduct>(&step))
      engine.cpu().run(product->problem, config == nullptr ? product->plan.cpu : *config);
    else
      carry_out(engine, std::get<RoutineStep>(step), config);
}

void run_on_cpu(Engine& engine, const Step& step) {
  const auto multiply = [&](const GemmProblem& product) { run_on_cpu(engine, product); };
  const auto run = [&](const RoutineStep& routine) { carry_out(engine, routine); };
  divide(step, cpu_blas_limits, std::cref(multiply), std::cref(run));
}

void carry_out(Engine& engine, const RoutineStep& step, const CpuConfig* config) {
  const auto run = [&](const Level3Problem& p) {
    if (config == nullptr) return run_on_cpu(engine, p);
    step.by_inverse ? engine.cpu().solve_by_inverse(p, *config) : engine.cpu().run(p, *config);
  };
  if (widest_ld(step.problem) <= step.max_ld) return run(step.problem);
  with_narrow_copies(step.problem, step.max_ld, run);
}

}  // namespace duoblas
