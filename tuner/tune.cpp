#include "tuner/tune.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <duoblas/error.hpp>

#include "plan/op_letter.hpp"
#include "tuner/co_tune.hpp"
#include "tuner/cpu_choice.hpp"
#include "tuner/crossover.hpp"

namespace duoblas {
namespace {

// Of a precision's time; building a kernel costs about 0.26 s with PoCL and more with some drivers.
constexpr double screening_part = 0.45;
constexpr double crossover_seconds = 3;
// Fewer calls than this do not make a tuned point.
constexpr double least_calls = 90;

double work(const Shape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

void check(const TuneRequest& request) {
  if (request.precisions.empty() || request.shapes.empty() || request.ops.empty())
    throw SettingError("nothing to tune: give at least one precision, one shape and one op pair");
  for (const Shape& s : request.shapes)
    if (s.m < 1 || s.n < 1 || s.k < 1)
      throw SettingError("a shape to tune needs m, n and k of 1 or more");
  if (request.max_kernels < 1) throw SettingError("at least one kernel must be allowed");
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// Kernels are built and verified at the largest shape that is still cheap.
Shape screening_shape(const std::vector<Shape>& shapes) {
  constexpr double cheap = 1024.0 * 1024.0 * 1024.0;
  Shape chosen =
      *std::min_element(shapes.begin(), shapes.end(),
                        [](const Shape& x, const Shape& y) { return work(x) < work(y); });
  for (const Shape& s : shapes)
    if (work(s) <= cheap && work(s) > work(chosen)) chosen = s;
  return chosen;
}

class PairOfOps {
 public:
  PairOfOps(TuneContext& context, const TuneRequest& request, Precision precision,
            std::pair<Op, Op> ops)
      : context_(context), request_(request), precision_(precision), ops_(ops) {}

  /// Adds this precision's and op pair's points to `profile`, within `seconds`.
  void tune(Profile& profile, double seconds) {
    const auto end = context_.session.within(seconds);
    const Shape screening = screening_shape(request_.shapes);
    context_.session.new_subject();
    const auto kernels =
        verified_kernels(context_, precision_, ops_.first, ops_.second, screening,
                         request_.max_kernels, context_.session.within(screening_part * seconds));
    if (kernels.empty())
      throw DeviceError("no kernel computes " + std::string(1, letter(precision_)) +
                        "gemm right on this device");
    double weights = 0;
    for (const Shape& s : request_.shapes) weights += std::sqrt(work(s));
    bool first = true;
    for (const Shape& shape : request_.shapes) {
      const double weight = std::sqrt(work(shape));
      const double left = std::chrono::duration<double>(end - Clock::now()).count();
      const double slice = std::max(left, 0.0) * weight / weights;
      weights -= weight;
      const double call = kernels.front().seconds * work(shape) / work(screening);
      if (!first && least_calls * call > slice) continue;
      first = false;
      profile.points.push_back(tune_shape(shape, kernels, slice, call));
      context_.session.listener().tuned(profile.points.back());
    }
  }

 private:
  TunedPoint tune_shape(const Shape& shape, const std::vector<ScreenedKernel>& kernels,
                        double seconds, double call_seconds) {
    constexpr double ranking_part = 0.15;
    constexpr double rounds = 3;
    context_.session.new_subject();
    const MeasuredProblem problem(
        row_major_call(precision_, ops_.first, ops_.second, shape.m, shape.n, shape.k),
        context_.session.next_seed());
    const double affordable = ranking_part * seconds / (rounds * call_seconds);
    const auto limit = static_cast<std::size_t>(
        std::clamp(affordable, 3.0, static_cast<double>(kernels.size()) + 3));
    const auto start = Clock::now();
    auto ranked = ranked_alone(context_, problem, kernels, limit,
                               context_.session.within(ranking_part * seconds));
    if (ranked.empty())
      throw DeviceError("every kernel failed at " +
                        subject_text(precision_, ops_.first, ops_.second, shape));
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    return co_tune(context_, problem, ranked, std::max(seconds - spent, 0.0));
  }

  TuneContext& context_;
  const TuneRequest& request_;
  Precision precision_;
  std::pair<Op, Op> ops_;
};

}  // namespace

std::string subject_text(Precision precision, Op op_a, Op op_b, const Shape& shape) {
  return std::string(1, letter(precision)) + "gemm " + letter(op_a) + letter(op_b) + " " +
         std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
         std::to_string(shape.k);
}

Profile tune(Engine& engine, const TuneRequest& request, TuneListener& listener) {
  check(request);
  Session session(request, listener);
  if (engine.gpu() == nullptr) throw DeviceError("nothing to tune: " + engine.gpu_problem());
  TuneContext context{engine, session, engine.machine()};
  if (request.cpu_configs.size() == 1)
    context.machine.cpu = every_precision(request.cpu_configs.front());
  if (request.cpu_configs.size() > 1)
    choose_cpu_config(context, request.cpu_configs, request.precisions);

  Profile profile;
  profile.key = engine.profile_key();
  profile.origin = engine.profile_origin();
  profile.cpu = context.machine.cpu;
  profile.cpu_all = context.machine.cpu_all;
  auto jobs = static_cast<double>(request.precisions.size() * request.ops.size());
  double reserved = request.measure_crossover
                        ? crossover_seconds * static_cast<double>(request.precisions.size())
                        : 0;
  // A short budget is not eaten by the reserve.
  reserved = std::min(reserved, 0.1 * request.budget_seconds);
  std::string failure;
  for (const Precision precision : request.precisions)
    for (const auto& ops : request.ops) {
      const bool possible = !is_double(precision) || context.machine.device.has_fp64;
      const double seconds = std::max(session.seconds_left() - reserved, 0.0) / jobs--;
      if (!possible) continue;
      try {
        PairOfOps(context, request, precision, ops).tune(profile, seconds);
      } catch (const DeviceError& e) {
        // What was tuned before is worth keeping: planning falls back on it.
        failure = e.what();
        listener.rejected(std::string(1, letter(precision)) + "gemm", failure);
      }
    }
  if (profile.points.empty())
    throw DeviceError(failure.empty() ? "the device has no double precision" : failure);
  if (request.measure_crossover)
    for (const Precision precision : request.precisions)
      if (std::any_of(profile.points.begin(), profile.points.end(),
                      [&](const TunedPoint& p) { return p.precision == precision; }))
        profile.crossover_flops[precision_index(precision)] =
            measure_crossover(context, profile, precision);
  profile.created = now_text();
  return profile;
}

}  // namespace duoblas
