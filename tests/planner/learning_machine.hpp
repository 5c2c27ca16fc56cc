// A program on a machine whose true speeds change, and what it would have taken by the better side.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "planner/learner.hpp"
#include "planner/simulated_machine.hpp"

namespace duoblas::test {

/// What becomes of both sides' times while a program runs, as factors.
struct Disturbance {
  double cpu = 1, gpu = 1;
};

struct SimulatedProgram {
  SimulatedMachine machine;  ///< as it was tuned
  std::vector<GemmProblem> calls;
  /// At each call, by its number.
  std::function<Disturbance(std::size_t)> disturbed = [](std::size_t) { return Disturbance{}; };
  /// Whether another thread's call runs beside it.
  std::function<bool(std::size_t)> contended = [](std::size_t) { return false; };
  PlanRequest wanted = {};
  bool untuned = false;                   ///< there is no profile
  std::vector<unsigned char> known = {};  ///< what an earlier process kept
  double noise = 0.02;                    ///< standard deviation of ln(time)
  double heavy_tail = 0;                  ///< part of the calls that take up to three times as long
  double profile_noise = 0.01;
  double promise = 1;      ///< the profile's GPU times are so many times the machine's
  bool borrowed = false;   ///< the profile is another device's
  double first_calls = 1;  ///< of a shape on the GPU take so many times as long
  /// After a call of which the program's own BLAS did a part, its threads spin for so many seconds.
  /// Beside them the CPU's side and the GPU, whose copies threads make, take so many times as long.
  double spinning = 0, cpu_beside_spinning = 1, gpu_beside_spinning = 1;
  double pause = 0;  ///< seconds before each call
  /// The process's first calls with the GPU take so many times as long, whatever they compute.
  std::vector<double> cold_calls = {};
  /// The GPU was warmed up before the first call, and took so many times as long as it does; 0: it
  /// was not (engine/warm_up.hpp).
  double warmed_up = 0;
  bool timestamps = true;  ///< else the end of a GPU that is early is not seen
  unsigned seed = 1;
};

/// True seconds, without noise.
struct ProgramResult {
  double seconds = 0;
  double cpu_alone = 0, gpu_alone = 0;
  double best_plans = 0;  ///< every call by the best way there was
  std::size_t calls = 0;
  std::size_t off_by_three = 0;  ///< of the second half: 3 % slower than the best plan
  std::size_t with_gpu = 0;      ///< of the second half
  std::size_t second_half = 0;
  /// Of each call, as it was planned, without what was cold, and by the best plan.
  std::vector<double> each, best_of_each;
  std::vector<unsigned char> kept;  ///< for a later process

  double better_side() const { return cpu_alone < gpu_alone ? cpu_alone : gpu_alone; }
};

ProgramResult run(const SimulatedProgram& program);

}  // namespace duoblas::test
