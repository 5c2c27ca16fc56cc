#include "planner/lapack_selector.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace duoblas {
namespace {

// Increase it when the bytes change.
constexpr std::uint32_t format = 2;

// A call after one of the other provider runs beside threads that wait for its next one, spinning.
// On an H200's host our side took 58 and 66 ms beside them for what takes 15 (automatic_plan.cpp).
constexpr double disturbed = 4.4;

struct Header {
  std::uint32_t kind = 0x6c61706b;  // no other learner's bytes
  std::uint32_t format = duoblas::format, record_bytes = 0, records = 0;
};

}  // namespace

/// The stored bytes of one kind.
struct LapackSelector::Record {
  std::int32_t routine = 0, precision = 0, uplo = 0, log_flops = 0, several = 0;
  std::int32_t seen[2] = {};
  std::int32_t unused = 0;  // no bytes that nobody writes
  double last[2][3] = {};
  double unseen_seconds[2] = {};

  bool is_sound() const {
    const auto is_below = [](std::int32_t value, std::size_t count) {
      return value >= 0 && static_cast<std::size_t>(value) < count;
    };
    if (!is_below(routine, lapack_routine_count) || !is_below(precision, precision_count) ||
        !is_below(uplo, 2) || !is_below(several, 2) || log_flops < -1023 || log_flops > 1023)
      return false;
    for (std::size_t provider = 0; provider < 2; ++provider) {
      if (seen[provider] != 0 && !(seen[provider] >= 2 && seen[provider] <= 4)) return false;
      for (int i = 0; i + 1 < seen[provider]; ++i)
        if (!std::isfinite(last[provider][i]) || last[provider][i] <= 0) return false;
      if (!std::isfinite(unseen_seconds[provider]) || unseen_seconds[provider] < 0) return false;
    }
    return true;
  }
};

LapackSelector::Kind LapackSelector::kind_of(const LapackProblem& p) {
  return {p.routine, p.precision, p.uplo, std::ilogb(flops(p)), p.right_sides > 1};
}

// Our calls since the program's library was seen may have lost what they took over sure_gain of its
// estimate. Once that is what a try is expected to cost, the try is paid.
bool LapackSelector::is_try_paid(const Provider& of_program, double ours, double programs) {
  const int calls = RecentTimes::until_known - of_program.times.seen;
  return of_program.unseen.all() * (1 - sure_gain * programs / ours) >= calls * (programs - ours);
}

LapackProvider LapackSelector::choose(const LapackProblem& p, double ours, double programs) {
  const std::lock_guard guard(mutex_);
  auto& [of_program, of_ours] = kinds_[kind_of(p)];
  if (of_ours.times.is_known()) ours = of_ours.times.per_flop() * flops(p);
  if (of_program.times.is_known()) programs = of_program.times.per_flop() * flops(p);
  const bool both = of_ours.times.is_known() && of_program.times.is_known();
  bool is_ours = both ? ours < programs
                      : ours < (of_program.times.is_known() ? worth_a_try : sure_gain) * programs;
  if (!is_ours && of_ours.times.is_known() && !of_program.times.is_known())
    is_ours = !is_try_paid(of_program, ours, programs);
  Provider& other = is_ours ? of_program : of_ours;
  const double least = is_ours ? ours : programs, costs = (is_ours ? programs : ours) - least;
  const bool is_doubted = other.is_doubted && costs < (worth_a_try - 1) * least;
  // A provider that is expected to be faster but is not chosen has its own reasons to wait.
  const bool goes_on = costs > 0 && std::exchange(other.goes_on, false);
  const bool explores =
      costs > 0 && (goes_on || is_doubted ||
                    other.unseen.pay_for(std::max(costs, other.lost_per_flop * flops(p))));
  if (explores) {
    other.is_second = goes_on;
    // Charged even if the call fails or is done otherwise, and so shows nothing.
    other.unseen = {};
    other.is_exploration = true;
    other.is_doubted = false;
  }
  return is_ours != explores ? LapackProvider::ours : LapackProvider::programs;
}

// What a time is compared with that would decide alone; 0: it would not, or nothing is known.
double LapackSelector::known_per_flop(const Provider& done, const Provider& other) {
  if (done.times.is_known() && !done.is_exploration)
    return done.times.seen == RecentTimes::until_known ? done.times.per_flop() : 0;
  if (done.times.seen == 0) return 0;
  return other.times.is_known() && !(done.first > 0 && done.first < other.times.per_flop())
             ? other.times.per_flop()
             : done.first;
}

