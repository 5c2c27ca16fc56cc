#include "tuner/session.hpp"

#include <algorithm>

namespace duoblas {

Session::Session(const TuneRequest& request, TuneListener& listener)
    : listener_(listener),
      end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(request.budget_seconds))),
      seed_(request.seed) {}

double Session::seconds_left() const {
  return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
}

Clock::time_point Session::within(double seconds) const {
  const auto point = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(std::max(seconds, 0.0)));
  return std::min(point, end_);
}

void Session::begin(const std::string& phase, const std::string& subject, int steps) {
  progress_.phase = phase;
  progress_.subject = subject;
  progress_.done = 0;
  progress_.left = steps;
  progress_.seconds_left = seconds_left();
  listener_.progress(progress_);
}

void Session::step(double gflops) {
  ++progress_.done;
  progress_.left = std::max(0, progress_.left - 1);
  progress_.best_gflops = std::max(progress_.best_gflops, gflops);
  progress_.seconds_left = seconds_left();
  listener_.progress(progress_);
}

}  // namespace duoblas
