#include "planner/start_account.hpp"

#include <functional>

namespace duoblas {

StartAccount::Covered StartAccount::cover(double begin, double end, std::uint32_t of_class) {
  auto own = std::ranges::find(classes_, of_class, &Class::number);
  if (own == classes_.end() && classes_.size() < ProgramWork::most_classes)
    own = classes_.insert(own, {of_class, 0});
  if (first_ < 0) first_ = covered_ = begin;
  Covered call;
  call.seconds = std::max(0.0, end - std::max(begin, covered_));
  covered_ = std::max(covered_, end);
  seconds_ += call.seconds;
  if (own != classes_.end()) own->seconds += call.seconds;
  if (earlier_ && !earlier_->may_have(of_class)) foreign_ += call.seconds;
  if (begin - first_ < cost_.until_ready) return call;
  call.late = call.seconds;
  late_ += call.late;
  return call;
}

void StartAccount::promise(const Covered& call, double gain) {
  promised_ += gain * call.seconds;
  late_promised_ += gain * call.late;
}

// Most of the calls so far, the next one among them, are of other classes.
bool StartAccount::is_other_run(std::uint32_t next) const {
  if (!earlier_) return false;
  const bool is_half = foreign_ == seconds_ - foreign_;
  return is_mostly_foreign() || (is_half && !earlier_->may_have(next));
}

double StartAccount::expected(double now, std::uint32_t next, double unasked) const {
  if (!is_hope(next)) return earlier_->gain * (1 - seconds_ / earlier_->seconds);
  const double wall = now - first_;
  if (first_ < 0 || wall <= cost_.until_ready) return 0;
  const double promised = promised_ + unasked;
  double gain = promised;
  // A run that is a little longer than the earlier one is so by chance. One that is twice as long
  // is another one, and as much again is likely.
  if (earlier_ && !is_other_run(next))
    gain = std::min(promised, earlier_->rate * seconds_) *
           std::min(1.0, 2 * (1 - earlier_->seconds / seconds_));
  return gain * (1 - cost_.until_ready / wall);
}

// A run that starts at once shows few of its classes; the others are the earlier run's.
std::vector<std::uint32_t> StartAccount::main_classes(bool is_other) const {
  std::vector<std::uint32_t> main;
  if (earlier_ && !is_other) main = earlier_->classes;
  std::vector<Class> own = classes_;
  std::ranges::sort(own, std::greater<>(), &Class::seconds);
  for (const Class& one : own)
    if (main.size() < ProgramWork::most_classes &&
        std::ranges::find(main, one.number) == main.end())
      main.push_back(one.number);
  return main;
}

// The calls before the device was open would have gained what was promised of them, as far as it
// kept its promises: those of earlier runs, and in this one. A promise is believed for as many
// seconds of calls as a start takes.
ProgramWork StartAccount::work(const Gains& gains) const {
  constexpr double regained = 0.05;  // in each run; a choice: what has been may have passed
  const bool is_other = earlier_ && is_mostly_foreign();
  const double promised = seconds_ > 0 ? std::clamp(promised_ / seconds_, 0.0, 1.0) : 0;
  double expected = promised;
  if (earlier_ && !is_other)
    expected = earlier_->rate + (seconds_ > 0 ? regained * (promised - earlier_->rate) : 0);
  const double won = std::max(0.0, gains.won), on_cpu = gains.worked + won;
  const double believed = cost_.until_ready;
  const double rate = (expected * believed + won) / (believed + on_cpu);
  const double kept = promised > 0 ? std::min(1.0, rate / promised) : 0;
  return {seconds_ + on_cpu, kept * late_promised_ + won, rate, main_classes(is_other)};
}

}  // namespace duoblas
