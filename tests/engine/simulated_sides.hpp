// Two sides with speeds that the test changes, and a loop that shares products between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/share_follower.hpp"

namespace duoblas::test {

/// Speeds are parts of the whole product per second: a speed of 1 does all of C in a second.
struct Speeds {
  double gpu = 1;
  double cpu = 1;
};

struct Simulation {
  double noise = 0;        ///< each side takes up to this part more or less, uniformly
  bool timestamps = true;  ///< else the end of a GPU that is early is not seen
  double launch = 1e-3;    ///< seconds before the GPU starts
  std::int64_t rows = 2048;
  int tile_rows = 8;  ///< of the kernel
  std::uint64_t seed = 1;
};

/// What one simulated call came to.
struct SimulatedCall {
  double share = 0;  ///< of the rows, the GPU's
  double whole = 0;  ///< seconds
  double fixed = 0;  ///< seconds that the plan's share would have taken under the same noise
};

/// One shape, called again and again. The plan's share balances the speeds of `tuned`.
class SimulatedSides {
 public:
  SimulatedSides(const Simulation& simulation, const Speeds& tuned)
      : simulation_(simulation), random_(simulation.seed) {
    problem_.m = problem_.n = problem_.k = simulation.rows;
    planned_.strategy = Strategy::hybrid;
    planned_.kernel.family = KernelFamily::panel;
    planned_.kernel.tile_rows = simulation.tile_rows;
    planned_.kernel.block_m = simulation.tile_rows;
    planned_.share = {static_cast<int>(std::lround(64 * balanced(tuned))), 64};
    planned_.gpu_extent = gpu_extent(problem_.m, planned_.share, simulation.tile_rows);
  }

  /// The share at which sides of these speeds end together, launch left aside.
  static double balanced(const Speeds& speeds) { return speeds.gpu / (speeds.gpu + speeds.cpu); }

  SimulatedCall call(const Speeds& speeds) {
    std::uniform_real_distribution<double> jitter(1 - simulation_.noise, 1 + simulation_.noise);
    const Speeds now{speeds.gpu / jitter(random_), speeds.cpu / jitter(random_)};
    const Plan plan = follower_.follow(problem_, planned_);
    Overlap overlap = overlap_of(plan, now);
    const SimulatedCall done{static_cast<double>(plan.gpu_extent) / static_cast<double>(problem_.m),
                             std::max(overlap.gpu, overlap.cpu), whole_of(planned_, now)};
    if (!simulation_.timestamps && overlap.gpu < overlap.cpu) {
      overlap.gpu = overlap.cpu;
      overlap.gpu_at_most = true;
    }
    follower_.observe(problem_, planned_, plan.gpu_extent, overlap);
    return done;
  }

  std::vector<SimulatedCall> calls(int count, const Speeds& speeds) {
    std::vector<SimulatedCall> made;
    for (int i = 0; i < count; ++i) made.push_back(call(speeds));
    return made;
  }

  ShareFollower& follower() { return follower_; }
  const GemmProblem& problem() const { return problem_; }
  const Plan& planned() const { return planned_; }

 private:
  Overlap overlap_of(const Plan& plan, const Speeds& speeds) const {
    const double share = static_cast<double>(plan.gpu_extent) / static_cast<double>(problem_.m);
    return {simulation_.launch + share / speeds.gpu, (1 - share) / speeds.cpu, false};
  }
  double whole_of(const Plan& plan, const Speeds& speeds) const {
    const Overlap overlap = overlap_of(plan, speeds);
    return std::max(overlap.gpu, overlap.cpu);
  }

  Simulation simulation_;
  std::mt19937_64 random_;
  GemmProblem problem_;
  Plan planned_;
  ShareFollower follower_;
};

}  // namespace duoblas::test
