#include "tuner/gemv_comparison.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include <duoblas/error.hpp>

#include "engine/gemv_call.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/streams/gemv_variant.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "planner/stream_plan.hpp"
#include "problem/caller_gemv.hpp"
#include "problem/op_letter.hpp"
#include "timing/median.hpp"
#include "tuner/measured_gemv.hpp"
#include "tuner/timed_rows.hpp"

namespace duoblas {
namespace {

// Shares of the hybrid are tried at sixteenths, and a call of each is timed so often.
constexpr int coarse_parts = 16, samples_of_share = 3;

CallerGemv call_of(const ComparisonProblem& p) {
  CallerGemv call;
  call.layout = p.layout;
  call.op = p.op_a;
  call.precision = p.precision;
  call.m = p.m;
  call.n = p.n;
  return call;
}

class GemvComparison {
 public:
  GemvComparison(Engine& engine, const ComparisonProblem& problem, unsigned seed)
      : engine_(engine),
        machine_(engine.machine()),
        shape_(problem),
        measured_(call_of(problem), seed) {
    build_program();
    call_.precision = problem.precision;
    call_.outputs = measured_.problem().outputs();
    call_.bytes = traffic_bytes(measured_.problem());
    if (const GpuSide* gpu = engine.gpu())
      call_.unit = outputs_of_group(measured_.problem(), gemv_kernel(*gpu, measured_.problem()));
  }

  // Nothing if the machine lacks the device or the memory for this strategy.
  std::optional<Plan> plan(const std::string& strategy) {
    const Precision precision = shape_.precision;
    if (strategy == "cpu") return cpu_plan(machine_.cpu_for(precision), Reason::as_told);
    if (strategy == "cpu_all") return cpu_plan(machine_.cpu_all_for(precision), Reason::as_told);
    if (strategy == "auto") return settled_plan();
    if (!machine_.has_gpu) return std::nullopt;
    if (strategy == "gpu") return shared_plan({1, 1});
    if (strategy == "hybrid") return shared_plan(best_share());
    if (strategy != "prepared")
      throw SettingError("strategy \"" + strategy +
                         "\" is none of gemv's: use cpu, gpu, prepared, hybrid, cpu_all or auto");
    return make_resident() ? std::optional(shared_plan({1, 1})) : std::nullopt;
  }

  ComparisonRow row(const std::string& strategy, const Plan& plan, unsigned seed) {
    ComparisonRow row;
    row.routine = "gemv";
    row.precision = shape_.precision;
    row.ops = std::string(1, letter(shape_.op_a));
    row.layout = shape_.layout == Layout::row_major ? "row" : "column";
    row.m = shape_.m;
    row.n = shape_.n;
    row.k = 1;
    row.strategy = strategy;
    if (plan.strategy != Strategy::cpu) {
      row.gpu_parts = plan.share.gpu_parts;
      row.parts = plan.share.parts;
      row.kernel = describe(gemv_kernel(*engine_.gpu(), measured_.problem()));
    }
    measured_.poison();
    engine_.run(measured_.problem(), plan, matrix(strategy == "prepared"));
    row.error = measured_.error(plan.gpu_extent, seed);
    return row;
  }

  TimedCandidate candidate(const std::string& strategy, const Plan& plan) {
    return [this, plan, prepared = strategy == "prepared"] { return seconds(plan, prepared); };
  }

  double flops() const {
    return 2.0 * static_cast<double>(shape_.m) * static_cast<double>(shape_.n) *
           (is_complex(shape_.precision) ? 4 : 1);
  }

 private:
  const ResidentMatrix* matrix(bool prepared) const { return prepared ? resident_.get() : nullptr; }

  Plan shared_plan(Share share) const { return stream_plan_at(call_, machine_, share); }

  std::optional<double> seconds(const Plan& plan, bool prepared) {
    const Outcome outcome = engine_.run(measured_.problem(), plan, matrix(prepared));
    if (outcome.recovered) return std::nullopt;
    return outcome.times.whole;
  }

