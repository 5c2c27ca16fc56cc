#include "planner/learner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace duoblas {
namespace {

constexpr double free_seconds = 20e-3, part_of_work = 0.01;

/// ln 4. The first call on the CPU beside the GPU may load a CPU BLAS, which takes 20 to 60 ms.
constexpr double warming_of_cpu = 1.4;

/// Standard deviations that the longest credible time is away.
constexpr double credible = 2.5;
/// Calls of a new kind beside known ones are as fast as expected within these factors.
constexpr double worst_of_new_class = 2, worst_of_new_family = 4;

std::uint64_t parts_of_octaves(std::int64_t extent, double per_octave) {
  const auto x = static_cast<double>(std::max<std::int64_t>(extent, 1));
  return static_cast<std::uint64_t>(std::lround(per_octave * std::log2(x)));
}

/// The finisher of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

std::uint64_t of_family(std::uint64_t same, std::int64_t m, std::int64_t n, std::int64_t k) {
  for (const std::uint64_t x : {parts_of_octaves(k, 1), parts_of_octaves(std::max(m, n), 0.5),
                                parts_of_octaves(std::min(m, n), 0.5)})
    same = same * 128 + x;
  return same;
}

std::uint64_t of_class(std::uint64_t same, std::int64_t m, std::int64_t n, std::int64_t k) {
  for (const std::int64_t extent : {m, n, k}) same = same * 128 + parts_of_octaves(extent, 2);
  return same;
}

std::size_t place_of_key(std::uint64_t key, std::size_t places) {
  return key >> (64 - std::bit_width(places - 1));
}

/// What a side's calls have in common, whether the other side works beside it or not, is the side.
std::size_t shared_place(Timed what) {
  const bool is_gpu = what == Timed::gpu_alone || what == Timed::gpu_side;
  return place_of(is_gpu ? Timed::gpu_side : Timed::cpu_side);
}

}  // namespace

CallKind kind_of(const GemmProblem& p, bool contended) {
  std::uint64_t same = static_cast<std::uint64_t>(p.precision);
  for (const auto value : {static_cast<int>(p.op_a), static_cast<int>(p.op_b),
                           static_cast<int>(p.overwrites_c()), static_cast<int>(contended)})
    same = same * 8 + static_cast<std::uint64_t>(value);
  return {mixed(of_family(same, p.m, p.n, p.k)) | 1, mixed(of_class(same, p.m, p.n, p.k)) | 1,
          contended ? CallKind::contended_products : CallKind::products};
}

CallKind kind_of_kin(std::uint64_t routine, std::int64_t m, std::int64_t n, std::int64_t k,
                     bool contended) {
  const std::uint64_t same = mixed(2 * routine + (contended ? 1 : 0));
  return {mixed(of_family(same, m, n, k)) | 1, mixed(of_class(same, m, n, k)) | 1,
          contended ? CallKind::contended_kin : CallKind::kin};
}

template <typename Factor, std::size_t sets>
const Learner::Place<Factor>* Learner::Table<Factor, sets>::find(std::uint64_t key) const {
  const auto* const first = &places[place_of_key(key, sets) * ways];
  const auto* const end = first + ways;
  const auto* const place =
      std::find_if(first, end, [key](const auto& candidate) { return candidate.key == key; });
  return place == end ? nullptr : place;
}

template <typename Factor, std::size_t sets>
Learner::Place<Factor>& Learner::Table<Factor, sets>::find_or_take(std::uint64_t key,
                                                                   std::uint64_t use) {
  auto* const first = &places[place_of_key(key, sets) * ways];
  auto* place = std::find_if(first, first + ways,
                             [key](const auto& candidate) { return candidate.key == key; });
  if (place == first + ways) {
    place = std::min_element(first, first + ways,
                             [](const auto& x, const auto& y) { return x.last_use < y.last_use; });
    *place = {key, use, {}};
  }
  place->last_use = use;
  return *place;
}

LearnedTimes Learner::learned(const CallKind& kind) const {
  static constexpr Place<SharedFactor> no_family{};
  static constexpr Place<ClassFactor> no_class{};
  const auto* const known_family = families_.find(kind.family);
  const auto* const known_class = classes_.find(kind.call);
  const auto& family = known_family == nullptr ? no_family : *known_family;
  const auto& own = known_class == nullptr ? no_class : *known_class;
  LearnedTimes known;
  known.allowance = allowance();
  for (std::size_t i = 0; i < timed_laws; ++i) {
    const std::size_t shared = shared_place(static_cast<Timed>(i));
    const SharedFactor& all = all_[kind.group][shared];
    const ClassFactor& factor = own.factors[i];
    known.beliefs[i] = belief(all, family.factors[shared], factor, prior_.spread);
    known.seen[i] = factor.seen > 0;
    const auto noise = known.seen[i] ? static_cast<double>(factor.noise) : 0.0;
    const double least = known.seen[i]                        ? 1
                         : family.factors[shared].classes > 0 ? worst_of_new_class
                         : all.classes > 0                    ? worst_of_new_family
                                                              : prior_.worst;
    known.worst[i] =
        std::max(least, std::exp(credible * std::hypot(known.beliefs[i].spread, noise)));
  }
  return known;
}

void Learner::observe(const CallKind& kind, Timed what, double predicted, double seconds,
                      bool at_most) {
  const bool usable =
      predicted > 0 && seconds > 0 && std::isfinite(predicted) && std::isfinite(seconds);
  if (!usable) return;
  auto& family = families_.find_or_take(kind.family, uses_);
  auto& own = classes_.find_or_take(kind.call, uses_);
  const std::size_t shared = shared_place(what);
  const bool is_gpu = what == Timed::gpu_alone || what == Timed::gpu_side;
  take_in({std::log(seconds / predicted), at_most, is_gpu ? 0 : warming_of_cpu},
          {all_[kind.group][shared], family.factors[shared], own.factors[place_of(what)]},
          prior_.spread);
}

void Learner::note(const CallKind& kind, const Forecast& forecast, const CallTimes& took) {
  ++uses_;
  const double expected_before = learned(kind).of(forecast.best).mean;
  for (std::size_t i = 0; i < timed_laws; ++i) {
    const auto what = static_cast<Timed>(i);
    const bool is_gpu = what == Timed::gpu_side;
    if (took.seconds[i] > 0)
      observe(kind, what, forecast.modelled[i], took.seconds[i], is_gpu && took.gpu_at_most);
    else
      fade(classes_.find_or_take(kind.call, uses_).factors[i], prior_.spread);
  }
  worked_ += took.whole;
  if (!forecast.explores || forecast.best_seconds <= 0) return;
  // The call itself may have told that the best way takes another time than was expected.
  const double told = std::exp(learned(kind).of(forecast.best).mean - expected_before);
  charge(std::max(0.0, took.whole - told * forecast.best_seconds));
}

double Learner::allowance() const {
  return free_seconds + part_of_work * worked_ - spent_;
}

void Learner::start_again(const LearnerPrior& prior) {
  prior_ = prior;
  all_ = {};
  // Place by place: a whole table is too much for the stack of a program's thread.
  families_.places.fill({});
  classes_.places.fill({});
}

}  // namespace duoblas
