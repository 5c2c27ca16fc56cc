#include "dropin/engine/call_trials.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace duoblas {
namespace {

// Estimates are rarely wrong by this; a CPU's turn would then take long for nothing. Short ones
// cost nothing, and are estimated worse: thin products, types that were not tuned.
constexpr double beyond_doubt = 0.5;
constexpr double long_turn_seconds = 10e-3;
// To pass a call on costs nothing and disturbs nobody. Of short calls more is wanted:
// sixteen cores of an H200's host took 1.07 to 1.24 times the BLAS's time for calls of 0.1 to 2.5
// ms that 3 % in their trials had won.
constexpr double worthwhile = 0.97, worthwhile_if_short = 0.9;
constexpr double short_call_seconds = 4e-3;

// Half octaves.
std::uint64_t extent_class(std::int64_t extent) {
  return static_cast<std::uint64_t>(
      std::lround(2 * std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)))));
}

// No key is 0. Letters differ in their lowest bits, and are fewer than eight each.
std::uint64_t key_of(const duoblas_level3_call& call) {
  std::uint64_t key = 1;
  for (const int choice : {call.routine, static_cast<int>(call.precision) % 32, call.layout,
                           call.side, call.uplo, call.op_a, call.op_b, call.diag})
    key = key * 32 + static_cast<std::uint64_t>(choice) % 32;
  for (const std::int64_t extent : {call.m, call.n, call.k}) key = key * 127 + extent_class(extent);
  return key;
}

}  // namespace

Turn CallTrial::next() {
  if (!settled_) return turns[noted_];
  if (left_ > 0) {
    --left_;
    return settled_on_;
  }
  settled_ = false;
  noted_ = 0;
  program_seconds_ = never;
  return turns.front();
}

void CallTrial::settle(Turn on) {
  settled_ = true;
  settled_on_ = on;
  slower_ = 0;
  left_ = period_;
  period_ = std::min<std::uint32_t>(2 * period_, 1u << 20);
}

void CallTrial::watch(double seconds, double cpu_estimate) {
  constexpr int too_often = 3;
  const double cpu = program_seconds_ < never ? program_seconds_ : cpu_estimate;
  slower_ = seconds > cpu ? slower_ + 1 : std::max(slower_ - 1, 0);
  if (slower_ >= too_often && cpu > 0) settle(Turn::program);
}

void CallTrial::note(Turn did, double seconds, double cpu_estimate) {
  if (settled_ && settled_on_ == Turn::engine && did == Turn::engine)
    return watch(seconds, cpu_estimate);
  if (settled_ || did != turns[noted_]) return;  // another thread was faster
  if (did == Turn::engine)
    engine_seconds_[static_cast<std::size_t>(
        std::count(turns.begin(), turns.begin() + noted_, did))] = seconds;
  else
    program_seconds_ = std::min(program_seconds_, seconds);
  if (did == Turn::engine && cpu_estimate > long_turn_seconds &&
      seconds < beyond_doubt * cpu_estimate)
    return settle(Turn::engine);
  if (++noted_ < turns.size()) return;
  std::array later = {engine_seconds_[1], engine_seconds_[2], engine_seconds_[3]};
  std::ranges::sort(later);
  const double needed = program_seconds_ < short_call_seconds ? worthwhile_if_short : worthwhile;
  settle(later[1] < needed * program_seconds_ ? Turn::engine : Turn::program);
}

CallTrials::Place& CallTrials::place_of(std::uint64_t key) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // Fibonacci hashing
  return places_[(key * golden) >> (64 - std::bit_width(places_.size() - 1))];
}

CallTrial& CallTrials::trial_of(const duoblas_level3_call& call) {
  const std::uint64_t key = key_of(call);
  Place& place = place_of(key);
  if (place.key != key) place = {key, {}};
  return place.trial;
}

bool CallTrials::passes_on(const duoblas_level3_call& call) {
  const std::uint64_t key = key_of(call);
  const std::lock_guard guard(mutex_);
  Place& place = place_of(key);
  if (place.key != key || !place.trial.is_the_programs()) return false;
  place.trial.next();
  return true;
}

Turn CallTrials::next(const duoblas_level3_call& call) {
  const std::lock_guard guard(mutex_);
  return trial_of(call).next();
}

void CallTrials::note(const duoblas_level3_call& call, Turn did, double seconds,
                      double cpu_estimate) {
  const std::lock_guard guard(mutex_);
  trial_of(call).note(did, seconds, cpu_estimate);
}

}  // namespace duoblas
