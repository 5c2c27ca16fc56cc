#include "planner/learning_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "kernel_space/kernel_defaults.hpp"
#include "planner/call_estimate.hpp"
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

// What `work` takes beside threads that spin for another `left` seconds.
double beside_threads(double work, double left, double slowed) {
  return left <= 0 ? work : std::min(slowed * work, work + left * (1 - 1 / slowed));
}

// The best plans' times. Each is the best of 65 plans, so that finding it anew for each call took
// most of a simulation's time; programs repeat their calls.
class BestPlans {
 public:
  double seconds(const SimulatedMachine& now, const PlanMachine& tuned, const GemmProblem& p,
                 const Disturbance& by) {
    const auto [found, is_new] = known_.try_emplace(
        Key{p.precision, p.op_a, p.op_b, p.m, p.n, p.k, p.overwrites_c(), by.cpu, by.gpu});
    if (is_new) found->second = best_seconds(now, tuned, p);
    return found->second;
  }

 private:
  using Key =
      std::tuple<Precision, Op, Op, std::int64_t, std::int64_t, std::int64_t, bool, double, double>;
  std::map<Key, double> known_;
};

// As engine/warm_up.cpp tells what it saw.
void warm_up(Learner& learner, const SimulatedMachine& machine, const PlanMachine& tuned,
             const GemmProblem& like, double slowed) {
  GemmProblem small = like;
  small.m = small.n = small.k = 1024;
  const ModelGroup& group = *tuned.costs->group(small.precision, small.op_a, small.op_b);
  const KernelParams kernel = default_kernel(small.precision, machine.device);
  const CallEstimate estimate(*tuned.costs, group, *tuned.profile, small);
  const Forecast forecast =
      estimate.forecast({Axis::rows, small.m}, {kernel, machine.sharing, &tuned.device});
  CallKind kind = kind_of(small, {});
  kind.call ^= std::uint64_t{1} << 63;
  CallTimes took;
  took.whole = took.seconds[place_of(Timed::gpu_alone)] = warm_up_seconds(
      slowed * machine.gpu_seconds(small, kernel), forecast.modelled[place_of(Timed::gpu_alone)]);
  took.is_part = true;
  for (int i = 0; i < 2; ++i) learner.note(kind, forecast, took);
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
  if (program.warmed_up > 0)
    warm_up(*learner, program.machine, tuned, program.calls.front(), program.warmed_up);
  if (program.untuned) {
    tuned.profile.reset();
    tuned.costs.reset();
  }
  std::mt19937 random(program.seed);
  std::normal_distribution<double> normal(0, program.noise);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto noisy = [&](double seconds) {
    const double tail = unit(random) < program.heavy_tail ? 1 + 2 * unit(random) : 1;
    return seconds * std::exp(normal(random)) * tail;
  };
  ProgramResult result;
  BestPlans best_plans;
  std::set<std::uint64_t> met;
  double spinning_until = 0;
  std::size_t with_gpu = 0;
  for (const GemmProblem& p : program.calls) {
    const Disturbance by = program.disturbed(result.calls);
    const SimulatedMachine now = disturbed(program.machine, by);
    const double wall = result.seconds + static_cast<double>(result.calls + 1) * program.pause;
    const double left = spinning_until - wall;
    const auto on_gpu = [&](double seconds) {
      return beside_threads(seconds, left, program.gpu_beside_spinning);
    };
    const CallKind kind = kind_of(p, {.contended = program.contended(result.calls)});
    const LearnedTimes learned = learner->learned(kind);
    const Plan plan = make_plan(p, tuned, program.wanted, &learned);
    const KernelParams kernel = default_kernel(p.precision, now.device);
    const auto [first, others] = plan.parts(p);
    const bool shares = plan.strategy == Strategy::hybrid;
    SideTimesOf sides = shares ? now.sides(first, plan) : SideTimesOf{};
    sides = {on_gpu(sides.gpu), beside_threads(sides.cpu, left, program.cpu_beside_spinning)};
    const double rest = others.empty() ? 0 : now.cpu_seconds(others);
    const double truth = (shares ? std::max(sides.gpu, sides.cpu) + now.join_seconds
                          : plan.strategy == Strategy::gpu ? on_gpu(now.gpu_seconds(first, kernel))
                                                           : now.cpu_seconds(first)) +
                         rest;
    const double cpu = now.cpu_seconds(p), gpu = now.gpu_seconds(p, kernel);
    const double best = best_plans.seconds(now, tuned, p, by);
    const bool is_first = plan.strategy != Strategy::cpu && met.insert(kind.family).second;
    const double warming = is_first ? program.first_calls : 1;
    const bool is_cold = plan.strategy != Strategy::cpu && with_gpu < program.cold_calls.size();
    const double cold = is_cold ? program.cold_calls[with_gpu] : 1;
    if (plan.strategy != Strategy::cpu) ++with_gpu;
    // A cold GPU lets a CPU side wait that is done.
    const double of_first =
        !shares ? cold * (truth - rest) : std::max(cold * sides.gpu, sides.cpu) + now.join_seconds;
    result.cpu_alone += cpu;
    result.gpu_alone += gpu;
    result.best_plans += best;
    result.each.push_back(truth);
    result.best_of_each.push_back(best);
    result.seconds += warming * of_first + rest;
    if (plan.strategy == Strategy::cpu || !others.empty())
      spinning_until = wall + warming * of_first + rest + program.spinning;
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
      took.whole = took.seconds[place_of(Timed::gpu_alone)] =
          noisy(warming * cold * on_gpu(now.gpu_seconds(first, kernel)));
    } else {
      double& of_gpu = took.seconds[place_of(Timed::gpu_side)];
      double& of_cpu = took.seconds[place_of(Timed::cpu_side)];
      of_gpu = noisy(warming * cold * sides.gpu);
      of_cpu = noisy(sides.cpu);
      took.whole = std::max(of_gpu, of_cpu) + now.join_seconds;
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
