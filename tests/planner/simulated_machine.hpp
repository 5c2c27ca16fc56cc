// Machines whose every time is known: time models of both sides, from which profiles are tuned and
// plans are judged. The time models are not the cost model's: efficiencies are products, sides slow
// each other.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "planner/planner.hpp"
#include "planner/uneven_times.hpp"

namespace duoblas::test {

/// One side alone: launch + flops / (peak x efficiency) + bytes / copies, where the efficiency is
/// the product of x / (x + half_x) over m, n and k: half of the peak is reached at half_x.
struct SideSpeed {
  double launch_seconds = 0;
  double peak_flops = 1;
  double half_m = 0, half_n = 0, half_k = 0;
  double copy_bytes_per_second = 0;  ///< of A, B and C, before and after the work; 0: shared
  double rate_of_doubles = 1;        ///< of that of floats
};

/// Seconds of each side of a split call.
struct SideTimesOf {
  double gpu = 0, cpu = 0;
};

/// Timings of short calls that a tuner made between others: on an H200's host the CPU's two timings
/// of one and the same product of 0.1 to 1 ms are a factor of 0.5 to 2.6 apart (the shipped
/// profile's cpu_seconds and cpu_all_seconds), those of 100 ms 0.9 to 1.1.
struct DoubtfulTimings {
  /// Mean and standard deviation of ln(timed / true) up to a tenth of a millisecond, and nothing
  /// from 100 ms on.
  double mean = 0, spread = 0;
};

struct SimulatedMachine {
  std::string name;
  SideSpeed cpu_all, cpu, gpu;
  /// Times the speed, while the other side works.
  double cpu_slowed = 1, gpu_slowed = 1;
  double join_seconds = 5e-6;
  DeviceLimits device;
  SharingMode sharing = SharingMode::host_pointer;
  /// By which true times differ from all that; tuned points have them too.
  UnevenTimes uneven = {};

  double cpu_seconds(const GemmProblem& p) const;
  double gpu_seconds(const GemmProblem& p, const KernelParams& kernel) const;
  /// Both sides; each alone where the partition leaves it everything.
  double seconds(const GemmProblem& p, const Plan& plan) const;
  SideTimesOf sides(const GemmProblem& p, const Plan& plan) const;

  /// For messages of tests.
  friend void PrintTo(const SimulatedMachine& machine, std::ostream* out) { *out << machine.name; }

  /// What tuning finds at these shapes, each timing off by up to `noise` of itself, those of the
  /// CPU alone by `of_cpu` more.
  PlanMachine tuned(const std::vector<GemmProblem>& shapes, double noise = 0,
                    const DoubtfulTimings& of_cpu = {}) const;
};

/// The fastest of every split in 64ths.
double best_split_seconds(const SimulatedMachine& machine, const PlanMachine& tuned,
                          const GemmProblem& problem);

/// The fastest of the CPU alone, the GPU alone and every split in 64ths.
double best_seconds(const SimulatedMachine& machine, const PlanMachine& tuned,
                    const GemmProblem& problem);

/// A strong and a weak GPU that share the CPU's memory, a discrete one, and a stand-in on half of
/// the cores.
std::vector<SimulatedMachine> simulated_machines();

/// The machine's name as a part of a test's name, without blanks.
std::string test_name(const SimulatedMachine& machine);

/// An H200 and the 16 cores of its host, with pageable memory.
SimulatedMachine simulated_h200();

/// Squares, tall, wide, small k, large k.
std::vector<GemmProblem> tuned_shapes(Precision precision);

}  // namespace duoblas::test
