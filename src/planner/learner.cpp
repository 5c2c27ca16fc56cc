#include "planner/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/call_estimate.hpp"

namespace duoblas {
namespace {

/// An exploration leaves at most so many seconds of debt. A process may be stopped during one, for
/// an hour: that is nobody's fault, and a hundred hours without explorations would be too long.
constexpr double most_debt = 1;

/// On two cores a first call with the GPU took 1.05 to 1.5 times what the next ones took
/// (bench_gemm shapes --calls 6), those of the CPU 1.0 to 1.1 times.
constexpr double noise_of_first_gpu_call = 0.15;

/// Standard deviations of how much steeper or flatter the sides' times are than their time models,
/// as functions of the part of C that a side does. Time models of the CPU's side may rest on shares
/// most of which leave it one tile: a server's profile has sides of 4 to 20 us beside ones of 0.2
/// to 0.9 ms.
constexpr double steepness_of_cpu = 0.4, steepness_of_gpu = 0.1;

/// The distance of the longest credible time, in standard deviations.
constexpr double credible = 2.5;
/// The first call of a new class takes at most this many times the expected time, that of a new
/// family the square of it.
constexpr double worst_of_new_class = 2;

std::uint64_t parts_of_octaves(double octaves, double per_octave) {
  return static_cast<std::uint64_t>(std::lround(per_octave * octaves));
}

/// The finisher of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

CallKind kind_of_sizes(std::uint64_t same, std::int64_t m, std::int64_t n, std::int64_t k,
                       const Circumstances& now, CallKind::Group usual, CallKind::Group disturbed) {
  const auto octaves = [](std::int64_t extent) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)));
  };
  const double of_m = octaves(m), of_n = octaves(n), of_k = octaves(k);
  if (now.unusual != 0) same ^= mixed(now.unusual);
  std::uint64_t family = same, call = same;
  for (const std::uint64_t x :
       {parts_of_octaves(of_k, 1), parts_of_octaves(std::max(of_m, of_n), 0.5),
        parts_of_octaves(std::min(of_m, of_n), 0.5)})
    family = family * 128 + x;
  for (const double x : {of_m, of_n, of_k}) call = call * 128 + parts_of_octaves(x, 2);
  const bool is_usual = !now.contended && now.unusual == 0;
  return {mixed(family) | 1, mixed(call) | 1, is_usual ? usual : disturbed, now.contended};
}

// All calls of a side share one factor, whether or not the other side works beside it.
std::size_t side_of(Timed what) {
  const bool is_gpu = what == Timed::gpu_alone || what == Timed::gpu_side;
  return place_of(is_gpu ? Timed::gpu_side : Timed::cpu_side);
}

double expected_seconds(const Forecast& forecast, const LearnedTimes& known, Timed what) {
  const std::size_t i = place_of(what);
  return forecast.modelled[i] * std::exp(known.of(what, forecast.log_parts[i]).mean);
}

// How many times longer than expected the side took that decides the best strategy's time. Beside
// others' calls the delay is their doing, and not what the call found out.
double slowness(const Forecast& forecast, const CallTimes& took, const LearnedTimes& expected) {
  double most = 0;
  for (std::size_t i = 0; i < timed_models; ++i)
    if (side_of(static_cast<Timed>(i)) == side_of(forecast.best) && forecast.modelled[i] > 0)
      most = std::max(
          most, took.seconds[i] / expected_seconds(forecast, expected, static_cast<Timed>(i)));
  return most;
}

// Ignores the part of C of the class's last call; single precision rounds that.
bool has_changed(const Posterior& before, const Posterior& now) {
  return std::abs(now.at(before.log_part).mean - before.mean) > 0.5 / finest_share_parts;
}

}  // namespace

CallKind kind_of(const GemmProblem& p, const Circumstances& now) {
  std::uint64_t same = static_cast<std::uint64_t>(p.precision);
  for (const auto value : {static_cast<int>(p.op_a), static_cast<int>(p.op_b),
                           static_cast<int>(p.overwrites_c()), static_cast<int>(now.contended)})
    same = same * 8 + static_cast<std::uint64_t>(value);
  return kind_of_sizes(same, p.m, p.n, p.k, now, CallKind::products, CallKind::disturbed_products);
}

CallKind kind_of_stream(std::uint64_t routine, std::int64_t outputs, std::int64_t terms,
                        const Circumstances& now) {
  routine += std::uint64_t{1} << 40;
  const std::uint64_t same = mixed(2 * routine + (now.contended ? 1 : 0));
  return kind_of_sizes(same, outputs, terms, 1, now, CallKind::streams,
                       CallKind::disturbed_streams);
}

