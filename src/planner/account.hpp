// Whether something pays that a program did not ask for: starting the device, building and trying
// kernels, checking first results. Pure: the clock is the caller's, and what earlier runs had is
// given.
//
//   An outlay is made when its return over the work that is still likely to come exceeds its cost.
//
// A known program will have what its earlier run had, less what was seen. Of an unknown one, as
// much again as so far is likely: a skier buys skis when the rent paid reaches their price (A. R.
// Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching, Algorithmica 3,
// 1988). What is bought on one hope is bought once: later outlays count what it has paid for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "facts/rates.hpp"
#include "planner/learner.hpp"
#include "planner/unseen_seconds.hpp"

namespace duoblas {

enum class Outlay { start, builds, checks };
inline constexpr std::size_t outlay_count = 3;

/// What outlays take of a program's time on this machine, in seconds. Priors, until it was seen.
struct OutlayCosts {
  double until_ready = rates::seconds_until_ready;  ///< from a start on
  /// What builds and checks after the last start of an unknown program took.
  double beside = 0;
  /// Of a core, to build and try a kernel; 0: none was built here.
  double build = 0;
  /// The seconds that first checks take, over those that rates promise.
  double checks = 1;

  double start() const { return rates::lost_part_of_start * until_ready; }
};

/// What one outlay takes of a program's time.
struct OutlayPrice {
  double seconds = 0;
  /// Until it is done, beside calls that have nothing of it. A program that ends earlier waits.
  double until_done = 0;
};

/// What a run of a program had for the device. Seconds are those of the program's own BLAS, in
/// which at least one call ran that the device may help.
struct ProgramWork {
  using Class = ClassGain;

  double seconds = 0;
  /// What the device saves of them if it is started at the first call.
  double gain = 0;
  /// The part of a call's time that the device promises to save, once it is ready.
  double promised = 0;
  /// Seconds of builds and checks that such a run did without: all, and of each class no more than
  /// it gains by them.
  double needs = 0, beside = 0;
  /// Seconds that runs so far missed without them: what is built lasts, and there may be as many
  /// runs again.
  double missed = 0;
  /// The part of these promises that it keeps.
  double kept = 1;
  /// The first of its classes of calls.
  std::vector<Class> classes = {};

  static constexpr std::size_t most_classes = 16;
  const Class* find(std::uint32_t number) const {
    const auto one = std::ranges::find(classes, number, &Class::number);
    return one == classes.end() ? nullptr : &*one;
  }
  bool has_all_classes() const { return !classes.empty() && classes.size() < most_classes; }
  /// So many seconds of such calls are no other run's. All are, of a class that was not kept.
  double most_of(std::uint32_t number) const;
  /// Whether such a run gains more than a start takes: without what does not pay in one run, or
  /// with all that it needs, for which runs save.
  bool repays(double start) const { return gain > start + beside || gain + missed > start + needs; }

  friend bool operator==(const ProgramWork&, const ProgramWork&) = default;
};

class Account {
 public:
  /// `trust`: how many times as much again as so far an unknown program is expected to do.
  explicit Account(const OutlayCosts& costs = {}, std::optional<ProgramWork> earlier = {},
                   double trust = 1)
      : costs_(costs),
        earlier_(std::move(earlier)),
        carried_(earlier_ ? earlier_->missed : 0),
        trust_(trust) {}

  /// A part of a call's time that no earlier call covered.
  struct Covered {
    std::uint32_t of_class = 0;
    double seconds = 0;
    double late = 0;  ///< the same if a device that was started at the first call would be ready

    Covered& operator+=(const Covered& more) {
      seconds += more.seconds;
      late += more.late;
      return *this;
    }
  };
  /// A call of that class ends that began at `begin`, and had no device. Threads that call at once
  /// count once. \throws std::bad_alloc, and nothing changes.
  Covered cover(double begin, double end, std::uint32_t of_class);
  /// What the device would have saved of that: the part `gain`.
  void promise(const Covered& call, double gain);

  /// Whether to start the device at `now`, when a call of class `next` begins. `unasked`: seconds
  /// of calls of which no gain is known yet; all of it counts.
  bool start_pays(double now, std::uint32_t next, double unasked = 0) const {
    const double gain = expected(now, next, unasked);
    return gain > start_cost() ||
           (!is_hope(next) && gain + carried_ > costs_.start() + earlier_->needs);
  }
  /// A start and what it needs besides, which only pay together.
  double start_cost() const {
    return costs_.start() + (earlier_ ? earlier_->beside : costs_.beside);
  }
  /// The same before the first call, of a program whose earlier run is known.
  bool start_pays_at_begin() const { return earlier_ && earlier_->repays(costs_.start()); }
  /// Likewise. It is started.
  void start_at_begin() { note(Outlay::start, costs_.start(), earlier_->gain); }
  /// It is started. `told`: the user said so, and it is not to return anything.
  void start(double now, std::uint32_t next, bool told = false);
  /// Whether that is hoped rather than known: there was no earlier run, it had no more calls than
  /// this one, or calls of other classes. Then this run's input is another one.
  bool is_hope(std::uint32_t next) const;

