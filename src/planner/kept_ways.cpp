// Converts what WayChooser knows to bytes, for later processes of the same build on the same
// machine.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "planner/kept_records.hpp"
#include "planner/way_chooser.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t kind_of_records = 0x77617973;  // no other part's bytes
// Increase it when the bytes change.
constexpr std::uint32_t format = 1;

constexpr std::int32_t places = static_cast<std::int32_t>(WayTimes().last.size());

/// The stored bytes of one way.
struct KeptWay {
  std::int32_t seen = 0;  ///< 0: its time is not known
  std::int32_t lone_calls = 0;
  std::int32_t was_disbelieved = 0;
  std::int32_t unused = 0;  // no bytes that nobody writes
  double last[places] = {};
  double unseen_seconds = 0;

  KeptWay() = default;
  explicit KeptWay(const WayTimes& times)
      : seen(times.is_known() ? times.seen : 0),
        lone_calls(times.lone_calls),
        was_disbelieved(times.was_disbelieved),
        unseen_seconds(times.unseen.all()) {
    if (times.is_known()) std::ranges::copy(times.last, last);
  }
  WayTimes times() const {
    WayTimes known;
    known.seen = seen;
    std::ranges::copy(last, known.last.begin());
    known.lone_calls = lone_calls;
    known.was_disbelieved = was_disbelieved == 1;
    if (known.is_known()) known.recalled = known.per_unit();
    known.unseen.before = unseen_seconds;
    return known;
  }
  bool is_sound() const {
    return (seen == 0 || seen >= WayTimes::until_known) && WayTimes::reduced(seen) == seen &&
           are_times(last, std::min(seen - 1, places)) &&
           is_below(lone_calls, WayTimes::enough_lone_calls + 1) && is_below(was_disbelieved, 2) &&
           is_sum_of_seconds(unseen_seconds);
  }
};

}  // namespace

/// The stored bytes of one class.
struct WayChooser::Kept {
  std::uint64_t key = 0;
  KeptWay ways[way_count];

  bool is_sound() const {
    return is_kept_key(key) && std::ranges::all_of(ways, &KeptWay::is_sound);
  }
  bool has_seen() const {
    return std::ranges::any_of(ways,
                               [](const KeptWay& way) { return way.seen + way.lone_calls > 0; });
  }
};

std::vector<unsigned char> WayChooser::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Kept> records;
  for (const auto& [key, known] : classes_) {
    Kept record;
    record.key = key;
    for (std::size_t i = 0; i < way_count; ++i)
      record.ways[i] = KeptWay(known.of(static_cast<Way>(i)));
    if (record.has_seen() && record.is_sound()) records.push_back(record);
  }
  return bytes_of(kind_of_records, format, records);
}

bool WayChooser::restore(const std::vector<unsigned char>& kept) {
  const auto records = records_of<Kept>(kind_of_records, format, kept);
  if (!records) return false;
  std::map<std::uint64_t, WayClass> classes;
  for (const Kept& record : *records)
    for (std::size_t i = 0; i < way_count; ++i)
      classes[record.key].of(static_cast<Way>(i)) = record.ways[i].times();
  const std::lock_guard guard(mutex_);
  // A drop-in sees calls before it has opened the device whose times these are.
  for (const auto& [key, seen] : classes_)
    for (std::size_t i = 0; i < way_count; ++i) {
      const Way way = static_cast<Way>(i);
      WayTimes& known = classes[key].of(way);
      if (seen.of(way).is_known()) known = seen.of(way);
      known.has_begun |= seen.of(way).has_begun;
    }
  classes_ = std::move(classes);
  return true;
}

}  // namespace duoblas
