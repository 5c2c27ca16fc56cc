#include "planner/batch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "planner/plan_choice.hpp"
#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// With so few products half of one is more than a hundredth of the batch.
constexpr std::int64_t few = 50;
// The rows of a shared product are multiples of this: whole tiles of most kernels.
constexpr std::int64_t rows_of_one = 16;

std::int64_t extent(double value) {
  return static_cast<std::int64_t>(
      std::clamp(std::round(value), 1.0, static_cast<double>(std::numeric_limits<int>::max())));
}

BatchPartition whole(const BatchProblem& batch) {
  return {batch.count(), 0};
}

// The part of a batch's work that the GPU has.
double part_of_work(const BatchProblem& batch, const BatchPartition& at) {
  return flops(partition(batch, at).gpu) / flops(batch);
}

// The forecast of a split at `part` of the work becomes that of another split. Times go with work.
void move_forecast(Forecast& forecast, double part, double to) {
  const auto move = [&](Timed side, double times) {
    forecast.modelled[place_of(side)] *= times;
    forecast.log_parts[place_of(side)] += std::log(times);
  };
  move(Timed::gpu_side, to / part);
  move(Timed::cpu_side, (1 - to) / (1 - part));
}

double split_seconds(const Forecast& forecast, const LearnedTimes& learned) {
  const auto seconds = [&](Timed side) {
    return forecast.modelled[place_of(side)] * std::exp(learned.of(side).mean);
  };
  return std::max(seconds(Timed::gpu_side), seconds(Timed::cpu_side));
}

// A batch of which rounding leaves one side nothing shows nothing of that side. So it has one
// product now and then. Nothing: not now.
std::optional<Forecast> least_split_if_due(const BatchPlan& plan, const BatchProblem& batch,
                                           double part, const BatchPartition& least,
                                           const LearnedTimes* learned) {
  const auto& planned = plan.plan.forecast;
  if (learned == nullptr || !planned || plan.entry > 0 || batch.count() < 2) return {};
  if (!(part > 0 && part < 1)) return {};
  const double of_one = split_seconds(*planned, *learned);
  Forecast forecast = *planned;
  move_forecast(forecast, part, part_of_work(batch, least));
  const Prospect both = estimate_of_both(*learned, split_seconds(forecast, *learned));
  if (!is_try_due(both, of_one, budget_of(learned->allowance))) return {};
  forecast.explores = true;
  forecast.best = 2 * part > 1 ? Timed::gpu_alone : Timed::cpu_all;
  forecast.best_seconds = of_one;
  return forecast;
}

// All on the side that has the work, with its forecast.
void leave_to_one_side(BatchPlan& plan, const BatchProblem& batch, const PlanMachine& machine) {
  std::optional<Forecast>& forecast = plan.plan.forecast;
  if (plan.partition.products > 0) {
    plan.partition = whole(batch);
    plan.plan.strategy = Strategy::gpu;
    if (forecast) forecast = forecast_on_gpu(stacked(batch, copies(machine.sharing)), machine);
    return;
  }
  plan.entry = 0;
  if (forecast) {
    forecast->modelled[place_of(Timed::gpu_side)] = forecast->modelled[place_of(Timed::cpu_side)] =
        0;
    forecast->explores = false;
  }
  Plan on_cpu = cpu_plan(machine.cpu_all_for(batch.precision), Reason::share_below_tile);
  on_cpu.forecast = std::move(forecast);
  plan.plan = std::move(on_cpu);
}

