#include "cli/bench/measurement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "cli/json_file.hpp"
#include "power/energy_meter.hpp"
#include "tuner/energy_recorder.hpp"
#include "tuner/gemv_comparison.hpp"
#include "tuner/machine_bandwidth.hpp"
#include "tuner/tune.hpp"

namespace duoblas::cli {
namespace {

double work(const ComparisonProblem& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// The largest problem of each precision, with its first ops: what is looked at closely.
std::vector<ComparisonProblem> close_looks(const std::vector<ComparisonProblem>& problems) {
  std::vector<ComparisonProblem> largest;
  for (const ComparisonProblem& p : problems) {
    const auto known = std::ranges::find(largest, p.precision, &ComparisonProblem::precision);
    if (known == largest.end()) {
      largest.push_back(p);
    } else if (work(p) > work(*known)) {
      *known = p;
    }
  }
  return largest;
}

// The peaks for the real types of these problems, in their order.
std::vector<MachinePeak> peaks_for(Engine& engine, const std::vector<ComparisonProblem>& problems) {
  std::vector<MachinePeak> peaks;
  for (const ComparisonProblem& p : problems) {
    if (p.routine != "gemm") continue;
    const Precision real = is_double(p.precision) ? Precision::d : Precision::s;
    if (std::ranges::find(peaks, real, &MachinePeak::precision) == peaks.end())
      peaks.push_back(measure_peak(engine, real));
  }
  return peaks;
}

bool is_gemm(const ComparisonProblem& p) {
  return p.routine == "gemm";
}

std::string tuning_case(const ComparisonProblem& p) {
  if (!is_gemm(p)) return gemv_case_text(p);
  return tuning_case_text(p.precision, p.op_a, p.op_b, {p.m, p.n, p.k});
}

// Sensors that run from here on.
class Power {
 public:
  Power() : meter_(power::best_sensors(power::find_power_sources())), recorder_(meter_) {}
  void describe(BenchRecord& record) const {
    record.sources = recorder_.sources();
    record.energy_sum = recorder_.sum();
  }
  /// Null where no domain has a sensor: then there is nothing to work for.
  EnergyRecorder* recorder() { return recorder_.sum().empty() ? nullptr : &recorder_; }

 private:
  power::EnergyMeter meter_;
  EnergyRecorder recorder_;
};

}  // namespace

BenchRecord measure(Engine& engine, const BenchRequest& request, const OnProblem& on_problem) {
  BenchRecord record;
  record.context = context_json(engine);
  record.context["seed"] = request.strategies.seed;
  std::optional<Power> power;
  ComparisonOptions options = request.strategies;
  if (request.power) {
    power.emplace();
    power->describe(record);
    options.energy = power->recorder();
  }
  record.peaks = peaks_for(engine, request.problems);
  if (!std::ranges::all_of(request.problems, is_gemm)) record.memory = measure_memory_rates(engine);
  std::optional<TransferMeter> transfers;
  if (request.transfers) transfers.emplace(engine);
  const auto profile_of = [&](const ComparisonProblem& problem) {
    return engine.machine().tuned(problem.precision).profile.value_or(Profile{});
  };
  for (const ComparisonProblem& problem : request.problems) {
    const Profile profile = profile_of(problem);
    const ProblemRows rows = is_gemm(problem) ? compare(engine, {problem}, profile, options)
                                              : compare_gemv(engine, problem, options);
    if (rows.empty())
      throw Error(
          "every strategy that was asked for needs a GPU, and there is none: \"duoblas "
          "doctor\" says why; --strategy cpu measures the CPU");
    record.rows.insert(record.rows.end(), rows.begin(), rows.end());
    if (transfers) record.transfers.push_back(transfers->measure(problem, profile, options));
    on_problem(record, rows);
  }

  const auto closer = close_looks(request.problems);
  if (options.energy != nullptr)
    for (const PowerTrace& trace : options.energy->traces())
      if (std::ranges::find(closer, trace.problem, tuning_case) != closer.end())
        record.traces.push_back(trace);
  if (request.splits && engine.gpu() != nullptr) {
    Engine timed(split_curve_settings(engine.settings()));
    for (const ComparisonProblem& problem : closer) {
      if (!is_gemm(problem)) continue;
      SplitCurve curve =
          measure_split_curve(timed, problem, profile_of(problem), request.split_rules);
      if (!curve.samples.empty()) record.splits.push_back(std::move(curve));
    }
  }
  return record;
}

void require_right_results(const BenchRecord& record) {
  for (const ComparisonRow& row : record.rows)
    if (!(row.error < 1)) throw Error(row.strategy + " computed a wrong result");
  for (const TransferTimes& times : record.transfers)
    for (const TransferMode& mode : times.modes)
      if (!(mode.error < 1)) throw Error("what came back by " + mode.mode + " is a wrong result");
}

}  // namespace duoblas::cli
