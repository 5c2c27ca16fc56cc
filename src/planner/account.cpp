#include "planner/account.hpp"

#include <limits>

namespace duoblas {

double ProgramWork::most_of(std::uint32_t number) const {
  constexpr double as_often = 2;  // a run that is up to twice as long is so by chance
  if (const Class* one = find(number)) return as_often * one->seconds;
  return has_all_classes() ? 0 : std::numeric_limits<double>::infinity();
}

Account::Class* Account::own(std::uint32_t number) {
  const auto one = std::ranges::find(classes_, number, &Class::number);
  if (one != classes_.end()) return &*one;
  if (classes_.size() >= ProgramWork::most_classes) return nullptr;
  return &classes_.emplace_back(Class{{number}});
}

Account::Covered Account::cover(double begin, double end, std::uint32_t of_class) {
  Class* const own_class = own(of_class);
  if (first_ < 0) first_ = covered_ = begin;
  Covered call;
  call.of_class = of_class;
  call.seconds = std::max(0.0, end - std::max(begin, covered_));
  covered_ = std::max(covered_, end);
  seconds_ += call.seconds;
  if (own_class != nullptr) own_class->seconds += call.seconds;
  if (earlier_) {
    const double most = earlier_->most_of(of_class);
    if (most == 0)
      foreign_ += call.seconds;
    else if (own_class != nullptr)
      excess_ += std::clamp(own_class->seconds - most, 0.0, call.seconds);
  }
  if (begin - first_ >= costs_.until_ready) call.late = call.seconds;
  return call;
}

void Account::promise(const Covered& call, double gain) {
  promised_ += gain * call.seconds;
  late_promised_ += gain * call.late;
  const auto one = std::ranges::find(classes_, call.of_class, &Class::number);
  if (one == classes_.end()) return;
  one->gain += gain * call.seconds;
  one->promised += gain * call.seconds;
}

// Most of the calls so far, the next one among them, are of other classes.
bool Account::is_other_run(std::uint32_t next) const {
  if (!earlier_) return false;
  const bool is_half = foreign_ == seconds_ - foreign_;
  return is_mostly_foreign() || (is_half && earlier_->most_of(next) == 0);
}

// More calls of a class than the earlier run had may cost as much as a start before they show that
// this is another input.
bool Account::is_hope(std::uint32_t next) const {
  return !earlier_ || is_other_run(next) || is_contradicted() || seconds_ >= earlier_->seconds;
}

double Account::expected(double now, std::uint32_t next, double unasked) const {
  if (!is_hope(next)) return earlier_->gain * (1 - seconds_ / earlier_->seconds);
  const double wall = now - first_;
  if (first_ < 0 || trust_ * wall <= costs_.until_ready) return 0;
  const double promised = promised_ + unasked;
  double gain = promised;
  // A run that is a little longer than the earlier one is so by chance. One that is twice as long
  // is another one, and as much again is likely.
  if (earlier_ && !is_other_run(next)) {
    gain = kept_before() * promised;
    if (!is_contradicted()) gain *= std::min(1.0, 2 * (1 - earlier_->seconds / seconds_));
  }
  return gain * (trust_ - costs_.until_ready / wall);
}

void Account::note(Outlay what, double cost, double expected) {
  Entry& one = entry(what);
  ++one.count;
  one.cost += cost;
  one.expected += expected;
}

void Account::start(double now, std::uint32_t next, bool told) {
  note(Outlay::start, costs_.start(), expected(now, next, 0));
  if (!told && is_hope(next)) hoped_ = costs_.start();
}

void Account::miss(std::uint32_t of_class, double missed) {
  missed_ += missed;
  if (const auto one = std::ranges::find(classes_, of_class, &Class::number); one != classes_.end())
    one->gain += missed;
}

Account::ToCome Account::known_to_come(const Class* own, const Gains& gains) const {
  if (own == nullptr || !is_known() || is_contradicted()) return {};
  const auto* const one = earlier_->find(own->number);
  if (one == nullptr) return {};
  const double seen = seconds_ + gains.worked + std::max(0.0, gains.won);
  return {std::max(0.0, one->gain - kept_before() * own->gain),
          std::max(0.0, earlier_->seconds - seen),
          one->gain > 0 ? std::min(1.0, one->gain / earlier_->gain) : 0};
}

// A known program has the gain of what comes after it is done, and waits at its end for what is
// not. An unknown one may end at any time, and go on without such calls. What others promise or
// missed brings a class nothing.
std::optional<double> Account::pays(Outlay what, std::uint32_t of_class,
                                    std::optional<double> missed, const OutlayPrice& price,
                                    const Gains& gains, const GainsOfClasses& by_class) {
  // Of other classes nothing is known before a call asks: they take no place.
  const bool is_known_one = earlier_ && earlier_->find(of_class) != nullptr;
  Class* const own_class = missed || is_known_one ? own(of_class) : nullptr;
  if (missed) miss(of_class, *missed);
  if (missed && own_class != nullptr) own_class->unpaid = 0;
  if (price.seconds <= 0) return 0;
  const ToCome comes = known_to_come(own_class, gains);
  const double after = std::max(0.0, comes.seconds - price.until_done);
  const double gain = after > 0 ? comes.gain * after / comes.seconds - own_class->spent : 0;
  const double known = std::max(0.0, gain);
  const double cost = price.seconds + std::max(0.0, price.until_done - comes.seconds);
  if (known + comes.part * carried_ > cost) {
    const double of_this_run = std::min(known, cost);
    if (own_class != nullptr) own_class->spent += of_this_run, own_class->unpaid = 0;
    carried_ -= cost - of_this_run;
    note(what, cost, known);
    return cost;
  }
  if (!missed) return {};
  const auto hope = [&](double kept) {
    const double all = trust_ * kept * (promised_ + missed_) - hoped_;
    const double of_own = own_class != nullptr ? trust_ * kept * own_class->gain : all;
    return Learner::free_seconds + std::min(all, of_own);
  };
  const double seen = seconds_ + gains.worked + std::max(0.0, gains.won);
  const double at_worst = price.seconds + std::max(0.0, price.until_done - trust_ * seen);
  const double hoped = hope(1) < at_worst ? 0 : hope(shown(gains, by_class()).kept);
  if (hoped >= at_worst) {
    hoped_ += at_worst;
    note(what, at_worst, hoped);
    return at_worst;
  }
  if (own_class != nullptr) own_class->unpaid = std::min(cost, at_worst);
  return {};
}

// What nobody bought, as a start's own builds, is a hoped start's, or was known to be needed.
void Account::correct(Outlay what, double more) {
  entry(what).cost = std::max(0.0, of(what).cost + more);
  if (hoped_ > 0) hoped_ = std::max(0.0, hoped_ + more);
}

// Calls with the device whose class nobody tells are taken to be as those before it. What this run
// did not show is the earlier run's.
std::vector<ClassGain> Account::main_classes(double all, double kept,
                                             std::span<const ClassGain> by_class) const {
  std::vector<ClassGain> main(by_class.begin(), by_class.end());
  const auto in_main = [&](std::uint32_t number) {
    return std::ranges::find(main, number, &ClassGain::number);
  };
  double rest = all;
  for (const ClassGain& one : main) rest -= one.seconds;
  const double times = seconds_ > 0 ? std::max(1.0, rest / seconds_) : 1;
  for (const Class& own : classes_) {
    if (own.seconds + own.gain == 0) continue;
    auto one = in_main(own.number);
    if (one == main.end()) one = main.insert(one, {own.number});
    one->seconds += times * own.seconds;
    one->gain += times * kept * own.gain;
  }
  for (ClassGain& one : main) one.gain = std::max(0.0, one.gain);
  std::ranges::sort(main, std::greater<>(), &ClassGain::seconds);
  if (is_known())
    for (const ClassGain& one : earlier_->classes)
      if (in_main(one.number) == main.end()) main.push_back(one);
  main.resize(std::min(main.size(), ProgramWork::most_classes));
  return main;
}

// What earlier runs showed fades, or a device that was busy once would never be started again.
double Account::kept_before() const {
  return is_known() ? earlier_->kept + UnseenSeconds::part * (1 - earlier_->kept) : 1;
}

// A device keeps its promises as it did in earlier runs, and in this one. What is expected is
// believed for as many seconds of calls as a start takes. What was not built has kept nothing, nor
// broken it, nor has a class of which nothing was expected.
Account::Shown Account::shown(const Gains& gains, std::span<const ClassGain> by_class) const {
  const double before = kept_before();
  const double expected = is_known()     ? before * earlier_->promised
                          : seconds_ > 0 ? std::min(1.0, promised_ / seconds_)
                                         : 0;
  Shown shown;
  shown.won = std::max(0.0, gains.won - loads_);
  shown.on_cpu = gains.worked + std::max(0.0, gains.won);
  double rest = shown.on_cpu, missed = missed_;
  double to_win = 0;  // of what is due, as far as the device kept it before
  const auto add = [&](double rate, double seconds, double missed_of_it) {
    to_win += std::max(0.0, rate * seconds - before * missed_of_it);
    rest -= seconds;
    missed -= missed_of_it;
  };
  const bool has_all =
      is_known() ? earlier_->has_all_classes() : classes_.size() < ProgramWork::most_classes;
  const auto rate_before = [&](std::uint32_t number) {
    const auto* const known = is_known() ? earlier_->find(number) : nullptr;
    if (known == nullptr) return has_all ? 0 : expected;
    return known->seconds == 0 ? 0 : known->gain / std::max(known->seconds, known->gain);
  };
  // Of hundreds of classes few are told apart: one bit in 64 finds most of the others.
  std::uint64_t told_apart = 0;
  const auto bit_of = [](const ClassGain& one) { return std::uint64_t{1} << (one.number % 64); };
  for (const Class& one : classes_) told_apart |= bit_of(one);
  if (is_known())
    for (const ClassGain& one : earlier_->classes) told_apart |= bit_of(one);
  for (const ClassGain& one : by_class) {
    if ((told_apart & bit_of(one)) == 0) {
      add(has_all ? 0 : expected, one.seconds, 0);
      continue;
    }
    const auto own = std::ranges::find(classes_, one.number, &Class::number);
    const bool is_own = own != classes_.end();
    const double rate = is_own && own->seconds > 0 ? before * own->promised / own->seconds
                                                   : rate_before(one.number);
    add(rate, one.seconds, is_own ? own->gain - own->promised : 0);
  }
  add(expected, rest, missed);
  const double believed = expected * costs_.until_ready;
  const double all = believed + to_win;
  shown.kept = all > 0 ? std::min(1.0, before * (believed + shown.won) / all) : before;
  shown.due = to_win / before;
  return shown;
}

// Calls that lacked something would have gained what was promised, as far as the device keeps it.
// Loads are the whole program's: what a class gains decides about its own builds.
ProgramWork Account::work(const Gains& gains, std::span<const ClassGain> by_class) const {
  const Shown is = shown(gains, by_class);
  ProgramWork work;
  const double missed = is.kept * missed_;
  work.seconds = seconds_ + is.on_cpu;
  work.gain = is.kept * late_promised_ + missed + is.won;
  const double due = promised_ + missed_ + is.due;
  if (work.seconds > 0) work.promised = std::min(1.0, due / work.seconds);
  work.kept = due > 0 ? std::min(1.0, (is.kept * promised_ + missed + is.won) / due) : is.kept;
  work.classes = main_classes(work.seconds, is.kept, by_class);
  const bool has_device = gains.worked > 0, is_same = is_known();
  work.needs = is_same ? earlier_->needs : costs_.beside;
  work.beside = is_same ? earlier_->beside : costs_.beside;
  if (has_device) {
    work.needs = work.beside = 0;
    for (const Class& one : classes_) {
      const auto* const kept = work.find(one.number);
      work.needs += one.unpaid;
      work.beside += std::min(one.unpaid, kept != nullptr ? kept->gain : one.gain);
    }
  }
  if (work.beside > 0)
    work.missed = (is_same ? carried_ * std::min(1.0, is.kept / kept_before()) : 0) +
                  (has_device ? missed : std::max(0.0, work.gain - costs_.start()));
  return work;
}

}  // namespace duoblas
