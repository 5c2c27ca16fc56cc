#include "plan/plan_cost.hpp"

#include <algorithm>
#include <limits>

namespace duoblas {
namespace {

// Where no crossover was measured. PoCL 3.1 on a 2-core EPYC: enqueue and finish 46 us; a discrete
// GPU 11 us.
constexpr double default_launch_seconds = 60e-6;

// Copies of pageable memory to a discrete GPU ran at 8-12 GB/s, and a memcpy that both reads and
// writes memory on one core is of the same order. The low end, so that doubtful shapes stay on
// the CPU.
constexpr double copy_bytes_per_second = 8e9;

// A few cores' streaming bandwidth. Both sides share the memory, so a call that is bound by it
// takes this long on any of them, and only the GPU adds a launch to it.
constexpr double stream_bytes_per_second = 20e9;

constexpr double unknown = std::numeric_limits<double>::infinity();

struct Work {
  double flops;
  double input_bytes;
  double c_bytes;
};

Work work(const GemmProblem& p) {
  const auto size = static_cast<double>(element_size(p.precision));
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return {flops(p), size * (m * k + k * n), size * m * n};
}

// Rows of A and C follow the share; B is needed whole.
double copied_bytes(const Work& w, const GemmProblem& p, double share) {
  const double b = static_cast<double>(element_size(p.precision)) * static_cast<double>(p.k) *
                   static_cast<double>(p.n);
  return b + share * (w.input_bytes - b + w.c_bytes);
}

GemmProblem shape_of(const TunedPoint& point, Precision precision) {
  GemmProblem p;
  p.precision = precision;
  p.m = point.m;
  p.n = point.n;
  p.k = point.k;
  return p;
}

// At the crossover the CPU alone and the better GPU strategy take equally long. Whatever the GPU
// strategy takes there beyond its rate is overhead.
double launch_seconds(double cpu_seconds, double gpu_seconds, double flops_at_point,
                      double crossover_flops) {
  if (crossover_flops <= 0) return default_launch_seconds;
  const double gain = std::max(0.0, cpu_seconds - gpu_seconds);
  return std::max(gain * crossover_flops / flops_at_point, 1e-6);
}

}  // namespace

CallTimes estimate_times(const TunedPoint& point, const GemmProblem& problem,
                         double crossover_flops) {
  const Work now = work(problem);
  // The element type of the problem: a point of another type stands for the same shape in this.
  const GemmProblem tuned = shape_of(point, problem.precision);
  const Work then = work(tuned);
  const double scale = now.flops / then.flops;
  const double traffic = (now.input_bytes + now.c_bytes * (problem.overwrites_c() ? 1.0 : 2.0)) /
                         stream_bytes_per_second;
  const double cpu_at_point = point.cpu_all_seconds > 0 ? point.cpu_all_seconds : point.cpu_seconds;

  const auto with_gpu = [&](const TunedChoice& choice) {
    if (choice.seconds <= 0) return unknown;
    const double share = choice.share.fraction();
    const double launch = launch_seconds(cpu_at_point, choice.seconds, then.flops, crossover_flops);
    double copies_then = 0;
    double copies_now = 0;
    if (choice.sharing == SharingMode::staged) {
      copies_then = copied_bytes(then, tuned, share) / copy_bytes_per_second;
      copies_now = copied_bytes(now, problem, share) / copy_bytes_per_second;
    } else if (!problem.overwrites_c()) {
      copies_now = share * now.c_bytes / copy_bytes_per_second;
    }
    // Never below half of what was measured: estimates of overhead are not allowed to eat it.
    const double work_then = std::max(choice.seconds - launch - copies_then, 0.5 * choice.seconds);
    return launch + std::max(work_then * scale, traffic) + copies_now;
  };

  CallTimes times{unknown, with_gpu(point.gpu), with_gpu(point.hybrid)};
  if (cpu_at_point > 0) times.cpu_all = std::max(cpu_at_point * scale, traffic);
  return times;
}

}  // namespace duoblas
