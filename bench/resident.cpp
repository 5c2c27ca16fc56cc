#include "bench/resident.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "timing/median.hpp"

namespace duoblas {
namespace {

// The calls of one measurement: enough that the gaps before and after them do not matter.
int calls_for(double seconds_per_call) {
  constexpr double wanted_seconds = 0.05;
  return static_cast<int>(std::clamp(wanted_seconds / seconds_per_call, 2.0, 40.0));
}

// A result's error is below 1 (0.83 at n = 4096, cuBLAS against float64; NVIDIA H200). One that
// adds in an order of its own is less than 2 away from another.
double most(const KernelParams& kernel) {
  return kernel.group_depth * kernel.k_split > 1 || kernel.split_last ? 2 : 1;
}

}  // namespace

Resident::Resident(OpenedDevice& device, const std::vector<std::unique_ptr<Peer>>& peers,
                   const PeerProblem& problem)
    : device_(device), problem_(problem), own_(device) {
  own_.prepare(problem);
  for (const auto& peer : peers) {
    std::string why;
    try {
      if (!peer->supports(problem)) {
        why = "it does not take this product";
      } else {
        peer->prepare(problem);
        if (!(difference(peer->result()) < 2)) why = "WRONG RESULT";
      }
    } catch (const DeviceError& failure) {
      why = failure.what();
    }
    if (why.empty())
      peers_.push_back(peer.get());
    else
      std::cout << "  " << peer->name() << ": " << why << std::endl;
  }
}

double Resident::difference(const std::vector<char>& result) {
  if (reference_.empty()) reference_ = result;
  return result_difference(problem_, result, reference_);
}

std::string Resident::refusal(const KernelParams& kernel) {
  if (const KernelRule* rule = violated_rule(kernel, problem_.precision, device_.limits))
    return "rule " + std::string(rule->name);
  try {
    own_.use(kernel);
    // With NaN this comparison is false: NaN is what a kernel left unwritten.
    return difference(own_.result()) < most(kernel) ? "" : "WRONG RESULT";
  } catch (const DeviceError& failure) {
    return failure.what();
  }
}

Contender Resident::way(const KernelParams& kernel) {
  return {describe(kernel), [this, kernel, calls = 0]() mutable {
            own_.use(kernel);
            if (calls == 0) calls = calls_for(own_.seconds_per_call(1));
            return own_.seconds_per_call(calls);
          }};
}

std::vector<Contender> Resident::peers() {
  std::vector<Contender> ways;
  for (Peer* peer : peers_)
    ways.push_back({peer->name(), [peer, calls = 0]() mutable {
                      if (calls == 0) calls = calls_for(peer->seconds_per_call(1));
                      return peer->seconds_per_call(calls);
                    }});
  return ways;
}

std::vector<KernelParams> Resident::fastest(const std::vector<KernelParams>& kernels,
                                            std::size_t top) {
  std::vector<std::pair<double, KernelParams>> ranked;
  for (const KernelParams& kernel : kernels) {
    std::string told = refusal(kernel).substr(0, 3000);
    if (told.empty()) {
      const Contender timed = way(kernel);
      const double seconds =
          upper_median(std::vector{timed.seconds(), timed.seconds(), timed.seconds()});
      told = fixed(problem_.giga_flops() / seconds, 0) + " GFLOPS";
      ranked.emplace_back(seconds, kernel);
    }
    std::cout << "  " << describe(kernel) << ": " << told << std::endl;
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<double, KernelParams>::first);
  if (ranked.size() > top) ranked.resize(top);
  std::vector<KernelParams> best;
  for (const auto& [seconds, kernel] : ranked) best.push_back(kernel);
  return best;
}

}  // namespace duoblas
