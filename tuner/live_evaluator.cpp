#include "tuner/live_evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_description.hpp"
#include "opencl/status_class.hpp"
#include "problem/partition.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/order_of_round.hpp"
#include "tuner/quiet_rounds.hpp"

namespace duoblas {
namespace {

// Calls of microseconds are repeated until a sample lasts this long.
constexpr double least_sample_seconds = 200e-6;
constexpr int most_repeats = 100;
// Two calls are enough for a candidate that is this many times slower than the best.
constexpr double hopeless = 3;
// Longer calls warm themselves up.
constexpr double long_call_seconds = 10e-3;
// After a pause, in which kernels were built, clocks have risen (of processors) or fallen (of GPUs,
// which take tenths of seconds to come back). Most comparisons are of kernels, which that meets
// alike, and there are many; the last word on a share, and what follows a wait, takes that time.
constexpr std::chrono::milliseconds pause_of_clocks(100), load_of_clocks(50), full_load(500);

}  // namespace

LiveEvaluator::LiveEvaluator(TuneContext& context, const MeasuredProblem& problem,
                             SearchSpace space)
    : context_(context), problem_(problem.problem()), space_(std::move(space)) {}

void LiveEvaluator::use(SearchSpace space) {
  space_ = std::move(space);
  ready_.clear();
  on_device_.reset();  // whole calls are to have all of the memory
}

const KernelParams& LiveEvaluator::kernel_of(const Trial& trial) const {
  return space_.kernels.at(static_cast<std::size_t>(trial.candidate.kernel));
}

KernelCase LiveEvaluator::tuning_case() const {
  return {problem_.precision, problem_.op_a, problem_.op_b};
}

Plan LiveEvaluator::plan(const Trial& trial) const {
  const Candidate& c = trial.candidate;
  const CpuConfig& cpu = space_.cpus.at(static_cast<std::size_t>(c.cpu));
  if (trial.sides == Sides::cpu) return cpu_plan(cpu, Reason::as_told);
  TunedChoice choice;
  choice.kernel = kernel_of(trial);
  choice.sharing = space_.sharings.at(static_cast<std::size_t>(c.sharing));
  choice.share = {trial.sides == Sides::both ? c.gpu_parts : space_.parts, space_.parts};
  Plan plan = plan_choice(problem_, context_.machine, choice, Reason::as_told);
  plan.cpu = cpu;
  return plan;
}

std::vector<TrialOutcome> LiveEvaluator::measure(const Batch& batch) {
  Session& session = context_.session;
  Journal& journal = session.journal();
  auto recorded = journal.recorded(space_, batch);
  std::vector<TrialOutcome> outcomes;
  if (recorded) {
    outcomes = std::move(*recorded);
    for (const TrialOutcome& outcome : outcomes) session.replayed(outcome.cost);
  } else {
    outcomes = measure_now(batch);
    for (TrialOutcome& outcome : outcomes) outcome = journal::rounded(std::move(outcome));
    journal.measured(space_, batch, outcomes);
  }
  for (const TrialOutcome& outcome : outcomes) session.measured_beside(outcome.beside);
  return outcomes;
}

bool LiveEvaluator::is_known_well(const TrialOutcome& outcome, double best) const {
  if (outcome.failed) return true;
  const auto cost = [&](const CallSample& sample) { return cost_of(sample, goal_); };
  return outcome.samples.size() >= 2 &&
         cost(std::ranges::min(outcome.samples, {}, cost)) > hopeless * best;
}

std::vector<TrialOutcome> LiveEvaluator::measure_now(const Batch& batch) {
  std::vector<TrialOutcome> outcomes(batch.trials.size());
  admit(batch, outcomes);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (!outcomes[i].failed) warm_up(batch.trials[i], outcomes[i]);
  has_last_word_ |= batch.to_the_end;
  const bool has_paused =
      loaded_at_ ? Clock::now() - *loaded_at_ >= pause_of_clocks : has_last_word_;
  if (has_paused) load_again(batch, outcomes, has_last_word_ ? full_load : load_of_clocks);

  const double beside = sample_rounds(batch, outcomes);
  for (TrialOutcome& outcome : outcomes) outcome.beside = beside;
  return outcomes;
}

// Returns the processors that others had at the most in the rounds that count.
double LiveEvaluator::sample_rounds(const Batch& batch, std::vector<TrialOutcome>& outcomes) {
  const unsigned seed = context_.session.next_seed();
  std::vector<std::size_t> in;
  std::vector<std::size_t> good(outcomes.size(), 0);  // samples of each that count
  RoundCalls calls;
  calls.sample = [&](int round) {
    in.clear();
    // In the last word the first trial is the plan, and no lucky sample leaves out another.
    double best = best_cost_;
    if (has_last_word_)
      for (const CallSample& of_plan : outcomes.front().samples)
        best = std::max(best, cost_of(of_plan, goal_));
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (!is_known_well(outcomes[i], best)) in.push_back(i);
    for (const std::size_t place : order_of_round(in.size(), round, seed))
      sample(batch.trials[in[place]], outcomes[in[place]]);
  };
  calls.keep = [&] {
    for (std::size_t i = 0; i < outcomes.size(); ++i) good[i] = outcomes[i].samples.size();
  };
  calls.go_back = [&] {
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].samples.resize(good[i]);
    load_again(batch, outcomes, full_load);
  };
  const RoundsMade made =
      make_rounds(context_.session.quiet(), batch.rounds, batch.to_the_end, calls);
  outcomes.front().cost += made.waited;  // the search's budget is of costs
  return made.beside;
}

