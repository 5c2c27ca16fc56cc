#include "lapack/division.hpp"

#include <algorithm>
#include <cmath>

#include "facts/rates.hpp"
#include "planner/forecast.hpp"
#include "planner/way.hpp"

namespace duoblas {
namespace {

double share_of(const Plan& plan) {
  return static_cast<double>(plan.share.gpu_parts) / std::max(1, plan.share.parts);
}

// So many columns, or fewer if several panels are wanted.
std::int64_t several_of(std::int64_t usual, std::int64_t extent, bool insists) {
  return insists ? std::clamp<std::int64_t>(extent / 8, 8, usual) : usual;
}

// The smallest part, in columns, that is worth a launch.
constexpr std::int64_t unit = 16;

// A step's times are noisy: half of what is known is what was known before.
constexpr double weight = 0.5;

double device_cost(const Plan& plan) {
  const int gpu = plan.share.gpu_parts, cpu = plan.share.parts - gpu;
  if (plan.strategy == Strategy::gpu || cpu <= 0) return 1e-3;
  return static_cast<double>(cpu) / std::max(1, gpu);
}

}  // namespace

double counted_flops(const GemmProblem& product) {
  return 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
         static_cast<double>(product.k);
}

double panel_cost(std::int64_t rows, std::int64_t columns) {
  return rates::panel_overhead * static_cast<double>(rows) * static_cast<double>(columns * columns);
}

double u_cost(std::int64_t depth, std::int64_t columns) {
  return rates::u_overhead * static_cast<double>(depth * depth) * static_cast<double>(columns);
}

std::int64_t device_columns(const LuStep& step, const Plan& plan, bool forced) {
  const std::int64_t most = step.columns - step.next;
  if (most > 0 && forced) return std::min(most, forced_gpu_extent(step.columns, plan.share));
  return device_columns(step, StepCosts(plan));
}

std::int64_t device_columns(const LuStep& step, const StepCosts& costs) {
  const std::int64_t most = step.columns - step.next;
  if (most <= 0) return 0;
  const double rows = static_cast<double>(step.rows), next = static_cast<double>(step.next);
  const double of_column = 2 * rows * static_cast<double>(step.depth);
  const double cpu = of_column * static_cast<double>(step.columns) +
                     costs.of(StepWork::panel) * rows * next * next + step.other_flops;
  const double columns = cpu / (1 + costs.of(StepWork::device_product)) / of_column;
  const auto rounded = std::llround(columns / static_cast<double>(unit)) * unit;
  return std::clamp<std::int64_t>(rounded, 0, most);
}

LuColumns divide_columns(const LuStep& step, std::int64_t devices, const Interval& unfinished,
                         const StepCosts& costs) {
  const std::int64_t begin = step.columns - devices, own = begin - step.next;
  // A part of fewer columns than a panel has is not worth a launch.
  std::int64_t middle = begin + devices / 2 / unit * unit;
  if (middle - begin < step.depth) middle = begin;
  if (unfinished.count > 0) middle = std::max(middle, unfinished.first + unfinished.count);
  if (middle == begin) return {begin, own};
  const double of_column = 2.0 * static_cast<double>(step.rows) * static_cast<double>(step.depth);
  const auto rows_of_u = [&](std::int64_t depth, std::int64_t columns) {
    return costs.of(StepWork::rows_of_u) * static_cast<double>(depth * depth * columns);
  };
  const double before =
      rows_of_u(step.depth, unfinished.count) +
      costs.of(StepWork::panel) * static_cast<double>(step.rows * step.next * step.next) +
      of_column * static_cast<double>(step.next);
  const double behind = rows_of_u(step.next, step.columns - step.next - (middle - begin));
  const double all = before + of_column * static_cast<double>(own) + behind;
  const double first_part =
      static_cast<double>(step.columns - middle) / static_cast<double>(devices);
  const double wanted = (first_part * all - before) / of_column;
  return {middle, std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 0, own)};
}

TriangleDivision divide_triangle(const TriangleStep& step, const Plan& plan, bool forced) {
  const std::int64_t order = step.order;
  if (order < 2) return {0, order};
  if (forced) {
    // At most half of the triangle is a rectangle.
    const double share = std::min(0.5, share_of(plan));
    const double first = (1 - std::sqrt(1 - 2 * share)) / 2 * static_cast<double>(order);
    return {std::clamp<std::int64_t>(std::llround(first), share > 0 ? 1 : 0, order - 1), order};
  }
  return divide_triangle(step, StepCosts(plan), false);
}

double cholesky_panel_flops(std::int64_t rows, std::int64_t columns) {
  const auto width = static_cast<double>(columns);
  return (static_cast<double>(rows) + width / 3) * width * width;
}

