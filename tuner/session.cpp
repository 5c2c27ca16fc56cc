#include "tuner/session.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// Programs come and go in seconds. A short tuning has not so much time to wait.
constexpr double longest_burst = 10;
constexpr double patient_part = 1.0 / 3, waiting_part = 0.5;

}  // namespace

Session::Session(const TuneRequest& request, Journal& journal, TuneListener& listener)
    : journal_(journal),
      listener_(listener),
      budget_(request.budget_seconds),
      seed_(request.seed),
      quiet_(std::min(longest_burst, patient_part * request.budget_seconds),
             waiting_part * request.budget_seconds,
             request.as_is ? +[] { return ProcessorUse(); } : processor_use) {}

double Session::spent() const {
  return replayed_ + watch_.seconds();
}

double Session::seconds_left() const {
  return std::max(0.0, budget_ - spent());
}

Clock::time_point Session::within(double seconds) const {
  return in_seconds(std::clamp(seconds, 0.0, seconds_left()));
}

void Session::tell() {
  progress_.seconds_left = seconds_left();
  progress_.resumed = journal_.resumed();
  listener_.progress(progress_);
}

void Session::measured_beside(double processors) {
  beside_ = std::max(beside_.value_or(0), processors);
}

void Session::begin(TunePhase phase, const std::string& tuning_case, int steps) {
  progress_.phase = phase;
  progress_.tuning_case = tuning_case;
  progress_.done = 0;
  progress_.left = steps;
  tell();
}

void Session::step(double gflops, int steps) {
  progress_.done += steps;
  progress_.left = std::max(0, progress_.left - steps);
  progress_.best_gflops = std::max(progress_.best_gflops, gflops);
  tell();
}

}  // namespace duoblas
