// Which results of memory-bound calls are checked. To check all outputs of a call takes as long as
// the call; to check some of them takes next to nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include <duoblas/types.hpp>

#include "engine/hybrid_stream.hpp"

namespace duoblas {

/// Thread-safe. With `sampled`: some outputs of a routine's first results, and of every 64th result
/// after those.
class StreamChecks {
 public:
  explicit StreamChecks(CheckMode mode) : mode_(mode) {}
  void set_mode(CheckMode mode) { mode_.store(mode, std::memory_order_relaxed); }

  StreamCheck begin(std::uint64_t routine) {
    const CheckMode mode = mode_.load(std::memory_order_relaxed);
    if (mode == CheckMode::off) return {};
    const std::lock_guard guard(mutex_);
    const std::uint64_t result = results_[routine]++;
    const bool all = mode == CheckMode::always;
    return {all || result < first || result % every == 0, all, ++seed_};
  }

 private:
  static constexpr std::uint64_t first = 4, every = 64;

  std::atomic<CheckMode> mode_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> results_;
  std::uint64_t seed_ = 0;
};

}  // namespace duoblas