  // Built before the calls: `auto` does not wait for a program.
  void build_program() {
    GpuSide* const gpu = engine_.gpu();
    if (gpu == nullptr) return;
    try {
      gpu->device()->kernels.prepare(programs_of(*gpu, measured_.problem()));
    } catch (const DeviceError&) {
      // The calls that follow fail and say why.
    }
  }

  // The plan that calls get once the engine knows their times.
  Plan settled_plan() {
    constexpr int most_calls = 16;
    Plan plan = engine_.plans().of(measured_.problem(), nullptr);
    for (int calls = 0; calls < most_calls; ++calls) {
      engine_.run(measured_.problem());
      plan = engine_.plans().of(measured_.problem(), nullptr);
    }
    for (int calls = 0; plan.reason == Reason::finding_out && calls < most_calls; ++calls) {
      engine_.run(measured_.problem());
      plan = engine_.plans().of(measured_.problem(), nullptr);
    }
    return plan;
  }

  double median_seconds(Share share) {
    const Plan plan = shared_plan(share);
    std::vector<double> samples;
    for (int i = 0; i < samples_of_share; ++i) {
      const auto took = seconds(plan, false);
      if (!took) return std::numeric_limits<double>::infinity();
      samples.push_back(*took);
    }
    return median(samples);
  }

  // Tries coarse steps, then quarters of a step around the best.
  Share best_share() {
    Share best{coarse_parts / 2, coarse_parts};
    double least = std::numeric_limits<double>::infinity();
    const auto try_share = [&](Share share) {
      if (share.gpu_parts <= 0 || share.gpu_parts >= share.parts) return;
      if (const double took = median_seconds(share); took < least) {
        least = took;
        best = share;
      }
    };
    for (int parts = 2; parts < coarse_parts; parts += 2) try_share({parts, coarse_parts});
    const int fine = best.gpu_parts * 4;
    for (const int off : {-4, -2, 2, 4}) try_share({fine + off, coarse_parts * 4});
    return best;
  }

  bool make_resident() {
    try {
      resident_ = engine_.gpu()->make_resident(measured_.a());
    } catch (const DeviceError&) {
      resident_.reset();
    }
    return resident_ != nullptr;
  }

  Engine& engine_;
  const PlanMachine& machine_;
  const ComparisonProblem& shape_;
  MeasuredGemv measured_;
  StreamCall call_;
  std::shared_ptr<const ResidentMatrix> resident_;
};

}  // namespace

const std::vector<std::string>& gemv_strategy_names() {
  static const std::vector<std::string> names = {"cpu",    "gpu",     "prepared",
                                                 "hybrid", "cpu_all", "auto"};
  return names;
}

std::vector<ComparisonRow> compare_gemv(Engine& engine, const ComparisonProblem& problem,
                                        const ComparisonOptions& options) {
  GemvComparison comparison(engine, problem, options.seed);
  std::vector<ComparisonRow> rows;
  std::vector<TimedCandidate> candidates;
  for (const std::string& strategy : options.strategies) {
    const std::optional<Plan> plan = comparison.plan(strategy);
    if (!plan) continue;
    rows.push_back(comparison.row(strategy, *plan, options.seed));
    candidates.push_back(comparison.candidate(strategy, *plan));
  }
  time_rows(candidates, options, comparison.flops(), gemv_case_text(problem), rows);
  return rows;
}

std::string gemv_case_text(const ComparisonProblem& p) {
  return std::string(1, letter(p.precision)) + "gemv " + letter(p.op_a) + " " +
         std::to_string(p.m) + " x " + std::to_string(p.n);
}

double gemv_bytes(Precision precision, std::int64_t m, std::int64_t n) {
  GemvProblem problem;
  problem.precision = precision;
  problem.rows = m;
  problem.columns = n;
  return traffic_bytes(problem);
}

}  // namespace duoblas
