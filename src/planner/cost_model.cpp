#include "planner/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "facts/rates.hpp"
#include "timing/median.hpp"

namespace duoblas {
namespace {

// At the crossover the CPU alone and the better GPU strategy take equally long. The GPU strategy's
// time beyond its rate there is overhead.
double launch_seconds(const TunedPoint& point, double crossover_flops) {
  if (crossover_flops <= 0 || point.cpu_all_seconds <= 0) return rates::launch_seconds;
  double gpu = std::numeric_limits<double>::infinity();
  for (const TunedChoice* choice : {&point.gpu, &point.hybrid})
    if (choice->seconds > 0) gpu = std::min(gpu, choice->seconds);
  const double gain = std::max(0.0, point.cpu_all_seconds - gpu);
  return std::max(gain * crossover_flops / flops(problem_of(point)), 1e-6);
}

TimeModel::Terms expected_cpu(Precision precision) {
  const double pass = static_cast<double>(element_size(precision)) / rates::stream_bytes_per_second;
  return {rates::cpu_start_seconds, 0, pass, pass, pass, rates::cpu_step_seconds, 0};
}

TimeModel::Terms expected_gpu(const TunedPoint& point, double crossover_flops) {
  const auto size = static_cast<double>(element_size(point.precision));
  const bool staged = point.gpu.sharing == SharingMode::staged;
  const double pass =
      size / (staged ? rates::copied_bytes_per_second : rates::stream_bytes_per_second);
  return {launch_seconds(point, crossover_flops), 0, pass, pass, pass, rates::gpu_step_seconds,
          size / rates::copied_bytes_per_second};
}

// A lower limit on guesses, so that timings can still correct them.
TimeModel::Terms at_least(TimeModel::Terms terms, const TimeModel::Terms& guessed) {
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = std::max(terms[i], 0.1 * guessed[i]);
  return terms;
}

void note_residual(ModelPoint& point, std::size_t time_model, double measured, double expected) {
  if (measured <= 0 || !(expected > 0) || std::isinf(expected)) return;
  point.log_residual[time_model] = std::log(measured / expected);
  point.measured[time_model] = 1;
}

double fastest_pass(const TunedPoint& point) {
  const double bytes = operand_bytes(point.precision, cpu_work(problem_of(point), {}));
  double fastest = 0;
  for (const double seconds :
       {point.cpu_all_seconds, point.cpu_seconds, point.gpu.seconds, point.hybrid.seconds})
    if (seconds > 0) fastest = std::max(fastest, bytes / seconds);
  return fastest;
}

ModelPoint model_point(const TunedPoint& tuned, std::uint32_t place, const PointTimings& timings,
                       const ModelGroup& group) {
  ModelPoint point;
  point.log_m = std::log(static_cast<double>(tuned.m));
  point.log_n = std::log(static_cast<double>(tuned.n));
  point.log_k = std::log(static_cast<double>(tuned.k));
  point.place = place;
  for (std::size_t time_model = 0; time_model < timed_models; ++time_model) {
    const TimedWork& work = timings.works[time_model];
    note_residual(point, time_model, work.seconds,
                  group.time_models[time_model].seconds(work.sizes));
  }
  note_residual(point, timed_models, timings.whole, timings.slower_side + group.join_seconds);
  return point;
}

double least_join(const std::vector<PointTimings>& timings) {
  double least = std::numeric_limits<double>::infinity();
  for (const PointTimings& point : timings)
    if (point.whole > 0) least = std::min(least, point.whole - point.slower_side);
  return std::isinf(least) ? 0.0 : std::max(least, 0.0);
}

double median_noise(const Profile& profile, const std::vector<std::uint32_t>& places) {
  std::vector<double> noises;
  for (const std::uint32_t place : places) noises.push_back(profile.points[place].noise);
  return upper_median(std::move(noises));
}

void note_updates(ModelGroup& group, const UpdateTimes& times) {
  group.knows_updates = times.c_bytes > 0 && times.cpu_writes > 0 && times.cpu_adds > 0 &&
                        times.gpu_writes > 0 && times.gpu_adds > 0;
  if (!group.knows_updates) return;
  group.cpu_update_seconds = (times.cpu_adds - times.cpu_writes) / times.c_bytes;
  group.gpu_update_seconds = (times.gpu_adds - times.gpu_writes) / times.c_bytes;
}

std::size_t type_of(Precision precision) {
  return precision_index(precision);
}

}  // namespace

CostModel::CostModel(const Profile& profile) {
  std::array<std::vector<std::uint32_t>, types * pairs + types> places;
  for (std::uint32_t i = 0; i < profile.points.size(); ++i) {
    const TunedPoint& point = profile.points[i];
    places[key(point.precision, point.op_a, point.op_b)].push_back(i);
    places[types * pairs + type_of(point.precision)].push_back(i);
  }
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (!places[i].empty()) groups_[i] = modelled(profile, places[i]);
}

std::size_t CostModel::key(Precision precision, Op op_a, Op op_b) {
  // For real types the conjugate transpose is the transpose.
  const auto of = [&](Op op) -> std::size_t {
    if (op == Op::none) return 0;
    return op == Op::conj_transpose && is_complex(precision) ? 2 : 1;
  };
  return type_of(precision) * pairs + 3 * of(op_a) + of(op_b);
}

const ModelGroup* CostModel::group(Precision precision, Op op_a, Op op_b) const {
  for (const std::size_t at : {key(precision, op_a, op_b), types * pairs + type_of(precision)})
    if (groups_[at].count > 0) return &groups_[at];
  return nullptr;
}

ModelGroup CostModel::modelled(const Profile& profile, const std::vector<std::uint32_t>& places) {
  ModelGroup group;
  group.first = points_.size();
  group.count = places.size();
  group.bytes_per_second = rates::stream_bytes_per_second;
  group.noise = median_noise(profile, places);
  std::vector<PointTimings> timings;
  for (const std::uint32_t place : places) {
    timings.push_back(timings_of(profile.points[place]));
    group.bytes_per_second = std::max(group.bytes_per_second, fastest_pass(profile.points[place]));
  }
  group.join_seconds = least_join(timings);
  const Precision precision = profile.points[places.front()].precision;
  note_updates(group, profile.updates[precision_index(precision)]);
  // In the largest product overhead hides least of the rates.
  const TunedPoint& largest = profile.points[*std::max_element(
      places.begin(), places.end(), [&](std::uint32_t x, std::uint32_t y) {
        return flops(problem_of(profile.points[x])) < flops(problem_of(profile.points[y]));
      })];
  const double crossover = profile.crossover_flops[precision_index(largest.precision)];
  const auto fitted = [&](Timed what, const TimeModel::Terms& expected) {
    std::vector<TimedWork> works;
    for (const PointTimings& point : timings) works.push_back(point.works[place_of(what)]);
    group.time_models[place_of(what)] = fitted_time_model(works, expected);
    return group.time_models[place_of(what)];
  };
  fitted(Timed::cpu_all, expected_cpu(largest.precision));
  fitted(Timed::cpu_side, expected_cpu(largest.precision));
  // Both models are of one GPU: the timings of its smaller parts decide what the whole calls leave
  // open.
  const TimeModel::Terms guessed = expected_gpu(largest, crossover);
  const TimeModel beside_cpu = fitted(Timed::gpu_side, guessed);
  fitted(Timed::gpu_alone, beside_cpu.known ? at_least(beside_cpu.coefficients, guessed) : guessed);
  for (std::size_t i = 0; i < places.size(); ++i)
    points_.push_back(model_point(profile.points[places[i]], places[i], timings[i], group));
  return group;
}

}  // namespace duoblas