LearnedTimes Learner::learned(const CallKind& kind) const {
  static constexpr decltype(families_)::Place no_family{};
  static constexpr decltype(classes_)::Place no_class{};
  const auto* const known_family = families_.find(kind.family);
  const auto* const known_class = classes_.find(kind.call);
  const auto& family = known_family == nullptr ? no_family : *known_family;
  const auto& own = known_class == nullptr ? no_class : *known_class;
  LearnedTimes known;
  known.allowance = allowance();
  for (std::size_t i = 0; i < timed_models; ++i) {
    const std::size_t shared = side_of(static_cast<Timed>(i));
    const SharedFactor all = shared_by_all(kind, shared);
    const ClassFactor& factor = own.factors[i];
    known.posteriors[i] = posterior(all, family.factors[shared], factor, prior_.spread);
    known.unseen[i] = factor.unseen;
    known.seen[i] = factor.seen > 0;
    const auto noise = known.seen[i] ? static_cast<double>(factor.noise) : 0.0;
    const double least = known.seen[i]                        ? 1
                         : family.factors[shared].classes > 0 ? worst_of_new_class
                         : all.classes > 0 || is_known_elsewhere(kind, shared)
                             ? worst_of_new_class * worst_of_new_class
                             : prior_.worst;
    // If the device may have been cold, the true time may be much shorter, but not longer.
    const double spread = factor.may_be_cold ? 0 : known.posteriors[i].spread;
    known.worst[i] = std::max(least, std::exp(credible * std::hypot(spread, noise)));
    if (i < own.other.excess.size()) known.excess[i] = own.other.excess[i].factor();
  }
  return known;
}

// Whether its time has changed.
bool Learner::observe(const CallKind& kind, Timed what, const Forecast& forecast,
                      const CallTimes& took) {
  const double predicted = forecast.modelled[place_of(what)];
  const double seconds = took.seconds[place_of(what)];
  const bool usable =
      predicted > 0 && seconds > 0 && std::isfinite(predicted) && std::isfinite(seconds);
  if (!usable) return false;
  auto& family = families_.find_or_take(kind.family, kind.group, uses_);
  auto& own = classes_.find_or_take(kind.call, kind.group, uses_);
  const std::size_t shared = side_of(what);
  const bool is_gpu = what == Timed::gpu_alone || what == Timed::gpu_side;
  const Layers layers{all_[kind.group][shared], family.factors[shared],
                      own.factors[place_of(what)]};
  const bool is_change =
      take_in({std::log(seconds / predicted), forecast.log_parts[place_of(what)],
               is_gpu ? steepness_of_gpu : steepness_of_cpu,
               what == Timed::gpu_side && took.gpu_at_most, is_gpu ? noise_of_first_gpu_call : 0},
              layers, prior_.spread);
  // One device does both. The CPU alone may use another BLAS than the CPU's side.
  if (is_change && is_gpu) {
    const Timed other = what == Timed::gpu_alone ? Timed::gpu_side : Timed::gpu_alone;
    follow_change(own.factors[place_of(other)], layers.own, prior_.spread);
  }
  return is_change;
}

// If one side is slow in some calls, no share suits all of them: the other side waits. So the mean
// of calls of both sides may be longer than what the sides' mean times say.
void Learner::observe_excess(const CallKind& kind, const Forecast& forecast, const CallTimes& took,
                             const LearnedTimes& expected) {
  auto& excesses = classes_.find_or_take(kind.call, kind.group, uses_).other.excess;
  for (std::size_t i = 0; i < excesses.size(); ++i) {
    const auto what = static_cast<Timed>(i);
    double seconds = took.seconds[i], due = expected_seconds(forecast, expected, what);
    if (seconds <= 0) {
      excesses[i].fade();
      continue;
    }
    if (what == Timed::gpu_side) {
      seconds = std::max(seconds, took.seconds[place_of(Timed::cpu_side)]);
      due = std::max(due, expected_seconds(forecast, expected, Timed::cpu_side));
    }
    if (expected.seen[i]) excesses[i].saw(seconds, due);
  }
}

// Other threads' calls slow both sides: a side that has shown nothing beside them is expected to be
// as slow as the other one.
SharedFactor Learner::shared_by_all(const CallKind& kind, std::size_t side) const {
  SharedFactor known = all_[kind.group][side];
  const std::size_t other = place_of(Timed::gpu_side) + place_of(Timed::cpu_side) - side;
  if (kind.contended && known.classes == 0) known.mean = all_[kind.group][other].mean;
  return known;
}

