#include "bench/ladder_climb.hpp"

#include <algorithm>
#include <limits>

#include <duoblas/error.hpp>

#include "bench/own_kernel.hpp"
#include "bench/result_difference.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

// Calls of one measurement: so many that the gaps before and behind them do not count.
int calls_for(double seconds_per_call) {
  constexpr double wanted_seconds = 0.05;
  return static_cast<int>(std::clamp(wanted_seconds / seconds_per_call, 1.0, 40.0));
}

class Climb {
 public:
  Climb(const PeerProblem& problem, OpenedDevice& device)
      : problem_(problem), device_(device), own_(device) {
    own_.prepare(problem);
  }

  // What speaks against the step, or nothing.
  std::string refusal(const LadderStep& step) {
    if (const KernelRule* rule = violated_rule(step.kernel, problem_.precision, device_.limits))
      return "rule " + std::string(rule->name);
    try {
      own_.use(step.kernel);
      const std::vector<char> result = own_.result();
      if (reference_.empty()) reference_ = result;
      // Written so that NaN is wrong: what a kernel does not write, or what the first one did not.
      const bool is_right = result_difference(problem_, result, reference_) < 1;
      return is_right ? "" : "WRONG RESULT";
    } catch (const DeviceError& failure) {
      return failure.what();
    }
  }

  Contestant contestant(const KernelParams& kernel) {
    return [this, kernel, calls = 0]() mutable -> std::optional<double> {
      try {
        own_.use(kernel);
        if (calls == 0) calls = calls_for(own_.seconds_per_call(1));
        return own_.seconds_per_call(calls);
      } catch (const DeviceError&) {
        return std::nullopt;
      }
    };
  }

 private:
  const PeerProblem problem_;
  OpenedDevice& device_;
  OwnKernel own_;
  std::vector<char> reference_;
};

}  // namespace

std::vector<ClimbedStep> climb(const std::vector<LadderStep>& steps, const PeerProblem& problem,
                               OpenedDevice& device, int rounds) {
  Climb climb(problem, device);
  std::vector<ClimbedStep> climbed;
  std::vector<Contestant> contestants;
  std::vector<std::size_t> step_of_contestant;
  for (const LadderStep& step : steps) {
    climbed.push_back({step, climb.refusal(step)});
    if (!climbed.back().refused.empty()) continue;
    contestants.push_back(climb.contestant(step.kernel));
    step_of_contestant.push_back(climbed.size() - 1);
  }
  MeasureRules rules;
  rules.min_rounds = rules.max_rounds = rounds;
  const std::vector<Timing> timings = measure_interleaved(contestants, rules);
  const double giga = 2e-9 * (is_complex(problem.precision) ? 4 : 1) *
                      static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    ClimbedStep& step = climbed[step_of_contestant[i]];
    if (timings[i].failed) step.refused = "failed while it was timed";
    step.gflops = giga / timings[i].median;
    step.q1 = giga / timings[i].q3;
    step.q3 = giga / timings[i].q1;
  }
  return climbed;
}

}  // namespace duoblas
