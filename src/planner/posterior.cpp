#include "planner/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "planner/call_estimate.hpp"

namespace duoblas {
namespace {

// Tuned on simulated machines (tests/planner/learner_simulation_test.cpp).
constexpr double reach = 3, surprising = 2;
constexpr double least_noise = 0.01, most_noise = 1, noise_gain = 0.1;
constexpr int deadline_with_bounds = 2;
/// A change back within so many calls, to where the time was up to this part of the change. Tuned
/// with mixed_class_test: within 8 calls is as good. The noise is half of the change then.
constexpr unsigned soon = 16;
constexpr double about_there = 0.3;
/// From one call of a class to the next, speeds drift by a percent.
constexpr double drift_variance = least_noise * least_noise;
/// How much a class that is known moves the others.
constexpr double gain_of_known_class = 0.03;
/// A side takes longer for a larger part, so that there is one best partition.
constexpr double least_slope = -0.25, most_slope = 1.5;

double squared(double x) {
  return x * x;
}

double variance_of_new_class(const SharedFactor& all, const SharedFactor& family,
                             const PriorSpread& prior) {
  const double of_all = all.classes > 0 ? all.variance : squared(prior.all);
  const double of_family = family.classes > 0 ? family.variance : of_all + squared(prior.family);
  return of_family + squared(prior.call);
}

// Moves the shared factor, and returns by how much. `beside`: the variance of the other terms of
// the error.
double move(SharedFactor& shared, double error, bool is_new_class, double prior_variance,
            double beside) {
  if (shared.classes == 0) shared.variance = prior_variance;
  double gain = gain_of_known_class;
  if (is_new_class) {
    gain = shared.variance / (shared.variance + beside);
    // What was right for some classes need not be right for others.
    shared.variance = std::max(shared.variance * (1 - gain), 0.1 * prior_variance);
    ++shared.classes;
  }
  shared.mean += gain * error;
  return gain * error;
}

// The slope's part of the Kalman filter's step.
void learn_slope(ClassFactor& own, double error, double variance_of_error, double gain) {
  const auto together = static_cast<double>(own.covariance);
  const auto by_slope = static_cast<double>(own.slope_variance);
  const double slope = static_cast<double>(own.slope) + together / variance_of_error * error;
  own.slope = static_cast<float>(std::clamp(slope, least_slope, most_slope));
  own.slope_variance =
      static_cast<float>(std::max(by_slope - together * together / variance_of_error, 0.0));
  own.covariance = static_cast<float>(together * (1 - gain));
}

// Converts the same knowledge to another part.
void move_to(ClassFactor& own, double log_part) {
  const auto part = static_cast<float>(log_part);
  if (part == own.log_part) return;
  const double distance = static_cast<double>(part) - static_cast<double>(own.log_part);
  const auto by_slope = static_cast<double>(own.slope_variance);
  const auto together = static_cast<double>(own.covariance);
  own.log_part = part;
  own.mean += distance * static_cast<double>(own.slope);
  own.published += distance * static_cast<double>(own.published_slope);
  own.variance =
      std::max(own.variance + distance * (2 * together + distance * by_slope), drift_variance);
  own.covariance = static_cast<float>(together + distance * by_slope);
}

// The error of a prediction, and what was made of it.
struct Surprise {
  double error;
  double noise;  ///< variance of the call
  bool is_far = false, is_change = false;
};

// The value to learn from; nothing: the call shows only a bound, which tells nothing.
std::optional<double> shown_value(const LogRatio& told, double expected, ClassFactor& own) {
  if (!told.at_most && !told.starts) {
    own.bounds = 0;
    return told.value;
  }
  if (told.value <= expected && (own.seen > 0 || told.at_most)) return told.value;
  own.bounds = static_cast<signed char>(std::min(own.bounds + 1, deadline_with_bounds + 1));
  if (own.bounds <= deadline_with_bounds) return std::nullopt;
  return told.starts ? told.value : expected - static_cast<double>(own.noise);
}

// Whether a first call may have built, allocated, loaded or woken something that later calls find
// ready.
bool is_disbelieved(const Surprise& surprise, const ClassFactor& own) {
  return !own.warmed && surprise.error > surprising * std::sqrt(own.variance + surprise.noise);
}

// Whether a change takes the time back to where it was a few calls ago.
bool returns(const ClassFactor& own, double expected, double error) {
  if (own.changed_at == 0 || own.seen - own.changed_at > soon) return false;
  const double before = static_cast<double>(own.before_change);
  return std::abs(expected + error - before) < about_there * std::abs(error);
}

// A class of two kinds of calls: its time is in the middle.
void contain_both(Surprise& surprise, ClassFactor& own) {
  surprise.is_far = surprise.is_change = false;
  own.noise = std::max(own.noise, static_cast<float>(std::abs(surprise.error) / 2));
  own.noise = std::min(own.noise, static_cast<float>(most_noise));
  surprise.noise = squared(static_cast<double>(own.noise));
  own.variance = squared(surprise.error / 2);
}

// Cuts the error of an outlier, or takes it for a change; learns the noise from other calls.
void judge(Surprise& surprise, const LogRatio& told, double expected, ClassFactor& own) {
  double& error = surprise.error;
  const bool is_new = own.seen == 0;
  const double most = reach * std::sqrt(own.variance + surprise.noise);
  surprise.is_far = std::abs(error) > most;
  if (surprise.is_far && !is_new) {
    const int side = error > 0 ? 1 : -1;
    own.run = static_cast<signed char>(own.run * side > 0 ? own.run + side : side);
    surprise.is_change = own.run >= told.slow_calls || own.run < 0;
    if (surprise.is_change) {
      const bool is_back = returns(own, expected, error);
      own.before_change = static_cast<float>(expected);
      own.changed_at = own.seen;
      own.run = 0;
      own.variance = squared(error);
      if (is_back) contain_both(surprise, own);
    } else {
      error = side * most;
    }
  } else {
    own.run = 0;
    if (!is_new) {
      // The error of a prediction contains the prediction's own variance.
      const double beyond = std::max(0.0, squared(error) - own.variance);
      const double learned = surprise.noise + noise_gain * (beyond - surprise.noise);
      own.noise = static_cast<float>(std::clamp(std::sqrt(learned), least_noise, most_noise));
    }
  }
}

// The Kalman filter's step: each layer takes its part of the error.
void share_out(const Surprise& surprise, const LogRatio& told, const Layers& layers,
               const PriorSpread& prior) {
  auto& [all, family, own] = layers;
  const bool is_new = own.seen == 0, tells_others = is_new || surprise.is_change;
  const double error = surprise.error, noise = surprise.noise;
  const double of_class = squared(prior.call) + noise;
  double rest = error;
  rest -= move(all, error, tells_others, squared(prior.all), squared(prior.family) + of_class);
  rest -= move(family, rest, tells_others, squared(prior.all) + squared(prior.family), of_class);
  if (is_new) {
    own.log_part = static_cast<float>(told.log_part);
    own.slope_variance = static_cast<float>(squared(told.steepness));
  }
  const double gain = own.variance / (own.variance + noise);
  learn_slope(own, error, own.variance + noise, gain);
  // The class's own part of the error is the part that the other layers do not explain.
  own.mean += gain * error - (error - rest);
  own.variance *= 1 - gain;
}

}  // namespace

Posterior Posterior::at(double other) const {
  if (slope_variance <= 0 || other == log_part) return *this;
  Posterior moved = *this;
  const double distance = other - log_part;
  moved.log_part = other;
  moved.mean += distance * slope;
  moved.spread = std::sqrt(std::max(
      spread * spread + distance * (2 * covariance + distance * slope_variance), drift_variance));
  moved.covariance += distance * slope_variance;
  return moved;
}

Posterior posterior(const SharedFactor& all, const SharedFactor& family, const ClassFactor& own,
                    const PriorSpread& prior) {
  const double variance = own.seen > 0 ? own.variance : variance_of_new_class(all, family, prior);
  if (own.seen == 0) return {all.mean + family.mean, std::sqrt(variance)};
  return {own.published,       std::sqrt(variance), own.log_part,
          own.published_slope, own.slope_variance,  own.covariance};
}

bool take_in(const LogRatio& told, const Layers& layers, const PriorSpread& prior) {
  auto& [all, family, own] = layers;
  if (std::isnan(told.value)) return false;
  if (own.seen > 0) move_to(own, told.log_part);
  const double expected = all.mean + family.mean + own.mean;
  const auto value = shown_value(told, expected, own);
  if (!value) return false;
  const bool is_new = own.seen == 0;
  own.variance = is_new ? variance_of_new_class(all, family, prior) : own.variance + drift_variance;
  Surprise surprise{*value - expected, squared(static_cast<double>(own.noise))};
  if (is_new && !own.warmed && surprise.error > 0)
    surprise.noise = std::max(surprise.noise, squared(told.first_noise));
  if (is_new && is_disbelieved(surprise, own)) {
    own.warmed = true;
    return false;
  }
  judge(surprise, told, expected, own);
  share_out(surprise, told, layers, prior);
  // A single surprise; the next call will tell more.
  if (surprise.is_far && is_new) own.variance = squared(surprise.error / reach);
  own.may_be_cold = surprise.is_far && is_new && surprise.error > 0 && own.warmed;
  ++own.seen;
  own.unseen.end(surprise.is_far);
  const double now = all.mean + family.mean + own.mean;
  // A smaller change of one side's speed moves no share.
  if (is_new || std::abs(now - own.published) > 1.0 / finest_share_parts) {
    own.published = now;
    own.published_slope = own.slope;
  }
  return surprise.is_change;
}

bool take_in(const LogRatio& told, ClassFactor& own, const PriorSpread& prior) {
  SharedFactor all, family;
  const bool is_change = take_in(told, Layers{all, family, own}, prior);
  own.mean = is_change ? told.value : own.mean + all.mean + family.mean;
  return is_change;
}

void follow_change(ClassFactor& other, const ClassFactor& changed, const PriorSpread& prior) {
  const double difference = changed.mean - other.mean;
  // Within what a new class is believed to differ they need not disagree.
  if (other.seen == 0 || std::abs(difference) < reach * std::hypot(prior.family, prior.call))
    return;
  other.mean += difference;
  other.published += difference;
  other.variance = std::max(other.variance, squared(prior.family) + squared(prior.call));
  other.run = 0;
}

void fade(ClassFactor& own, const PriorSpread& prior, double seconds) {
  if (seconds > 0) own.unseen.add(seconds);
  if (own.seen == 0) return;
  const double most = squared(prior.all) + squared(prior.family) + squared(prior.call);
  if (own.variance < most) own.variance = std::min(own.variance + drift_variance, most);
}

}  // namespace duoblas
