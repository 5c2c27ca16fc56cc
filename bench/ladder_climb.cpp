#include "bench/ladder_climb.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

#include "bench/own_kernel.hpp"
#include "bench/result_difference.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

// The calls of one measurement: enough that the gaps before and after them do not matter.
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

  // Why the step cannot be timed; empty if it can.
  std::string refusal(const LadderStep& step) {
    if (const KernelRule* rule = violated_rule(step.kernel, problem_.precision, device_.limits))
      return "rule " + std::string(rule->name);
    try {
      own_.use(step.kernel);
      return judged(own_.result());
    } catch (const DeviceError& failure) {
      return failure.what();
    }
  }

  std::string refusal(Peer& peer) {
    if (!peer.supports(problem_)) return "it does not take this product";
    try {
      peer.prepare(problem_);
      return judged(peer.result());
    } catch (const DeviceError& failure) {
      return failure.what();
    }
  }

  TimedCandidate candidate(const KernelParams& kernel) {
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

  static TimedCandidate candidate(Peer& peer) {
    return [&peer, calls = 0]() mutable -> std::optional<double> {
      try {
        if (calls == 0) calls = calls_for(peer.seconds_per_call(1));
        return peer.seconds_per_call(calls);
      } catch (const DeviceError&) {
        return std::nullopt;
      }
    };
  }

 private:
  std::string judged(const std::vector<char>& result) {
    if (reference_.empty()) reference_ = result;
    // With NaN this comparison is false: NaN is what a kernel left unwritten.
    return result_difference(problem_, result, reference_) < 1 ? "" : "WRONG RESULT";
  }

  const PeerProblem problem_;
  OpenedDevice& device_;
  OwnKernel own_;
  std::vector<char> reference_;
};

}  // namespace

Climbed climb(const std::vector<LadderStep>& steps, const std::vector<std::unique_ptr<Peer>>& peers,
              const PeerProblem& problem, OpenedDevice& device, int rounds) {
  Climb climb(problem, device);
  Climbed climbed;
  std::vector<TimedCandidate> candidates;
  // The places in climbed.steps and climbed.peers that get the times.
  std::vector<std::size_t> steps_timed, peers_timed;
  for (const LadderStep& step : steps) {
    climbed.steps.push_back({step, climb.refusal(step)});
    if (!climbed.steps.back().refused.empty()) continue;
    candidates.push_back(climb.candidate(step.kernel));
    steps_timed.push_back(climbed.steps.size() - 1);
  }
  for (const auto& peer : peers) {
    climbed.peers.push_back({peer->name(), climb.refusal(*peer)});
    if (!climbed.peers.back().refused.empty()) continue;
    candidates.push_back(Climb::candidate(*peer));
    peers_timed.push_back(climbed.peers.size() - 1);
  }
  MeasureRules rules;
  rules.min_rounds = rules.max_rounds = rounds;
  const std::vector<Timing> timings = measure_interleaved(candidates, rules);
  const double giga = 1e-9 * flops(as_gemm(problem));
  const auto note = [&](const Timing& timing, auto& found) {
    if (timing.failed) found.refused = "failed while it was timed";
    found.gflops = giga / timing.median;
    found.q1 = giga / timing.q3;
    found.q3 = giga / timing.q1;
  };
  for (std::size_t i = 0; i < timings.size(); ++i) {
    if (i < steps_timed.size())
      note(timings[i], climbed.steps[steps_timed[i]]);
    else
      note(timings[i], climbed.peers[peers_timed[i - steps_timed.size()]]);
  }
  return climbed;
}

}  // namespace duoblas
