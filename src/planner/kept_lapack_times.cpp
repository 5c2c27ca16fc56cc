// Converts what LapackSelector knows to bytes, for later processes of the same build on the same
// machine.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "planner/kept_records.hpp"
#include "planner/lapack_selector.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t kind_of_records = 0x6c61706b;  // no other learner's bytes
// Increase it when the bytes change.
constexpr std::uint32_t format = 3;

constexpr int places = static_cast<int>(RecentTimes().last.size());

// All are known from here on. More do not matter, but the place of the next one does, since each
// process may add only one.
constexpr int all_known = places + 1;
constexpr int kept_number(int seen) {
  return seen <= all_known ? seen : all_known + (seen - all_known) % places;
}

}  // namespace

/// The stored bytes of one kind.
struct LapackSelector::Kept {
  std::int32_t routine = 0, precision = 0, uplo = 0, log_flops = 0, several = 0;
  std::int32_t seen[2] = {};
  std::int32_t lone_calls[2] = {};
  std::int32_t is_doubted[2] = {};  ///< the last one's time
  std::int32_t unused = 0;          // no bytes that nobody writes
  double last[2][3] = {};
  double unseen_seconds[2] = {};

  bool is_sound() const {
    if (!is_below(routine, lapack_routine_count) || !is_below(precision, precision_count) ||
        !is_below(uplo, 2) || !is_below(several, 2) || !is_log_flops(log_flops))
      return false;
    for (std::size_t provider = 0; provider < 2; ++provider) {
      const int number = seen[provider];
      if (number != 0 && !(number >= RecentTimes::until_known && number < all_known + places))
        return false;
      if (!are_times(last[provider], std::min(number - 1, places)) ||
          !is_below(lone_calls[provider], enough_lone_calls + 1) ||
          !is_below(is_doubted[provider], 2) || !is_sum_of_seconds(unseen_seconds[provider]))
        return false;
    }
    return true;
  }
};

std::vector<unsigned char> LapackSelector::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Kept> records;
  for (const auto& [kind, providers] : kinds_) {
    const auto& [routine, precision, uplo, log_flops, several] = kind;
    Kept record;
    record.routine = static_cast<std::int32_t>(routine);
    record.precision = static_cast<std::int32_t>(precision_index(precision));
    record.uplo = uplo == Uplo::lower;
    record.log_flops = log_flops;
    record.several = several;
    for (std::size_t provider = 0; provider < providers.size(); ++provider) {
      record.unseen_seconds[provider] = providers[provider].unseen.all();
      record.lone_calls[provider] = providers[provider].lone_calls;
      record.is_doubted[provider] = providers[provider].doubted.is_doubted;
      if (!providers[provider].times.is_known()) continue;
      record.seen[provider] = kept_number(providers[provider].times.seen);
      std::ranges::copy(providers[provider].times.last, record.last[provider]);
    }
    const bool has_seen =
        record.seen[0] + record.seen[1] + record.lone_calls[0] + record.lone_calls[1] > 0;
    if (has_seen && record.is_sound()) records.push_back(record);
  }
  return bytes_of(kind_of_records, format, records);
}

bool LapackSelector::restore(const std::vector<unsigned char>& kept) {
  const auto records = records_of<Kept>(kind_of_records, format, kept);
  if (!records) return false;
  std::map<Kind, Providers> kinds;
  for (const Kept& record : *records) {
    Providers& providers = kinds[{static_cast<LapackRoutine>(record.routine),
                                  all_precisions[static_cast<std::size_t>(record.precision)],
                                  record.uplo == 1 ? Uplo::lower : Uplo::upper, record.log_flops,
                                  record.several == 1}];
    for (std::size_t provider = 0; provider < providers.size(); ++provider) {
      providers[provider].times.seen = record.seen[provider];
      std::ranges::copy(record.last[provider], providers[provider].times.last.begin());
      providers[provider].lone_calls = record.lone_calls[provider];
      providers[provider].doubted.is_doubted = record.is_doubted[provider] == 1;
      if (providers[provider].times.is_known())
        providers[provider].recalled.per_flop = providers[provider].times.per_flop();
      providers[provider].unseen.before = record.unseen_seconds[provider];
    }
  }
  const std::lock_guard guard(mutex_);
  // A drop-in sees calls before it has opened the device whose times these are.
  for (auto& [kind, seen] : kinds_) {
    Providers& providers = kinds[kind];
    for (std::size_t provider = 0; provider < providers.size(); ++provider) {
      if (seen[provider].times.is_known()) providers[provider] = seen[provider];
      providers[provider].has_begun |= seen[provider].has_begun;
    }
  }
  kinds_ = std::move(kinds);
  return true;
}

}  // namespace duoblas