// Samples before and after a pause must have the same clocks. So the first trials that can run keep
// both sides busy for a moment; their times are not used.
void LiveEvaluator::load_again(const Batch& batch, const std::vector<TrialOutcome>& outcomes,
                               Clock::duration load) {
  const Clock::time_point now = Clock::now();
  while (Clock::now() - now < load) {
    bool has_run = false;
    for (std::size_t i = 0; i < outcomes.size() && Clock::now() - now < load; ++i)
      if (!outcomes[i].failed && !is_on_device(batch.trials[i].sides))
        has_run |= call(batch.trials[i], plan(batch.trials[i]), 1).has_value();
    if (!has_run) return;
  }
}

// No kernel is run here that a child process has not run before.
void LiveEvaluator::admit(const Batch& batch, std::vector<TrialOutcome>& outcomes) {
  std::vector<KernelParams> kernels;
  std::vector<std::size_t> places;
  std::vector<KernelParams> first;
  for (std::size_t i = 0; i < batch.trials.size(); ++i) {
    if (batch.trials[i].sides == Sides::cpu) continue;
    const KernelParams& kernel = kernel_of(batch.trials[i]);
    // If the share rounds to nothing, it is no hybrid.
    outcomes[i].failed = plan(batch.trials[i]).strategy == Strategy::cpu;
    if (outcomes[i].failed || std::ranges::find(kernels, kernel) != kernels.end()) continue;
    kernels.push_back(kernel);
    places.push_back(i);
  }
  const Shape shape{problem_.m, problem_.n, problem_.k};
  const auto known =
      context_.kernels.try_unknown(kernels, tuning_case(), shape, space_.sharings.front());
  for (std::size_t j = 0; j < kernels.size(); ++j) {
    outcomes[places[j]].cost += known[j].seconds;
    if (known[j].usable && std::ranges::find(ran_, kernels[j]) == ran_.end())
      first.push_back(kernels[j]);
    if (known[j].usable) continue;
    for (std::size_t i = 0; i < batch.trials.size(); ++i)
      if (batch.trials[i].sides != Sides::cpu && kernel_of(batch.trials[i]) == kernels[j])
        outcomes[i].failed = true;
  }
  context_.session.journal().measuring(first);
}