// Whether calls that ran alone have shown the side. Beside others' threads it is slower, but it
// works.
bool Learner::is_known_elsewhere(const CallKind& kind, std::size_t side) const {
  const CallKind::Group usual =
      kind.group == CallKind::disturbed_streams ? CallKind::streams : CallKind::products;
  return kind.contended && all_[usual][side].classes > 0;
}

// A gain counts only if the CPU's time is known well. Once the CPU turns out to be faster, the
// calls before have gained less.
void Learner::note_gain(const CallKind& kind, const Forecast& forecast, const CallTimes& took,
                        const LearnedTimes& now) {
  gains_.worked += took.whole;
  ThisProcess& own = classes_.find_or_take(kind.call, kind.group, uses_).other;
  const double predicted = forecast.modelled[place_of(Timed::cpu_all)];
  if (took.used_gpu() && predicted > 0) {
    own.predicted += predicted;
    own.with_gpu += took.whole;
    gains_.with_gpu += took.whole;
    gains_.won -= took.whole;
  } else {
    own.without += took.whole;
  }
  const Posterior of_cpu = now.of(Timed::cpu_all, 0);
  const double on_cpu = own.predicted * std::exp(of_cpu.mean - of_cpu.spread);
  gains_.won += on_cpu - std::exchange(own.on_cpu, on_cpu);
}

std::vector<ClassGain> Learner::gains_of_classes() const {
  std::vector<ClassGain> gained;
  gained.reserve(64);  // HPL has 40
  classes_.for_each([&](const auto& place) {
    const ThisProcess& own = place.other;
    if (place.group == CallKind::products && own.on_cpu + own.without > 0)
      gained.push_back({static_cast<std::uint32_t>(place.key), own.on_cpu + own.without,
                        own.on_cpu - own.with_gpu});
  });
  return gained;
}

// What the exploration took longer than the best strategy would have. The call itself may have
// shown another time of that than was expected.
void Learner::charge_exploration(const CallKind& kind, const Forecast& forecast,
                                 const CallTimes& took, const LearnedTimes& before,
                                 const LearnedTimes& now) {
  if (!forecast.explores || forecast.best_seconds <= 0) return;
  const Posterior& of_best = before.of(forecast.best);
  double told = std::exp(now.of(forecast.best, of_best.log_part).mean - of_best.mean);
  if (kind.contended) told = std::max(told, slowness(forecast, took, before));
  charge(std::clamp(took.whole - told * forecast.best_seconds, 0.0,
                    std::max(0.0, allowance() + most_debt)));
}

bool Learner::note(const CallKind& kind, const Forecast& forecast, const CallTimes& took) {
  ++uses_;
  const LearnedTimes before = learned(kind);
  observe_excess(kind, forecast, took, before);
  for (std::size_t i = 0; i < timed_models; ++i) {
    const auto what = static_cast<Timed>(i);
    if (took.seconds[i] > 0) {
      const bool is_change = observe(kind, what, forecast, took);
      // What is believed now explains the slow calls before.
      if (is_change && took.seconds[i] > expected_seconds(forecast, before, what))
        classes_.find_or_take(kind.call, kind.group, uses_).other.excess = {};
    } else {
      fade(classes_.find_or_take(kind.call, kind.group, uses_).factors[i], prior_.spread,
           took.whole);
    }
  }
  const LearnedTimes now = learned(kind);
  if (!took.is_part) note_gain(kind, forecast, took, now);
  charge_exploration(kind, forecast, took, before, now);
  // Kinds of work that the call did not show become a little less certain with every call.
  for (std::size_t i = 0; i < timed_models; ++i)
    if (now.seen[i] && (!before.seen[i] || has_changed(before.posteriors[i], now.posteriors[i])))
      return true;
  return now.excess != before.excess;
}

void Learner::note_left(const CallKind& kind, double seconds) {
  left_ += seconds;
  if (classes_.find(kind.call) == nullptr) return;
  for (ClassFactor& factor : classes_.find_or_take(kind.call, kind.group, ++uses_).factors)
    fade(factor, prior_.spread, seconds);
}

double Learner::allowance() const {
  return free_seconds + UnseenSeconds::part * (gains_.worked + left_) - spent_;
}

void Learner::start_again(const LearnerPrior& prior) {
  prior_ = prior;
  all_ = {};
  families_.forget_all();
  classes_.forget_all();
}

}  // namespace duoblas
