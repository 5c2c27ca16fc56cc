#include "api/call_trials.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace duoblas {
namespace {

// Estimates are rarely wrong by this; a CPU's turn would then take long for nothing.
constexpr double beyond_doubt = 0.5;
// To pass a call on costs nothing and disturbs nobody.
constexpr double worthwhile = 0.97;

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
  engine_seconds_ = cpu_seconds_ = never;
  return turns.front();
}

void CallTrial::settle(Turn on) {
  settled_ = true;
  settled_on_ = on;
  left_ = period_;
  period_ = std::min<std::uint32_t>(2 * period_, 1u << 20);
}

void CallTrial::note(Turn did, double seconds, double cpu_estimate) {
  if (settled_ || did != turns[noted_]) return;  // another thread was faster
  double& best = did == Turn::cpu ? cpu_seconds_ : engine_seconds_;
  best = std::min(best, seconds);
  if (engine_seconds_ < beyond_doubt * cpu_estimate) return settle(Turn::engine);
  if (++noted_ < turns.size()) return;
  settle(engine_seconds_ < worthwhile * cpu_seconds_ ? Turn::engine : Turn::program);
}

CallTrial& CallTrials::trial_of(const duoblas_level3_call& call) {
  const std::uint64_t key = key_of(call);
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // Fibonacci hashing
  Place& place = places_[(key * golden) >> (64 - std::bit_width(places_.size() - 1))];
  if (place.key != key) place = {key, {}};
  return place.trial;
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
