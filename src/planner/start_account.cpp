#include "planner/start_account.hpp"

namespace duoblas {

StartAccount::Covered StartAccount::cover(double begin, double end) {
  if (first_ < 0) first_ = covered_ = begin;
  Covered call;
  call.seconds = std::max(0.0, end - std::max(begin, covered_));
  covered_ = std::max(covered_, end);
  seconds_ += call.seconds;
  if (begin - first_ < cost_.until_ready) return call;
  call.late = call.seconds;
  late_ += call.late;
  return call;
}

void StartAccount::promise(const Covered& call, double gain) {
  promised_ += gain * call.seconds;
  late_promised_ += gain * call.late;
}

double StartAccount::expected(double now, double unasked) const {
  if (!is_hope()) return earlier_->gain * (1 - seconds_ / earlier_->seconds);
  const double wall = now - first_;
  if (first_ < 0 || wall <= cost_.until_ready) return 0;
  const double promised = promised_ + unasked;
  const double gain = earlier_ ? std::min(promised, earlier_->rate * seconds_) : promised;
  return gain * (1 - cost_.until_ready / wall);
}

// The calls before the device was open would have gained what was promised of them, as far as it
// kept its promise since. It is believed for as many seconds of calls as a start takes.
ProgramWork StartAccount::work(const Gains& gains) const {
  const double promised = seconds_ > 0 ? std::clamp(promised_ / seconds_, 0.0, 1.0) : 0;
  const double won = std::max(0.0, gains.won), on_cpu = gains.worked + won;
  const double believed = cost_.until_ready;
  const double rate = (promised * believed + won) / (believed + on_cpu);
  const double kept = promised > 0 ? std::min(1.0, rate / promised) : 0;
  return {seconds_ + on_cpu, kept * late_promised_ + won, rate};
}

}  // namespace duoblas
