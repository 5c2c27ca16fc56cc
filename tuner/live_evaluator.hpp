// An evaluator that measures whole calls on this machine, in turns, and writes them to the journal.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "tuner/call_energy.hpp"
#include "tuner/call_on_device.hpp"
#include "tuner/kernel_pool.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/session.hpp"

namespace duoblas {

/// For one tuning case. Measurements in the journal are not repeated.
class LiveEvaluator : public Evaluator {
 public:
  /// Context and problem outlive this object.
  LiveEvaluator(TuneContext& context, const MeasuredProblem& problem, SearchSpace space);

  /// \throws Error if the device is lost.
  std::vector<TrialOutcome> measure(const Batch& batch) override;

  /// From now on samples have joules, and are judged by them. `energy` outlives this object.
  void judge_by(Goal goal, CallEnergy& energy) {
    goal_ = goal;
    energy_ = &energy;
  }

  /// From now on trials are points of this space.
  void use(SearchSpace space);
  const SearchSpace& space() const { return space_; }
  /// The device failed while this kernel ran: records that, and \throws Error.
  [[noreturn]] void lose_device(const KernelParams& kernel);
  /// The plan of a trial; a CPU plan if the share rounds to zero.
  Plan plan(const Trial& trial) const;

 private:
  std::vector<TrialOutcome> measure_now(const Batch& batch);
  double sample_rounds(const Batch& batch, std::vector<TrialOutcome>& outcomes);
  void admit(const Batch& batch, std::vector<TrialOutcome>& outcomes);
  bool is_known_well(const TrialOutcome& outcome, double best) const;
  void warm_up(const Trial& trial, TrialOutcome& outcome);
  void first_run(const Plan& plan);
  void sample(const Trial& trial, TrialOutcome& outcome);
  void load_again(const Batch& batch, const std::vector<TrialOutcome>& outcomes,
                  Clock::duration load);
  bool bring_operands();
  void lose(const Trial& trial, TrialOutcome& outcome);
  std::optional<CallSample> call(const Trial& trial, const Plan& plan, int repeats);
  const KernelParams& kernel_of(const Trial& trial) const;
  KernelCase tuning_case() const;

  TuneContext& context_;
  const GemmProblem& problem_;
  SearchSpace space_;
  std::vector<KernelParams> ran_;  ///< in this process, for this problem
  /// Calls per sample of trials that were warmed up; calls of microseconds are repeated.
  std::map<Trial, int> ready_;
  std::optional<CallOnDevice> on_device_;
  bool has_no_room_ = false;                    ///< for operands on the device
  int failures_ = 0;                            ///< of first runs, in a row
  std::optional<Clock::time_point> loaded_at_;  ///< the end of the last sample
  bool has_last_word_ = false;                  ///< some batch was Batch::to_the_end
  CallEnergy* energy_ = nullptr;
  Goal goal_ = Goal::throughput;
  double best_cost_ = std::numeric_limits<double>::infinity();
  double best_seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace duoblas
