// The default search: screen kernels cheaply, co-run those that survive, drop losers by halves,
// and compare the best few.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "tuner/search/kernel_surrogate.hpp"
#include "tuner/search/share_model.hpp"
#include "tuner/search/walking_strategy.hpp"

namespace duoblas {

/// Four phases:
///  1. Kernels alone, best guesses first, then those that KernelSurrogate expects most of
///     (halving_screen.cpp); each CPU configuration alone.
///  2. A diverse front of kernels with the CPU side at work, at shares from ShareModel: the valleys
///     over the shares are walked down in batches that all share, and the worse half is dropped.
///     Other sharing modes and CPU configurations are tried for the best (halving_corun.cpp).
///  3. Kernels that are expected to do better together (halving_better.cpp).
///  4. The best few compared: interleaved, until their order is decided or they differ by less
///     than 1 % (halving_final.cpp).
/// Source of dropping by halves: K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification
/// and Hyperparameter Optimization", AISTATS 2016.
class Halving : public WalkingStrategy {
 public:
  explicit Halving(SearchTask task);

 protected:
  Walk<void> walk() override;

 private:
  Walk<void> look_first();
  Walk<void> screen();
  Walk<void> look_at_cpus();
  Walk<void> corun_front();
  Walk<void> walk_valleys(std::vector<Candidate> contenders);
  Walk<void> try_variants();
  Walk<void> look_for_better();
  Walk<void> final_comparison();
  /// measure(), which learns what a kernel's first trial costs and what co-running costs each side.
  Walk<void> run(std::vector<Trial> trials, int rounds);

  double alone(int kernel) const { return seen().score(gpu_trial(kernel, sharing_)); }
  /// The costs of kernels with finite scores: alone, and the least with both sides at work.
  std::map<int, double> costs_alone() const;
  std::map<int, double> costs_together() const;
  /// The costs of all tried kernels with both sides at work. Measurements of a kernel alone are
  /// scaled, less this many standard deviations of that prediction.
  std::map<int, double> costs_as_if_together(double deviations) const;
  /// The kernels not in `costs` that are most likely to beat all in it; empty if none is likely to.
  std::vector<int> promising(std::map<int, double> costs, int count, const std::set<int>& out);
  std::vector<int> front(std::size_t size) const;
  int best_cpu() const;
  /// The best share so far for this kernel, sharing and CPU side; `pair` itself if none was
  /// measured.
  Candidate incumbent(const Candidate& pair) const;
  /// Shares that are not measured yet and may be better than the incumbent's.
  std::vector<Candidate> challengers(const Candidate& incumbent) const;
  std::vector<Candidate> better_half(std::vector<Candidate> contenders) const;
  /// The expected score of the candidate at its best share.
  double expected_score(const Candidate& incumbent) const;
  ShareModel model_of(const Candidate& pair) const;
  void learn_contention(const Candidate& candidate);
  /// All candidates that ran with both sides at work, best first by cautious_score().
  std::vector<Candidate> ranking() const;
  double deviation() const;
  double call_seconds() const;
  bool may_spend(double seconds, double part_of_budget) const {
    return spent() + seconds <= part_of_budget * task().budget_seconds;
  }

  KernelSurrogate surrogate_;
  int sharing_ = 0;  ///< of the screening phase
  std::set<int> tried_;
  int batches_ = 0;                  ///< measured so far
  double first_trials_seconds_ = 0;  ///< of tried_ together
  double gpu_contention_ = 1;        ///< a side's time with the other at work, over that without
  double cpu_contention_ = 1;
};

}  // namespace duoblas