// Runs on the device itself. The engine would recover on the CPU and set the device aside.
void LiveEvaluator::first_run(const Plan& plan) {
  const GemmProblem part = partition(problem_, plan.axis, plan.gpu_extent).gpu;
  const SharingMode result = plan.axis == Axis::rows ? plan.sharing : SharingMode::staged;
  const auto run = [&] {
    context_.engine.gpu()->submit(part, plan.kernel, Sharing{plan.sharing, result}).wait();
  };
  try {
    run();
  } catch (const DeviceError& error) {
    // If memory was short, another program may have had it for a moment.
    if (cl::status_class(error.code()) != cl::StatusClass::passing_shortage) throw;
    run();
  }
  ran_.push_back(plan.kernel);
}

std::optional<CallSample> LiveEvaluator::call(const Trial& trial, const Plan& plan, int repeats) {
  if (is_on_device(trial.sides)) return on_device_->sample(plan.kernel, trial.sides, repeats);
  return sampled_call(context_.engine, problem_, plan, repeats);
}

void LiveEvaluator::warm_up(const Trial& trial, TrialOutcome& outcome) {
  if (ready_.contains(trial)) return;
  const Stopwatch watch;
  const Plan plan = this->plan(trial);
  if (is_on_device(trial.sides) && !bring_operands()) {
    outcome.failed = true;
    outcome.cost += watch.seconds();
    return;
  }
  if (trial.sides != Sides::cpu && std::ranges::find(ran_, plan.kernel) == ran_.end()) {
    try {
      first_run(plan);
    } catch (const DeviceError& e) {
      // Two failures in a row mean that the device is gone.
      if (++failures_ > 1)
        throw Error(std::string("the device fails: ") + e.what() +
                    "; run \"duoblas tune\" again: it goes on from here");
      context_.kernels.reject(plan.kernel, tuning_case(), e.what());
      outcome.failed = true;
      outcome.cost += watch.seconds();
      return;
    }
    failures_ = 0;
  }
  // A first run may have loaded the program, so its time is not that of a call. If calls are known
  // to be long, that run was the warm-up.
  int repeats = 1;
  if (std::isinf(best_seconds_) || best_seconds_ < long_call_seconds) {
    const auto call = this->call(trial, plan, 1);
    if (!call) return lose(trial, outcome);
    repeats = static_cast<int>(
        std::clamp(least_sample_seconds / call->whole, 1.0, static_cast<double>(most_repeats)));
  }
  ready_[trial] = repeats;
  outcome.cost += watch.seconds();
}

bool LiveEvaluator::bring_operands() {
  try {
    if (!has_no_room_ && !on_device_) on_device_.emplace(context_.engine, problem_);
  } catch (const DeviceError&) {
    has_no_room_ = true;
  }
  return !has_no_room_;
}

// If there is no room for the operands, the search goes on without times on the device. If the
// device is gone, whole calls fail too.
void LiveEvaluator::lose(const Trial& trial, TrialOutcome& outcome) {
  if (!is_on_device(trial.sides)) lose_device(kernel_of(trial));
  has_no_room_ = outcome.failed = true;
  on_device_.reset();
}

void LiveEvaluator::lose_device(const KernelParams& kernel) {
  context_.kernels.reject(kernel, tuning_case(), "it failed in a whole call");
  throw Error("the device failed while a kernel ran that had run before (" + describe(kernel) +
              "); run \"duoblas tune\" again: it goes on from here, without that kernel");
}

void LiveEvaluator::sample(const Trial& trial, TrialOutcome& outcome) {
  const Stopwatch watch;
  const Plan plan = this->plan(trial);
  const int repeats = ready_.at(trial);
  const auto call = energy_ ? metered_call(context_.engine, problem_, plan, repeats, *energy_)
                            : this->call(trial, plan, repeats);
  outcome.cost += watch.seconds();
  loaded_at_ = Clock::now();
  if (!call) return lose(trial, outcome);
  outcome.samples.push_back(*call);
  if (is_on_device(trial.sides)) return;  // no whole call
  best_cost_ = std::min(best_cost_, cost_of(*call, goal_));
  best_seconds_ = std::min(best_seconds_, call->whole);
}

}  // namespace duoblas
