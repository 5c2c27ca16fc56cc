#include "planner/level3_selector.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "timing/median.hpp"

namespace duoblas {
namespace {

// Increase it when the bytes change.
constexpr std::uint32_t format = 1;
constexpr int most_seen = 3 << 18;  // the places of `last` are taken in turns
// A variant that is chosen but never done, because it fails or its kernels are never built, is
// given up too.
constexpr int most_chosen_per_try = 8;

struct Header {
  std::uint32_t format = 0, record_bytes = 0, records = 0;
};

template <typename T>
T get(const std::vector<unsigned char>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

/// The stored bytes of one kind.
struct Level3Selector::Record {
  std::int32_t routine = 0, precision = 0, side = 0, op = 0, log_flops = 0;
  std::int32_t seen[way_count] = {};
  double last[way_count][3] = {};

  bool is_sound() const {
    const auto is_below = [](std::int32_t value, std::size_t count) {
      return value >= 0 && static_cast<std::size_t>(value) < count;
    };
    constexpr std::size_t sides = 2, ops = 3;
    if (!is_below(routine, routine_count) || !is_below(precision, precision_count) ||
        !is_below(side, sides) || !is_below(op, ops) || log_flops < -1023 || log_flops > 1023)
      return false;
    for (std::size_t way = 0; way < way_count; ++way) {
      if (!is_below(seen[way], 4)) return false;
      for (int i = 0; i < seen[way]; ++i)
        if (!std::isfinite(last[way][i]) || last[way][i] <= 0) return false;
    }
    return true;
  }
};

double Level3Selector::Way::per_flop() const {
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(seen), last.size());
  return upper_median(std::vector<double>(last.begin(), last.begin() + static_cast<int>(count)));
}

Level3Selector::Kind Level3Selector::kind_of(const Level3Problem& p, CallsAre calls) {
  return {p.routine, p.precision, p.side, p.op, std::ilogb(flops(p)), calls};
}

Level3Choice Level3Selector::choose(const Level3Problem& p, double job, double halves,
                                    CallsAre calls) {
  const std::lock_guard guard(mutex_);
  std::array<Way, way_count>& ways = kinds_[kind_of(p, calls)];
  std::array<double, 2> expected{job, halves};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (ways[i].seen > 0) expected[i] = ways[i].per_flop() * flops(p);
  const std::size_t better = expected[0] <= expected[1] ? 0 : 1, other = 1 - better;
  // The better variant first, until it is known what the other one can gain.
  const double worth = ways[other].is_recalled ? worth_another_try : worth_a_try;
  const bool tries_other = ways[better].seen > 0 && ways[other].tried < tries &&
                           ways[other].chosen < most_chosen_per_try * tries &&
                           expected[other] < worth * expected[better];
  const bool looks_at_other = !tries_other && ways[better].seen > 0 && ways[other].seen > 0 &&
                              pays(ways[other], expected[other] - expected[better]);
  const std::size_t chosen = tries_other || looks_at_other ? other : better;
  ways[chosen].chosen = std::min(ways[chosen].chosen + 1, most_seen);
  return static_cast<Level3Choice>(chosen);
}

// Paid for, whatever becomes of the call: what fails, or is done otherwise, shows nothing.
bool Level3Selector::pays(Way& way, double costs) {
  if (costs >= exploration_part * way.seconds_since) return false;
  way.seconds_since = 0;
  way.is_exploration = true;
  return true;
}

bool Level3Selector::looks_at(const Level3Problem& p, Level3Choice choice, double costs,
                              CallsAre calls) {
  const std::lock_guard guard(mutex_);
  Way& way = kinds_[kind_of(p, calls)][static_cast<std::size_t>(choice)];
  const bool is_new = way.seen == 0;
  if (is_new && choice != Level3Choice::cpu) return false;
  const bool is_first_look = is_new && way.chosen < tries && costs < first_look_at_cpu;
  if (!is_first_look && !pays(way, costs)) return false;
  way.chosen = std::min(way.chosen + 1, most_seen);
  return true;
}

std::optional<double> Level3Selector::seen_seconds(const Level3Problem& p, Level3Choice choice,
                                                   CallsAre calls) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p, calls));
  if (kind == kinds_.end()) return {};
  const Way& way = kind->second[static_cast<std::size_t>(choice)];
  if (way.seen == 0) return {};
  return way.per_flop() * flops(p);
}

void Level3Selector::saw(const Level3Problem& p, Level3Choice choice, double seconds,
                         CallsAre calls) {
  const std::lock_guard guard(mutex_);
  std::array<Way, way_count>& ways = kinds_[kind_of(p, calls)];
  Way& way = ways[static_cast<std::size_t>(choice)];
  way.tried = std::min(way.tried + 1, most_seen);
  const bool is_first = !std::exchange(way.has_begun, true);
  if (is_first && choice != Level3Choice::cpu) return;
  for (Way& other : ways) other.seconds_since += seconds;
  way.seconds_since = 0;
  // What it took before may be why nobody has looked.
  if (std::exchange(way.is_exploration, false)) way.seen = 0;
  way.last[static_cast<std::size_t>(way.seen) % way.last.size()] = seconds / flops(p);
  way.seen = std::min(way.seen + 1, most_seen);
}