void LapackSelector::saw(const LapackProblem& p, LapackProvider provider, double seconds) noexcept
    try {
  std::function<void()> changed;
  {
    const std::lock_guard guard(mutex_);
    std::array<Provider, 2>& providers = kinds_[kind_of(p)];
    Provider& done = providers[static_cast<std::size_t>(provider)];
    Provider& other = providers[1 - static_cast<std::size_t>(provider)];
    // The first call of a process waits for memory and kernels.
    if (!std::exchange(done.has_begun, true)) {
      done.goes_on = done.is_exploration;
      return;
    }
    other.unseen.add(seconds);
    if (done.doubted.is_passing(seconds / flops(p), known_per_flop(done, other))) {
      done.unseen = {};
      done.is_exploration = false;
      return;
    }
    if (done.times.seen == 0) done.first = seconds / flops(p);
    const bool was_known = done.times.is_known();
    const auto is_better = [&] {
      return done.times.is_known() && other.times.is_known() &&
             done.times.per_flop() < other.times.per_flop();
    };
    const bool was_better = is_better();
    // An exploration counts alone: the earlier times may be the reason why nobody has looked.
    const bool was_exploration = std::exchange(done.is_exploration, false) && was_known;
    if (was_exploration) done.times.seen = 1;
    if (was_exploration && other.times.is_known()) {
      const double per_flop = seconds / flops(p), others = other.times.per_flop();
      if (!done.is_second) done.lost_per_flop = 0;
      done.lost_per_flop += std::max(0.0, per_flop - others);
      done.goes_on = !done.is_second && per_flop >= others && per_flop < disturbed * others;
    }
    if (done.recalled.is_outdated_by(seconds / flops(p))) other.is_doubted = !other.has_begun;
    done.times.saw(seconds, flops(p));
    if (!done.times.is_known()) return;
    done.unseen = {};
    done.is_doubted = false;
    if (!was_known || was_better != is_better()) changed = changed_;
  }
  if (changed) changed();
} catch (const std::bad_alloc&) {
  // The next call like it may be remembered.
}

double LapackSelector::seconds_of_program(const LapackProblem& p, double programs) {
  const std::lock_guard guard(mutex_);
  const auto kind = kinds_.find(kind_of(p));
  if (kind == kinds_.end()) return sure_gain * programs;
  const RecentTimes& times = kind->second[static_cast<std::size_t>(LapackProvider::programs)].times;
  return times.is_known() ? times.per_flop() * flops(p) : sure_gain * programs;
}

std::vector<unsigned char> LapackSelector::kept() {
  const std::lock_guard guard(mutex_);
  std::vector<Record> records;
  for (const auto& [kind, providers] : kinds_) {
    const auto& [routine, precision, uplo, log_flops, several] = kind;
    Record record;
    record.routine = static_cast<std::int32_t>(routine);
    record.precision = static_cast<std::int32_t>(precision_index(precision));
    record.uplo = uplo == Uplo::lower;
    record.log_flops = log_flops;
    record.several = several;
    for (std::size_t provider = 0; provider < providers.size(); ++provider) {
      record.unseen_seconds[provider] = providers[provider].unseen.all();
      if (!providers[provider].times.is_known()) continue;
      record.seen[provider] = std::min(providers[provider].times.seen, 4);
      std::ranges::copy(providers[provider].times.last, record.last[provider]);
    }
    if (record.seen[0] + record.seen[1] > 0 && record.is_sound()) records.push_back(record);
  }
  static_assert(std::is_trivially_copyable_v<Record>);
  Header header;
  header.record_bytes = sizeof(Record);
  header.records = static_cast<std::uint32_t>(records.size());
  std::vector<unsigned char> bytes(sizeof header + records.size() * sizeof(Record));
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(bytes.data() + sizeof header + i * sizeof(Record), &records[i], sizeof(Record));
  return bytes;
}

bool LapackSelector::restore(const std::vector<unsigned char>& kept) {
  Header header;
  if (kept.size() < sizeof header) return false;
  std::memcpy(&header, kept.data(), sizeof header);
  const Header wanted;
  if (header.kind != wanted.kind || header.format != wanted.format ||
      header.record_bytes != sizeof(Record) ||
      kept.size() - sizeof header != std::size_t{header.records} * sizeof(Record))
    return false;
  std::map<Kind, std::array<Provider, 2>> kinds;
  for (std::size_t i = 0; i < header.records; ++i) {
    Record record;
    std::memcpy(&record, kept.data() + sizeof header + i * sizeof(Record), sizeof record);
    if (!record.is_sound()) return false;
    std::array<Provider, 2>& providers = kinds[{
        static_cast<LapackRoutine>(record.routine),
        all_precisions[static_cast<std::size_t>(record.precision)],
        record.uplo == 1 ? Uplo::lower : Uplo::upper, record.log_flops, record.several == 1}];
    for (std::size_t provider = 0; provider < providers.size(); ++provider) {
      providers[provider].times.seen = record.seen[provider];
      std::ranges::copy(record.last[provider], providers[provider].times.last.begin());
      providers[provider].has_begun = record.seen[provider] == 0;
      if (providers[provider].times.is_known())
        providers[provider].recalled.per_flop = providers[provider].times.per_flop();
      providers[provider].unseen.before = record.unseen_seconds[provider];
    }
  }
  const std::lock_guard guard(mutex_);
  kinds_ = std::move(kinds);
  return true;
}

void LapackSelector::tell(std::function<void()> changed) {
  const std::lock_guard guard(mutex_);
  changed_ = std::move(changed);
}

}  // namespace duoblas
