#include "planner/learning_machine.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "kernel_space/kernel_defaults.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas::test {
namespace {

SideSpeed slower(SideSpeed side, double factor) {
  side.launch_seconds *= factor;
  side.peak_flops /= factor;
  side.copy_bytes_per_second /= factor;
  return side;
}

SimulatedMachine disturbed(SimulatedMachine machine, const Disturbance& by) {
  machine.cpu_all = slower(machine.cpu_all, by.cpu);
  machine.cpu = slower(machine.cpu, by.cpu);
  machine.gpu = slower(machine.gpu, by.gpu);
  return machine;
}

}  // namespace

ProgramResult run(const SimulatedProgram& program) {
  SimulatedMachine promised = program.machine;
  promised.gpu = slower(promised.gpu, program.promise);
  std::vector<GemmProblem> shapes = tuned_shapes(program.calls.front().precision);
  PlanMachine tuned = promised.tuned(shapes, program.profile_noise);
  if (program.borrowed) tuned.match = ProfileMatch::vendor;
  const auto learner =
      std::make_unique<Learner>(program.borrowed ? prior_of_borrowed_profile() : LearnerPrior{});
  if (!program.known.empty()) learner->restore(program.known);
  std::mt19937 random(program.seed);
  std::normal_distribution<double> normal(0, program.noise);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto noisy = [&](double seconds) {
    const double tail = unit(random) < program.heavy_tail ? 1 + 2 * unit(random) : 1;
    return seconds * std::exp(normal(random)) * tail;
  };
  ProgramResult result;
  std::set<std::uint64_t> met;
  for (const GemmProblem& p : program.calls) {
    const SimulatedMachine now = disturbed(program.machine, program.disturbed(result.calls));
    const CallKind kind = kind_of(p, {.contended = program.contended(result.calls)});
    const LearnedTimes learned = learner->learned(kind);
    const Plan plan = make_plan(p, tuned, {}, &learned);
    const KernelParams kernel = default_kernel(p.precision, now.device);
    const auto [first, others] = plan.parts(p);
    const double rest = others.empty() ? 0 : now.cpu_seconds(others);
    const double truth = now.seconds(first, plan) + rest, cpu = now.cpu_seconds(p),
                 gpu = now.gpu_seconds(p, kernel);
    const double best = best_seconds(now, tuned, p);
    const bool is_first = plan.strategy != Strategy::cpu && met.insert(kind.family).second;
    const double warming = is_first ? program.first_calls : 1;
    result.cpu_alone += cpu;
    result.gpu_alone += gpu;
    result.best_plans += best;
    result.seconds += warming * (truth - rest) + rest;
    if (2 * result.calls >= program.calls.size()) {
      ++result.second_half;
      // A short call is to stay on the CPU unless it gains a tenth; estimates see that to 2 %.
      const bool stays = plan.strategy == Strategy::cpu && cpu < 4e-3 && best > 0.88 * cpu;
      if (truth > 1.03 * best && !stays) ++result.off_by_three;
      if (plan.strategy != Strategy::cpu) ++result.with_gpu;
    }
    ++result.calls;
    if (!plan.forecast) continue;
    CallTimes took;
    if (plan.strategy == Strategy::cpu) {
      took.whole = took.seconds[place_of(Timed::cpu_all)] = noisy(cpu);
    } else if (plan.strategy == Strategy::gpu) {
      took.whole = took.seconds[place_of(Timed::gpu_alone)] = noisy(warming * gpu);
    } else {
      const SideTimesOf sides = now.sides(first, plan);
      double& of_gpu = took.seconds[place_of(Timed::gpu_side)];
      double& of_cpu = took.seconds[place_of(Timed::cpu_side)];
      of_gpu = noisy(warming * sides.gpu);
      of_cpu = noisy(sides.cpu);
      took.whole = std::max(of_gpu, of_cpu) + now.join_seconds + rest;
      if (!program.timestamps && of_gpu < of_cpu) {
        of_gpu = of_cpu;
        took.gpu_at_most = true;
      }
    }
    learner->note(kind, *plan.forecast, took);
  }
  result.kept = learner->kept();
  return result;
}

}  // namespace duoblas::test