TriangleDivision divide_triangle(const TriangleStep& step, const StepCosts& costs, bool is_timed) {
  constexpr int parts = 16;
  const double lines = static_cast<double>(step.order), next = static_cast<double>(step.next);
  const double device = costs.of(StepWork::device_product);
  const auto at = [&](int part) { return lines * part / parts; };
  const auto line = [&](int part) {
    return std::clamp<std::int64_t>(std::llround(at(part)), 1, step.order);
  };
  const auto triangle = [](double x) { return x * x; };
  const auto rectangle = [&](double x, double y) { return 2 * x * y * device; };
  // Flops divided by the depth.
  const double panel = 2 * lines * next + triangle(next) +
                       costs.of(StepWork::panel) * cholesky_panel_flops(step.order, step.next) /
                           static_cast<double>(step.depth);
  TriangleDivision best{0, step.order};
  double least = is_timed ? endless : panel + triangle(lines);
  const auto consider = [&](int x, int y, int z, int early) {
    const double t1 = triangle(at(y - x)), t2 = triangle(at(parts - y));
    const double t0 = triangle(at(z)) + triangle(at(x - z));
    const double beside_first = panel + (early > 0 ? t2 : 0) + (early > 1 ? t1 : 0);
    const double beside_last = (early > 0 ? 0 : t2) + (early > 1 ? 0 : t1);
    const double took = std::max(rectangle(at(x), at(parts - x)), beside_first) +
                        std::max(rectangle(at(y - x), at(parts - y)), t0) +
                        std::max(rectangle(at(z), at(x - z)), beside_last);
    if (took >= least) return;
    least = took;
    best = {line(x), y == parts ? step.order : line(y), z == 0 ? 0 : line(z), early};
  };
  for (int x = 1; x < parts; ++x)
    for (int y = x + 1; y <= parts; ++y)
      for (int z = 0; z < (is_timed ? x : 1); ++z) {
        const double flops_of_r3 = 2 * at(z) * at(x - z) * static_cast<double>(step.depth);
        if (z > 0 && flops_of_r3 < rates::least_flops_of_r3) continue;
        for (int early = 2; early >= (is_timed ? 0 : 2); --early) consider(x, y, z, early);
      }
  return best;
}

std::int64_t panel_columns(std::int64_t extent, bool insists) {
  const bool is_narrow = extent < rates::wide_panels_from;
  return several_of(is_narrow ? rates::narrow_panel_columns : rates::wide_panel_columns, extent,
                    insists);
}

std::int64_t lu_panel_columns(std::int64_t extent, int team, bool insists) {
  if (extent < rates::lu_panels_from || extent > rates::lu_panels_to ||
      team < rates::lu_panels_least_team)
    return panel_columns(extent, insists);
  return several_of(rates::lu_panel_columns, extent, insists);
}

std::int64_t cholesky_panel_columns(std::int64_t extent, bool insists) {
  if (extent < rates::wide_panels_from || extent >= rates::cholesky_panels_until)
    return panel_columns(extent, insists);
  return several_of(rates::cholesky_panel_columns, extent, insists);
}

std::int64_t resident_panel_columns(std::int64_t extent, bool insists) {
  constexpr std::int64_t usual = rates::resident_panel_columns, unit = 8;
  return insists ? std::clamp<std::int64_t>(extent / 8 / unit * unit, unit, usual) : usual;
}

std::int64_t resident_rest(std::int64_t width, bool device_makes_panels) {
  return device_makes_panels ? width - 1 : 2 * width;
}

StepCosts::StepCosts(const Plan& plan, bool adapts)
    : adapts_(adapts), expected_{device_cost(plan), 1, panel_cost(1, 1), u_cost(1, 1)} {}

void StepCosts::note(StepWork work, double flops, double seconds) {
  if (!(adapts_ && flops > 0 && seconds > 0 && std::isfinite(seconds))) return;
  double& known = seconds_[static_cast<std::size_t>(work)];
  const double now = seconds / flops;
  known = known > 0 ? weight * now + (1 - weight) * known : now;
}

void StepCosts::note_device(double flops, const SideSeconds& took) {
  constexpr StepWork work = StepWork::device_product;
  if (!took.device_at_most) return note(work, flops, took.device);
  const double product = seconds_[static_cast<std::size_t>(StepWork::product)];
  if (adapts_ && flops > 0 && took.device > 0 && took.device / flops < of(work) * product)
    seconds_[static_cast<std::size_t>(work)] = took.device / flops;
}

double StepCosts::of(StepWork work) const {
  const auto i = static_cast<std::size_t>(work);
  const double product = seconds_[static_cast<std::size_t>(StepWork::product)];
  if (product <= 0 || seconds_[i] <= 0) return expected_[i];
  // A time that is further from the plan's is no rate: somebody else had the core.
  return std::clamp(seconds_[i] / product, expected_[i] / far_slower, expected_[i] * far_slower);
}

}  // namespace duoblas