  /// A call of that class would have gained `missed` seconds by the device, and did not have it,
  /// since something was not built or checked.
  void miss(std::uint32_t of_class, double missed);
  /// Of calls since the device was open, by class; as far as their class is known.
  using GainsOfClasses = std::function<std::vector<ClassGain>()>;
  static std::vector<ClassGain> none_told() { return {}; }
  /// The same, and whether it pays to build or check it now; without `missed`: before a call asks,
  /// by what is known. Then the price that is returned is spent; nothing: it does not. `gains`: of
  /// the calls since the device was open; `by_class` is called only if it might.
  std::optional<double> pays(Outlay what, std::uint32_t of_class, std::optional<double> missed,
                             const OutlayPrice& price, const Gains& gains,
                             const GainsOfClasses& by_class = none_told);
  /// An outlay that was made took `more` than its price. So much of the hope is spent too, or left.
  void correct(Outlay what, double more);
  /// So many of its seconds loaded kernels that were built before, as each run does.
  void note_load(double seconds) { loads_ += seconds; }

  double seconds() const { return seconds_; }
  const OutlayCosts& costs() const { return costs_; }
  /// Of builds and checks, beside a start.
  double spent_beside() const { return of(Outlay::builds).cost + of(Outlay::checks).cost; }
  double spent() const { return of(Outlay::start).cost + spent_beside(); }

  struct Entry {
    int count = 0;
    double cost = 0, expected = 0;
  };
  const Entry& of(Outlay what) const { return entries_[static_cast<std::size_t>(what)]; }

  /// What later runs are told. `gains`: of the calls since the device was open; `by_class`: of
  /// those of them whose class is known.
  ProgramWork work(const Gains& gains, std::span<const ClassGain> by_class = {}) const;

 private:
  struct Class : ProgramWork::Class {
    double promised = 0;
    double spent = 0;   ///< on what the earlier run is known to have had of it
    double unpaid = 0;  ///< the cost of what was not bought
  };
  /// Null: there are too many. \throws std::bad_alloc.
  Class* own(std::uint32_t number);
  Entry& entry(Outlay what) { return entries_[static_cast<std::size_t>(what)]; }
  void note(Outlay what, double cost, double expected);
  double expected(double now, std::uint32_t next, double unasked) const;
  /// What the earlier run is known to have had, less what was seen.
  struct ToCome {
    double gain = 0;     ///< of a class
    double seconds = 0;  ///< of all
    double part = 0;     ///< of the gain of all, that of the class
  };
  ToCome known_to_come(const Class* own, const Gains& gains) const;
  struct Shown {
    double on_cpu = 0;  ///< seconds that calls since the device was open would have taken without
    double won = 0;     ///< of them, what the device saved, beside what loading kernels took
    double due = 0;     ///< and what was promised of those that had it
    double kept = 1;    ///< the part of its promises
  };
  Shown shown(const Gains& gains, std::span<const ClassGain> by_class) const;
  /// Most of the calls so far are of classes that the earlier run did not have.
  bool is_mostly_foreign() const { return foreign_ > seconds_ - foreign_; }
  bool is_known() const { return earlier_ && !is_mostly_foreign(); }
  bool is_other_run(std::uint32_t next) const;
  double kept_before() const;
  bool is_contradicted() const { return excess_ > costs_.start(); }
  std::vector<ClassGain> main_classes(double all, double kept,
                                      std::span<const ClassGain> by_class) const;

  OutlayCosts costs_;
  std::optional<ProgramWork> earlier_;
  double carried_ = 0;  ///< of what earlier runs missed, what is not spent
  double trust_ = 1;
  std::vector<Class> classes_;  ///< of this run
  double foreign_ = 0;          ///< seconds of classes that the earlier run did not have
  double excess_ = 0;           ///< seconds of its classes that are more than it had
  double first_ = -1;           ///< when the first call began; below 0: there was none
  double covered_ = 0;          ///< until then
  double seconds_ = 0;
  double promised_ = 0, late_promised_ = 0, missed_ = 0;
  std::array<Entry, outlay_count> entries_{};
  double hoped_ = 0;  ///< spent on hope
  double loads_ = 0;
};

}  // namespace duoblas
