#include "planner/point_timings.hpp"

#include <algorithm>
#include <limits>

namespace duoblas {
namespace {

bool is_shared(const TunedChoice& choice) {
  return choice.seconds > 0 && choice.share.gpu_parts > 0 &&
         choice.share.gpu_parts < choice.share.parts;
}

void add_co_run(PointTimings& timings, const TunedPoint& point) {
  const TunedChoice& choice = point.hybrid;
  if (!is_shared(choice)) return;
  const GemmProblem problem = problem_of(point);
  const PlannedPartition partition = planned_partition(problem, choice.kernel, choice.share);
  if (!partition.is_split(problem)) return;
  TimedWork& gpu = timings.works[place_of(Timed::gpu_side)];
  TimedWork& cpu = timings.works[place_of(Timed::cpu_side)];
  // If the sides were not measured, a tuned share is assumed to balance them.
  gpu = {gpu_work(problem, partition, {choice.kernel, choice.sharing}),
         point.gpu_side_seconds > 0 ? point.gpu_side_seconds : choice.seconds};
  cpu = {cpu_work(problem, partition),
         point.cpu_side_seconds > 0 ? point.cpu_side_seconds : choice.seconds};
  timings.whole = choice.seconds;
  timings.slower_side = std::max(gpu.seconds, cpu.seconds);
}

}  // namespace

PointTimings timings_of(const TunedPoint& point) {
  const GemmProblem problem = problem_of(point);
  PointTimings timings;
  timings.works[place_of(Timed::cpu_all)] = {
      cpu_work(problem, {}), point.cpu_all_seconds > 0 ? point.cpu_all_seconds : point.cpu_seconds};
  timings.works[place_of(Timed::gpu_alone)] = {
      gpu_work(problem, {Axis::rows, problem.m}, {point.gpu.kernel, point.gpu.sharing}),
      point.gpu.seconds};
  add_co_run(timings, point);
  return timings;
}

GemmProblem problem_of(const TunedPoint& point) {
  GemmProblem p;
  p.precision = point.precision;
  p.op_a = point.op_a;
  p.op_b = point.op_b;
  p.m = point.m;
  p.n = point.n;
  p.k = point.k;
  return p;
}

double operand_bytes(Precision precision, const WorkSizes& s) {
  return static_cast<double>(element_size(precision)) * (s.m * s.k + s.k * s.n + s.m * s.n);
}

Strategy least_cost_strategy(const TunedPoint& point) {
  const auto cost = [&](double seconds, double joules) {
    return seconds > 0 ? cost_of(seconds, joules, point.goal)
                       : std::numeric_limits<double>::infinity();
  };
  const double cpu = cost(point.cpu_all_seconds, point.cpu_all_joules);
  const double gpu = cost(point.gpu.seconds, point.gpu.joules);
  const double hybrid = cost(point.hybrid.seconds, point.hybrid.joules);
  if (cpu <= gpu && cpu <= hybrid) return Strategy::cpu;
  return gpu <= hybrid ? Strategy::gpu : Strategy::hybrid;
}

double tuned_gpu_rate(const Profile& profile, Precision precision) {
  double rate = 0, largest = 0;
  for (const TunedPoint& point : profile.points) {
    const double work = flops(problem_of(point));
    if (point.precision != precision || !(point.gpu.seconds > 0) || work <= largest) continue;
    largest = work;
    rate = work / point.gpu.seconds;
  }
  return rate;
}

}  // namespace duoblas
