#include "planner/unseen_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "kernel_space/kernel_defaults.hpp"
#include "planner/learner.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas::test {
namespace {

GemmProblem with_ops(GemmProblem p, Op a, Op b) {
  p.op_a = a;
  p.op_b = b;
  p.lda = a == Op::none ? p.k : p.m;
  p.ldb = b == Op::none ? p.n : p.k;
  return p;
}

}  // namespace

std::size_t UnseenResult::over() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(shapes, [](const SeenShape& s) { return s.regret() > 0.03; }));
}

std::vector<GemmProblem> unseen_products(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto op = [&] { return random() >> 63 ? Op::transpose : Op::none; };
  const auto extent = [&] {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<std::int64_t>(std::llround(128 * std::pow(2300.0 / 128, unit)));
  };
  std::vector<GemmProblem> products;
  for (std::size_t i = 0; i < count; ++i) {
    const Op a = op(), b = op();
    const std::int64_t m = extent(), n = extent(), k = extent();
    const Precision precision = i % 2 == 0 ? Precision::s : Precision::d;
    products.push_back(with_ops(paper_problem(precision, m, n, k), a, b));
  }
  return products;
}

std::vector<GemmProblem> shapes_of_a_shipped_profile() {
  struct Extents {
    std::int64_t m, n, k;
  };
  std::vector<GemmProblem> shapes;
  for (const Precision precision : {Precision::s, Precision::d})
    for (const Op a : {Op::none, Op::transpose})
      for (const Op b : {Op::none, Op::transpose})
        for (const Extents& x : {Extents{512, 512, 512},
                                 {1024, 1024, 1024},
                                 {2048, 2048, 2048},
                                 {4096, 4096, 4096},
                                 {4096, 256, 512},
                                 {256, 4096, 512},
                                 {2048, 2048, 64},
                                 {256, 256, 8192},
                                 {1792, 160, 1024},
                                 {160, 1792, 1024},
                                 {1280, 1280, 192},
                                 {192, 192, 1024},
                                 {768, 160, 192},
                                 {160, 768, 192}})
          shapes.push_back(with_ops(paper_problem(precision, x.m, x.n, x.k), a, b));
  return shapes;
}

UnseenResult run(const UnseenShapes& program) {
  const SimulatedMachine& machine = program.machine;
  const PlanMachine tuned = machine.tuned(shapes_of_a_shipped_profile(), 0.08, program.of_cpu);
  const auto learner = std::make_unique<Learner>();
  std::mt19937 random(program.seed);
  std::normal_distribution<double> normal(0, program.noise);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto noisy = [&](double seconds) {
    const double tail = unit(random) < program.heavy_tail ? 1 + 2 * unit(random) : 1;
    return seconds * std::exp(normal(random)) * tail;
  };
  UnseenResult result;
  for (const GemmProblem& p : unseen_products(program.products, program.seed)) {
    const CallKind kind = kind_of(p, {});
    const KernelParams kernel = default_kernel(p.precision, machine.device);
    SeenShape shape{p, machine.cpu_seconds(p), machine.gpu_seconds(p, kernel),
                    best_split_seconds(machine, tuned, p)};
    shape.best = std::min({shape.cpu, shape.gpu, shape.both});
    const double cold_gpu = 1 + program.cold_gpu * unit(random);
    const double cold_cpu = 1 + program.cold_cpu * unit(random);
    bool met_gpu = false, met_cpu = false;
    const auto plan_now = [&] {
      const LearnedTimes learned = learner->learned(kind);
      return make_plan(p, tuned, {}, program.learns ? &learned : nullptr);
    };
    for (std::size_t call = 0; call < program.calls; ++call) {
      const Plan plan = plan_now();
      const auto [first, others] = plan.parts(p);
      const double rest = others.empty() ? 0 : machine.cpu_seconds(others);
      const double gpu = plan.uses_gpu() && !met_gpu ? cold_gpu : 1;
      const double cpu = plan.strategy != Strategy::gpu && !met_cpu ? cold_cpu : 1;
      CallTimes took;
      const auto set = [&](Timed what, double s) {
        return took.seconds[place_of(what)] = noisy(s);
      };
      if (plan.strategy == Strategy::cpu) {
        took.whole = set(Timed::cpu_all, cpu * shape.cpu);
      } else if (plan.strategy == Strategy::gpu) {
        took.whole = set(Timed::gpu_alone, gpu * machine.gpu_seconds(first, plan.kernel));
      } else {
        const SideTimesOf sides = machine.sides(first, plan);
        const double of_gpu = set(Timed::gpu_side, gpu * sides.gpu);
        took.whole = std::max(of_gpu, set(Timed::cpu_side, cpu * sides.cpu)) + machine.join_seconds;
      }
      met_gpu = met_gpu || plan.uses_gpu();
      met_cpu = met_cpu || plan.strategy != Strategy::gpu;
      result.seconds += took.whole + rest;
      result.cpu_alone += (call == 0 ? cold_cpu : 1) * shape.cpu;
      result.gpu_alone += (call == 0 ? cold_gpu : 1) * shape.gpu;
      result.best_plans += shape.best;
      if (program.learns && plan.forecast) {
        const Forecast forecast =
            plan.entry_rows > 0 ? *plan.of_first_part(p).forecast : *plan.forecast;
        learner->note(kind, forecast, took);
      }
    }
    const Plan plan = plan_now();
    const auto [first, others] = plan.parts(p);
    shape.planned =
        machine.seconds(first, plan) + (others.empty() ? 0 : machine.cpu_seconds(others));
    shape.strategy = plan.strategy;
    shape.explores = plan.forecast && plan.forecast->explores;
    result.shapes.push_back(shape);
  }
  result.left = learner->allowance();
  return result;
}

}  // namespace duoblas::test
