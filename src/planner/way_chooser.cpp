#include "planner/way_chooser.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

#include "planner/kept_records.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t kind_of_records = 0x77617973;  // no other part's bytes
// Increase it when the bytes change.
constexpr std::uint32_t format = 2;

struct KeptTime {
  double unit = 0;
  ClassFactor factor;

  bool is_sound() const {
    return std::isfinite(unit) && unit >= 0 && (unit > 0 || factor.seen == 0) &&
           duoblas::is_sound(factor);
  }
};

}  // namespace

/// The stored bytes of one class.
struct WayChooser::Kept {
  std::uint64_t key = 0;
  std::array<KeptTime, way_count> times;

  bool is_sound() const {
    return is_kept_key(key) && std::ranges::all_of(times, &KeptTime::is_sound);
  }
};

// A program of few calls may end before it has kept what a look showed, and a later one would look
// again. So a look that costs much of this process's time is made only once its price is stored.
Way WayChooser::choose(const CallClass& call, std::initializer_list<WayEstimate> ways) {
  std::unique_lock lock(mutex_);
  const bool may_store = store_ && seconds_here_ >= 2 * not_stored_at_;
  const WayClass::Choice choice = classes_[call.key].choose(ways, call.work, may_store);
  if (!choice.is_dear) return choice.way;
  lock.unlock();
  const bool is_stored = store_();
  lock.lock();
  if (is_stored) return choice.way;
  not_stored_at_ = seconds_here_;
  classes_[call.key].take_back(choice);  // restore() may have been at it
  return choice.best;
}

void WayChooser::observe(const CallClass& call, Way way, double seconds) noexcept try {
  if (!(seconds > 0 && call.work > 0 && std::isfinite(seconds))) return;
  std::function<void()> changed;
  {
    const std::lock_guard guard(mutex_);
    seconds_here_ += seconds;
    const bool is_news = classes_[call.key].observe(way, seconds, call.work);
    // What programs of few calls have seen adds up only if they tell soon.
    if (changed_ && is_kept(call.key) && (is_news || seconds_here_ >= 2 * told_at_)) {
      told_at_ = seconds_here_;
      changed = changed_;
    }
  }
  if (changed) changed();
} catch (const std::bad_alloc&) {
  // The next call like it may be remembered.
}

std::optional<double> WayChooser::seen_seconds(const CallClass& call, Way way) {
  const std::lock_guard guard(mutex_);
  const auto known = classes_.find(call.key);
  return known == classes_.end() ? std::nullopt : known->second.seen_seconds(way, call.work);
}

double WayChooser::least_plain_seconds(const CallClass& call, double estimate) {
  return seen_seconds(call, Way::plain).value_or(WayClass::least_of_plain * estimate);
}

void WayChooser::observe_sides(const CallClass& call, double share, double device_seconds,
                               double cpu_seconds) noexcept try {
  const std::lock_guard guard(mutex_);
  shares_[call.key].observe(share, device_seconds, cpu_seconds);
} catch (const std::bad_alloc&) {
  // As above.
}

std::optional<double> WayChooser::balanced_share(const CallClass& call, double least_of_cpu) {
  const std::lock_guard guard(mutex_);
  const auto known = shares_.find(call.key);
  return known == shares_.end() ? std::nullopt : known->second.share(least_of_cpu);
}

std::vector<unsigned char> WayChooser::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Kept> records;
  for (const auto& [key, known] : classes_) {
    Kept record;
    record.key = key;
    for (std::size_t i = 0; i < way_count; ++i) {
      const WayTime& time = known.of(static_cast<Way>(i));
      record.times[i] = {time.unit, time.factor};
    }
    if (record.is_sound()) records.push_back(record);
  }
  return bytes_of(kind_of_records, format, records);
}

bool WayChooser::restore(const std::vector<unsigned char>& kept) {
  const auto records = records_of<Kept>(kind_of_records, format, kept);
  if (!records) return false;
  const std::lock_guard guard(mutex_);
  for (const Kept& record : *records)
    for (std::size_t i = 0; i < way_count; ++i) {
      WayTime& known = classes_[record.key].of(static_cast<Way>(i));
      // A drop-in sees calls before it has opened the device whose times these are.
      if (known.is_seen()) continue;
      known.unit = record.times[i].unit;
      known.factor = record.times[i].factor;
      age(known.factor);
    }
  return true;
}

void WayChooser::tell(std::function<void()> changed, std::function<bool()> store) {
  const std::lock_guard guard(mutex_);
  changed_ = std::move(changed);
  store_ = std::move(store);
}

}  // namespace duoblas
