#include "tuner/tune.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "problem/op_letter.hpp"
#include "tuner/call_energy.hpp"
#include "tuner/cpu_choice.hpp"
#include "tuner/crossover.hpp"
#include "tuner/final_choice.hpp"
#include "tuner/kernel_trial_options.hpp"
#include "tuner/last_round.hpp"
#include "tuner/machine_bandwidth.hpp"
#include "tuner/transfer.hpp"
#include "tuner/tuned_beside.hpp"
#include "tuner/tuning_cases.hpp"
#include "tuner/tuning_identity.hpp"
#include "tuner/updates.hpp"
#include "tuner/use_kernels.hpp"

namespace duoblas {
namespace {

constexpr int coarse_parts = 16;
// If the GPU's share of the anchor is at least this, the CPU's configuration hardly matters there.
constexpr double most_told_by_anchor = 0.75;
constexpr double crossover_seconds = 2.5;
constexpr double updates_seconds = 1;
// Of the budget, for the last round.
constexpr double last_part = 0.06;
// Kernels of a point that come in there, those of its plans first.
constexpr std::size_t last_kernels = 4;
// The search's part of a tuning case's time; the final comparison takes the rest.
constexpr double search_part = 0.6;
constexpr double anchor_search_part = 0.85;
// The part of a case's last stage for uses beside whole calls.
constexpr double uses_part = 0.25;
constexpr double least_kernels = 2;
// The longest call that is allowed: n = 4096 at 400 GFLOPS, or slowest_call times a larger budget.
constexpr double slowest_call_seconds = 0.35;
constexpr double slowest_call = 0.002;
constexpr double least_calls = 15;  // with fewer, a tuning case is not tuned
// A result is noisy if the relative spread of the winner's times exceeds this.
constexpr double noisy = 0.15;

double work(const Shape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

class Tuning {
 public:
  Tuning(TuneContext& context, const TuneRequest& request) : context_(context), request_(request) {}

  Profile tune() {
    choose_cpus(context_, request_);
    cpus_beside_ = beside_.seen().value_or(false);
    cases_ = CaseQueue(possible_cases());
    tune_cases();
    if (profile_.points.empty()) throw DeviceError(failure_);
    // Where the device is lost, or memory is short, what was tuned is worth keeping.
    const auto if_possible = [](auto&& measure) {
      try {
        measure();
      } catch (const Error&) {
      }
    };
    // It compares times.
    if (request_.goal == Goal::throughput) if_possible([&] { measure_main_points_again(); });
    if (request_.measure_crossover) measure_crossovers();
    if (request_.measure_crossover) if_possible([&] { measure_all_updates(); });
    return finished();
  }

 private:
  std::vector<TuneCase> possible_cases() const {
    auto tuning_cases = tuning_cases_of(request_);
    std::erase_if(tuning_cases, [this](const TuneCase& s) {
      return !context_.machine.device.multiplies(s.kernel.precision);
    });
    if (tuning_cases.empty()) throw DeviceError("the device has no double precision");
    return tuning_cases;
  }

  // Of the budget, for the last round. Where others work now and then, it waits for a quiet moment.
  double last_seconds() const {
    const Quiet& quiet = context_.session.quiet();
    const double part = last_part * request_.budget_seconds;
    return quiet.has_seen_others() && !quiet.is_steady() ? std::max(part, quiet.patience()) : part;
  }

  // The same for what follows.
  double crossovers_seconds() const {
    if (!request_.measure_crossover) return 0;
    return std::min(
        (crossover_seconds + updates_seconds) * static_cast<double>(request_.precisions.size()),
        0.1 * request_.budget_seconds);
  }

  double reserved_seconds() const { return last_seconds() + crossovers_seconds(); }

  // Anchors come first. Each case has a part of the time that is left, by its weight.
  void tune_cases() {
    for (unsigned number = 0; !cases_.is_empty() || is_quiet_at_last(); ++number) {
      if (cases_.is_past_anchors()) leave_out_slow();
      if (cases_.is_empty()) continue;
      const double left = std::max(context_.session.seconds_left() - reserved_seconds(), 0.0);
      const double slice = left * cases_.next_part();
      const TuneCase tuning_case = cases_.take();
      if (!failed_.contains(tuning_case.kernel.text()) && affordable(tuning_case, slice))
        tune_case(tuning_case, slice, seed_of(number));
      if (!context_.session.journal().replays()) note_clock(profile_.steadiness, processor_mhz());
      const auto beside = beside_.note(tuning_case_text(tuning_case));
      if (beside && (*beside || cpus_beside_)) cases_.was_beside(tuning_case);
      if (beside && !*beside) bring_back();
    }
  }

  // The other work has ended.
  void bring_back() {
    if (cases_.beside().empty()) return;
    cases_.bring_back();
    if (std::exchange(cpus_beside_, false)) choose_cpus(context_, request_);
  }

  // After the last case: whether those beside other work come again, without it.
  bool is_quiet_at_last() {
    if (cases_.beside().empty()) return false;
    const Journal& journal = context_.session.journal();
    const std::string next = journal.next_case().value_or("");
    const bool was_quiet = next.starts_with(core_types_title) ||
                           std::ranges::any_of(cases_.beside(), [&](const TuneCase& s) {
                             return tuning_case_text(s) == next;
                           });
    const bool is_quiet = journal.replays()
                              ? was_quiet
                              : context_.session.seconds_left() > reserved_seconds() &&
                                    context_.session.quiet().wait();
    if (is_quiet) bring_back();
    return is_quiet;
  }

  void measure_main_points_again() {
    const double seconds =
        std::max(context_.session.seconds_left() - crossovers_seconds(), last_seconds());
    const Clock::time_point end = in_seconds(seconds);
    context_.session.quiet().may_wait(seconds);
    for (const std::size_t place : main_points(profile_)) {
      TunedPoint& point = profile_.points[place];
      const std::string text = tuning_case_text(case_of(point));
      const auto held =
          measured_again(context_, point,
                         kernels_learnt_at({point.precision, point.op_a, point.op_b},
                                           {point.m, point.n, point.k}, learnt_, last_kernels),
                         end);
      if (!held) continue;
      if (place == 0) profile_.steadiness.cpu = held->cpu;
      if (place == 0) profile_.steadiness.gpu = held->gpu;
      // What was tuned without others is not changed for what is seen beside them.
      const bool was_beside = beside_.contains(text);
      if (beside_.note(text).value_or(false) && !was_beside) continue;
      point = held->point;
      if (!held->holds) doubts_.not_held.push_back(text);
    }
  }

  static TuneCase case_of(const TunedPoint& p) {
    return {{p.precision, p.op_a, p.op_b}, {p.m, p.n, p.k}};
  }
  unsigned seed_of(unsigned number) const { return request_.seed + 1000 * (number + 1); }

  // Expected seconds, scaled from the first tuned point of this type; 0: there is none.
  double call_seconds(const TuneCase& tuning_case) const {
    const auto same_type = [&](const TunedPoint& p) {
      return p.precision == tuning_case.kernel.precision;
    };
    const auto point = std::ranges::find_if(profile_.points, same_type);
    if (point == profile_.points.end()) return 0;
    return point->gpu.seconds * work(tuning_case.shape) / work({point->m, point->n, point->k});
  }

  // Removes the large ones of the usual shapes on slow machines: one would take the time of many
  // others.
  void leave_out_slow() {
    if (request_.shapes != usual_shapes()) return;
    const double most = std::max(slowest_call_seconds, slowest_call * request_.budget_seconds);
    cases_.leave_out([&](const TuneCase& tuning_case) { return call_seconds(tuning_case) > most; });
  }

  double least_sample_seconds() const {
    return context_.energy ? context_.energy->sample_seconds() : 0;
  }

  // A tuning case without a single tuned point of its type is tuned whatever it costs.
  bool affordable(const TuneCase& tuning_case, double slice) const {
    const double call = call_seconds(tuning_case);
    if (call <= 0) return true;
    const Journal& journal = context_.session.journal();
    if (journal.replays()) return journal.next_case() == tuning_case_text(tuning_case);
    return least_calls * std::max(call, least_sample_seconds()) < slice;
  }

  // A tuning case that is no anchor tries at most 8 kernels, those that won elsewhere first. Half
  // of its time may go to builds.
  int most_kernels(const TuneCase& tuning_case, double seconds) const {
    if (tuning_case.anchor) return request_.max_kernels;
    const double builds = 0.5 * seconds / context_.kernels.mean_seconds();
    const auto few = static_cast<int>(std::clamp(least_kernels + builds, least_kernels, 8.0));
    return std::min(request_.max_kernels, few);
  }

  SearchTask task(const TuneCase& tuning_case, const journal::Case& limits, double part,
                  unsigned seed) const {
    const PlanMachine& machine = context_.machine;
    SearchTask task;
    SearchSpace& space = task.space;
    space.kernels = seeded_kernels(tuning_case.kernel, tuning_case.shape, machine.device, learnt_,
                                   static_cast<std::size_t>(limits.kernels), request_.fixed);
    // Zero-copy may be slower than copies. Anchors measure both; the others take their choice.
    space.sharings = {tuning_case.anchor ? machine.sharing
                                         : seeded_sharing(tuning_case.kernel, tuning_case.shape,
                                                          learnt_, machine.sharing)};
    space.cpus = {machine.cpu_for(tuning_case.kernel.precision)};
    if (tuning_case.anchor) {
      if (machine.sharing != SharingMode::staged) space.sharings.push_back(SharingMode::staged);
      space.cpus = layouts(context_, space.cpus.front());
    }
    space.parts = coarse_parts;
    space.first_parts = seeded_share(tuning_case.kernel, tuning_case.shape, learnt_, coarse_parts);
    task.budget_seconds = part * limits.budget_seconds;
    task.seed = seed;
    task.goal = request_.goal;
    task.least_sample_seconds = least_sample_seconds();
    return task;
  }

  void tune_case(const TuneCase& tuning_case, double slice, unsigned seed) {
    const std::string text = tuning_case_text(tuning_case);
    try {
      const double begun = context_.session.spent();
      const journal::Case limits =
          context_.session.journal().begin_case({text, slice, most_kernels(tuning_case, slice)});
      const double part = tuning_case.anchor ? anchor_search_part : search_part;
      const SearchTask search = task(tuning_case, limits, part, seed);
      MeasuredProblem problem(row_major_call(tuning_case.kernel.precision, tuning_case.kernel.op_a,
                                             tuning_case.kernel.op_b, tuning_case.shape.m,
                                             tuning_case.shape.n, tuning_case.shape.k),
                              seed);
      LiveEvaluator evaluator(context_, problem, search.space);
      if (context_.energy) evaluator.judge_by(request_.goal, *context_.energy);
      context_.session.new_case();
      context_.session.begin(TunePhase::search, text, 0);
      const auto strategy = make_search(request_.search, search);
      int told = 0;
      const auto found = run_search(*strategy, evaluator, search, [&](const SearchResult& now) {
        const double best =
            now.ranked.empty() ? 0 : score(now.ranked.front().samples, Goal::throughput);
        context_.session.step(best > 0 ? flops(problem.problem()) / best * 1e-9 : 0,
                              now.trials - told);
        told = now.trials;
      });
      context_.session.begin(TunePhase::final_comparison, text, 1);
      const double left = limits.budget_seconds - (context_.session.spent() - begun);
      FinalChoice decision =
          decide(context_, problem, evaluator, found,
                 {request_.goal, request_.joules_of, std::max((1 - uses_part) * left, 0.0)});
      tune_uses(context_, evaluator, found, uses_part * left, decision);
      adopt(tuning_case, decision);
    } catch (const DeviceError& e) {
      // What was tuned before is worth keeping: planning falls back on it.
      failure_ = e.what();
      failed_.insert(tuning_case.kernel.text());
      context_.session.listener().rejected(tuning_case.kernel.text(), failure_);
    }
  }

  void adopt(const TuneCase& tuning_case, const FinalChoice& decision) {
    if (tuning_case.anchor) choose_hybrid_cpu(tuning_case.kernel.precision, decision);
    const TunedChoice& hybrid = decision.point.hybrid;
    const std::string text = tuning_case_text(tuning_case);
    // It may have been tuned before, beside other work.
    const auto is_it = [&](const auto& of) { return tuning_case_text(of) == text; };
    std::erase_if(learnt_, [&](const Learnt& l) {
      return is_it(TuneCase{l.tuning_case, l.shape});
    });
    learnt_.push_back({tuning_case.kernel, tuning_case.shape, decision.kernels,
                       hybrid.share.fraction(), hybrid.sharing});
    const auto before = std::ranges::find_if(
        profile_.points, [&](const TunedPoint& p) { return is_it(case_of(p)); });
    if (before == profile_.points.end())
      profile_.points.push_back(decision.point);
    else
      *before = decision.point;
    undecided_.erase(text);
    if (!decision.decided || decision.point.noise > noisy) undecided_.insert(text);
    context_.session.listener().tuned(decision.point);
  }

  // If the GPU does nearly all of the anchor, its times cannot rank configurations of the CPU. So
  // these are timed beside a busy GPU. (Two tunings of a machine had chosen differently, and with
  // one of the choices calls at thin shapes took a tenth longer.)
  void choose_hybrid_cpu(Precision precision, const FinalChoice& decision) {
    CpuConfig& cpu = context_.machine.cpu[precision_index(precision)];
    const TunedChoice& choice = decision.point.hybrid;
    cpu = choice.share.fraction() < most_told_by_anchor
              ? decision.cpu
              : fastest_beside_gpu(context_, layouts(context_, cpu), precision, choice);
  }

  void measure_crossovers() {
    for (const Precision precision : request_.precisions)
      if (has_points(precision))
        profile_.crossover_flops[precision_index(precision)] =
            measure_crossover(context_, profile_, precision);
  }

  void measure_all_updates() {
    for (const Precision precision : request_.precisions)
      if (has_points(precision))
        profile_.updates[precision_index(precision)] =
            measure_updates(context_, profile_, precision);
  }

  bool has_points(Precision precision) const {
    return std::ranges::any_of(profile_.points,
                               [&](const TunedPoint& p) { return p.precision == precision; });
  }

  Profile finished() {
    const Arithmetic arithmetic = arithmetic_of(context_.engine, request_);
    profile_.key = context_.engine.facts().profile_key(arithmetic);
    profile_.origin = context_.engine.facts().profile_origin();
    profile_.cpu = context_.machine.cpu;
    profile_.cpu_all = context_.machine.cpu_all;
    profile_.created = now_text();
    if (!undecided_.empty())
      profile_.note = "at " + std::to_string(undecided_.size()) + " of " +
                      std::to_string(profile_.points.size()) +
                      " shapes the machine was too noisy to tell the best from the next";
    doubts_.beside = beside_.count();
    doubts_.others = beside_.others();
    doubts_.processors = context_.session.quiet().processors();
    if (!request_.as_is) profile_.doubt = doubt_text(doubts_, profile_.points.size());
    return profile_;
  }

  TuneContext& context_;
  const TuneRequest& request_;
  Profile profile_;
  std::vector<Learnt> learnt_;
  std::set<std::string> failed_;
  std::string failure_ = "the budget was too short for a single shape: give --budget more seconds";
  std::set<std::string> undecided_;
  CaseQueue cases_;
  TunedBeside beside_{context_.session};
  bool cpus_beside_ = false;
  Doubts doubts_;
};

}  // namespace

std::string tuning_case_text(Precision precision, Op op_a, Op op_b, const Shape& shape) {
  return std::string(1, letter(precision)) + "gemm " + letter(op_a) + letter(op_b) + " " +
         std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
         std::to_string(shape.k);
}

Profile tune(Engine& engine, const TuneRequest& request, Journal& journal, TuneListener& listener,
             CallEnergy* energy) {
  require_sense(request, energy != nullptr);
  if (engine.gpu() == nullptr)
    throw DeviceError("nothing to tune: " + engine.facts().gpu_problem());
  Session session(request, journal, listener);
  journal.begin(request_text(engine, request));
  KernelPool kernels(journal, listener, kernel_trial_options(engine, request));
  TuneContext context{engine, session, kernels, engine.machine(),
                      request.goal == Goal::throughput ? nullptr : energy};
  Profile profile = Tuning(context, request).tune();
  // Bandwidth is not in the journal, because measuring it is quick.
  if (request.measure_bandwidth) profile.memory = measure_memory_rates(engine);
  return profile;
}

}  // namespace duoblas
