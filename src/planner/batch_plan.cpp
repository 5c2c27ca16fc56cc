#include "planner/batch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/plan_choice.hpp"

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

// If rounding leaves one side nothing, the other one gets all.
void round_to_products(BatchPlan& plan, const BatchProblem& batch, double part,
                       const PlanMachine& machine) {
  const std::int64_t count = batch.count();
  const std::int64_t rows =
      count <= few && batch.largest()->shape.m >= 4 * rows_of_one ? rows_of_one : 1;
  plan.partition = batch_partition(batch, part, rows);
  if (plan.partition.products >= count) {
    plan.partition = whole(batch);
    plan.plan.strategy = Strategy::gpu;
    plan.plan.forecast.reset();
  } else if (plan.partition.products == 0 && plan.partition.rows == 0) {
    plan.plan = cpu_plan(machine.cpu_all_for(batch.precision), Reason::share_below_tile);
  }
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

// An sgemm of 512 takes 8 us on an H200 and milliseconds on two cores: for neither does a launch of
// its own cost much.
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
  PlanRequest exact = request;
  exact.math = MathMode::exact;
  const GemmProblem all = stacked(batch, copies(machine.sharing));
  Plan plan = make_plan(all, machine, exact, learned);
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
  round_to_products(result, batch, part, machine);
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
