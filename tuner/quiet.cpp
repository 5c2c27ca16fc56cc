#include "tuner/quiet.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace duoblas {
namespace {

// One program that computes has a processor, or half of one that it shares with us. What else runs
// on a desktop that nobody uses takes a few hundredths of one.
constexpr double most_of_others = 0.25;
// The system counts ticks of 10 ms, and is off by up to one on each processor.
constexpr double tick_seconds = 0.01;
constexpr double judged_seconds = 0.3;
constexpr double look_seconds = 0.1;

void sleep_here(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

Quiet::Quiet(double patience, double most_waiting, std::function<ProcessorUse()> use,
             std::function<void(double seconds)> sleep)
    : patience_(patience),
      waiting_left_(most_waiting),
      use_(std::move(use)),
      sleep_(sleep ? std::move(sleep) : sleep_here),
      begun_(use_()) {}

void Quiet::begin() {
  begun_ = use_();
}

bool Quiet::others_work(const ProcessorUse& during) {
  others_ = std::min<double>(processors_of_others(during), during.processors);
  // Errors of processors that work are independent of each other: their sum grows with the root.
  const double working = std::min<double>(during.processors, 1 + during.busy / during.at);
  return others_ > most_of_others + 2 * tick_seconds * std::sqrt(working) / during.at;
}

Quiet::Verdict Quiet::judge() {
  const ProcessorUse now = use_();
  unjudged_ = unjudged_ + (now - begun_);
  begun_ = now;
  if (unjudged_.at < judged_seconds) return Verdict::too_short;
  const bool disturbed = others_work(std::exchange(unjudged_, {}));
  steady_ = steady_ && disturbed;
  has_seen_others_ |= disturbed;
  return disturbed ? Verdict::disturbed : Verdict::quiet;
}

Quiet::Verdict Quiet::judge_at_last() {
  Verdict verdict = judge();
  while (verdict == Verdict::too_short && unjudged_.at > 0) {
    sleep_(look_seconds);
    verdict = judge();
  }
  return verdict;
}

bool Quiet::wait() {
  const double until = use_().at + std::min(patience_, waiting_left_);
  steady_ = true;
  for (begin(); steady_ && begun_.at < until;) {
    sleep_(look_seconds);
    const ProcessorUse now = use_();
    steady_ = others_work(now - begun_);
    waiting_left_ -= now.at - begun_.at;
    begun_ = now;
  }
  return !steady_;
}

}  // namespace duoblas