void Level3Selector::saw_sides(const Level3Problem& p, double share, double gpu_seconds,
                               double cpu_seconds, CallsAre calls) {
  if (share <= 0 || share > 1 || gpu_seconds <= 0) return;
  const std::lock_guard guard(mutex_);
  Sides& sides = sides_[kind_of(p, calls)];
  if (share == 1) sides.seconds_since += sides.last_whole = gpu_seconds;
  if (share == 1 || cpu_seconds <= 0) return;
  const double gpu = share / gpu_seconds, cpu = (1 - share) / cpu_seconds;
  sides.seconds_since = 0;
  if (std::exchange(sides.is_exploration, false)) sides.seen = 1;
  // The first one waits for memory and kernels.
  if (sides.seen > 0)
    sides.last[static_cast<std::size_t>(sides.seen - 1) % sides.last.size()] = gpu / (gpu + cpu);
  sides.seen = std::min(sides.seen + 1, most_seen + 1);
}

std::optional<double> Level3Selector::balanced_share(const Level3Problem& p, double least_of_cpu,
                                                     CallsAre calls) {
  const std::lock_guard guard(mutex_);
  const auto found = sides_.find(kind_of(p, calls));
  if (found == sides_.end() || found->second.seen < 2) return {};
  Sides& sides = found->second;
  const auto count = std::min(static_cast<std::size_t>(sides.seen - 1), sides.last.size());
  const double share = upper_median(
      std::vector<double>(sides.last.begin(), sides.last.begin() + static_cast<int>(count)));
  if (1 - share >= least_of_cpu / 2) return share;
  // The CPU's side would take longer than the device takes for all, by as much as its part is
  // larger than its due.
  const double excess = least_of_cpu / std::max(1 - share, 1e-9) - 1;
  if (excess * sides.last_whole >= exploration_part * sides.seconds_since) return 1.0;
  sides.seconds_since = 0;
  sides.is_exploration = true;
  return 1 - least_of_cpu;
}

std::vector<unsigned char> Level3Selector::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Record> records;
  for (const auto& [kind, ways] : kinds_) {
    const auto& [routine, precision, side, op, log_flops, calls] = kind;
    if (calls != CallsAre::usual || ways[0].seen + ways[1].seen + ways[2].seen == 0) continue;
    Record record;
    record.routine = static_cast<std::int32_t>(routine);
    record.precision = static_cast<std::int32_t>(precision_index(precision));
    record.side = static_cast<std::int32_t>(side);
    record.op = static_cast<std::int32_t>(op);
    record.log_flops = log_flops;
    for (std::size_t way = 0; way < ways.size(); ++way) {
      record.seen[way] = std::min<std::int32_t>(ways[way].seen, 3);
      std::ranges::copy(ways[way].last, record.last[way]);
    }
    if (record.is_sound()) records.push_back(record);
  }
  static_assert(std::is_trivially_copyable_v<Record>);
  const Header header{format, sizeof(Record), static_cast<std::uint32_t>(records.size())};
  std::vector<unsigned char> bytes(sizeof header + records.size() * sizeof(Record));
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(bytes.data() + sizeof header + i * sizeof(Record), &records[i], sizeof(Record));
  return bytes;
}

bool Level3Selector::restore(const std::vector<unsigned char>& kept) {
  if (kept.size() < sizeof(Header)) return false;
  const auto header = get<Header>(kept, 0);
  if (header.format != format || header.record_bytes != sizeof(Record) ||
      kept.size() - sizeof(Header) != std::size_t{header.records} * sizeof(Record))
    return false;
  std::map<Kind, std::array<Way, way_count>> kinds;
  for (std::size_t i = 0; i < header.records; ++i) {
    const auto record = get<Record>(kept, sizeof(Header) + i * sizeof(Record));
    if (!record.is_sound()) return false;
    std::array<Way, way_count>& ways = kinds[{
        static_cast<Routine>(record.routine),
        all_precisions[static_cast<std::size_t>(record.precision)], static_cast<Side>(record.side),
        static_cast<Op>(record.op), record.log_flops, CallsAre::usual}];
    for (std::size_t way = 0; way < ways.size(); ++way) {
      ways[way].seen = record.seen[way];
      ways[way].is_recalled = record.seen[way] > 0;
      std::ranges::copy(record.last[way], ways[way].last.begin());
    }
  }
  const std::lock_guard guard(mutex_);
  kinds_ = std::move(kinds);
  return true;
}

}  // namespace duoblas