// If rounding leaves one side nothing, the other one gets all.
void round_to_products(BatchPlan& plan, const BatchProblem& batch, double part,
                       const PlanMachine& machine, const LearnedTimes* learned) {
  const std::int64_t count = batch.count();
  const std::int64_t rows =
      count <= few && batch.largest()->shape.m >= 4 * rows_of_one ? rows_of_one : 1;
  plan.partition = batch_partition(batch, part, rows);
  const bool is_all = plan.partition.products >= count;
  if (!is_all && (plan.partition.products > 0 || plan.partition.rows > 0)) return;
  const BatchPartition least{is_all ? count - 1 : 1, 0};
  if (auto forecast = least_split_if_due(plan, batch, part, least, learned)) {
    plan.partition = least;
    plan.plan.forecast = std::move(forecast);
    plan.plan.reason = Reason::finding_out;
    return;
  }
  leave_to_one_side(plan, batch, machine);
}

BatchPlan forced_plan(const BatchProblem& batch, Plan&& plan, Share split) {
  BatchPlan forced;
  const std::int64_t count = batch.count();
  forced.partition.products = forced_gpu_extent(count, split);
  forced.plan = std::move(plan);
  forced.plan.share = split;
  forced.plan.strategy = forced.partition.products == count ? Strategy::gpu : Strategy::hybrid;
  return forced;
}

}  // namespace

// An sgemm of 512 takes 8 us on a large GPU and milliseconds on two cores: for neither does a
// launch of its own cost much.
bool are_better_alone(const GemmProblem& shape) {
  return !shape.only_scales_c() && flops(shape) >= 2.0 * 512 * 512 * 512;
}

GemmProblem stacked(const BatchProblem& batch, bool copied) {
  GemmProblem all = batch.largest()->shape;
  const double products = flops(batch) / std::max(1.0, flops(all));
  if (copied) {
    all.m = extent(static_cast<double>(all.m) * products);
  } else {
    const double work = products * static_cast<double>(all.m) * static_cast<double>(all.n) *
                        static_cast<double>(all.k);
    all.m = all.n = all.k = extent(std::cbrt(work));
  }
  // A product for estimates only: it lies nowhere in memory.
  all.lda = stored_cols_a(all);
  all.ldb = stored_cols_b(all);
  all.ldc = all.n;
  return all;
}

BatchPlan make_batch_plan(const BatchProblem& batch, const PlanMachine& machine,
                          const PlanRequest& request, const LearnedTimes* learned) {
  const GemmProblem all = stacked(batch, copies(machine.sharing));
  if (machine.device.multiplies_by_integers(batch.precision))
    return {cpu_plan(machine.cpu_all_for(batch.precision), Reason::no_double_precision), {}, 0};
  Plan plan = make_plan(all, machine, request.in_exact_arithmetic(), learned);
  if (plan.strategy == Strategy::cpu) return {std::move(plan), {}, 0};
  plan.sharing = machine.sharing;
  if (request.forces_split()) return forced_plan(batch, std::move(plan), *request.split);
  const double rows = static_cast<double>(plan.entry_rows > 0 ? plan.entry_rows : all.m);
  const double in_entry = rows / static_cast<double>(all.m);
  const double whole_extent = plan.axis == Axis::rows ? rows : static_cast<double>(all.n);
  const double part = in_entry * static_cast<double>(plan.gpu_extent) / whole_extent;
  BatchPlan result{std::move(plan), {}, 0};
  if (result.plan.entry_rows > 0) {
    const double products = in_entry * static_cast<double>(batch.count());
    result.entry = std::clamp<std::int64_t>(std::llround(products), 1, batch.count());
  }
  const bool is_entry = result.entry > 0 && result.entry < batch.count();
  if (!is_entry) {
    result.entry = 0;
    result.plan.entry_rows = 0;
  }
  if (result.plan.strategy == Strategy::gpu && !is_entry) {
    result.partition = whole(batch);
    return result;
  }
  round_to_products(result, batch, part, machine, learned);
  if (is_entry && result.uses_gpu()) {
    // Limited to the entry's products, and rounded in the same manner.
    result.partition.products = std::min(result.partition.products, result.entry);
    if (result.partition.products == result.entry) {
      result.partition.rows = 0;
      result.plan.strategy = Strategy::gpu;
    }
  }
  return result;
}

}  // namespace duoblas
