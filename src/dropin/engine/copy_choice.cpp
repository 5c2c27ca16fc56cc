#include "dropin/engine/copy_choice.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// Where the two are about equal, no other thread is kept from its work.
constexpr double worth_a_team = 0.9;

}  // namespace

CopyChoice::Who CopyChoice::next() const {
  if (place_ < calls_of_each) return Who::caller;
  return place_ < trial ? Who::team : faster_;
}

bool CopyChoice::is_timed() const {
  if (place_ >= trial) return faster_ == Who::team;
  return place_ % calls_of_each != 0;
}

void CopyChoice::note(double seconds) {
  if (place_ < trial) return note_of_trial(seconds);
  ++place_;
  if (!team_is_slower_now(seconds) && place_ < trial + pause_) return;
  place_ = 0;
  caller_seconds_ = team_seconds_ = 0;
}

void CopyChoice::note_of_trial(double seconds) {
  const bool is_of_team = next() == Who::team;
  if (is_timed()) (is_of_team ? team_seconds_ : caller_seconds_) += seconds;
  ++place_;
  // A team that waits for other programs' threads may take a thousand times as long, so its trial
  // ends as soon as it is lost.
  const bool team_wins = team_seconds_ < worth_a_team * caller_seconds_;
  if (!is_of_team || (team_wins && place_ < trial)) return;
  place_ = trial;
  const Who faster = team_wins ? Who::team : Who::caller;
  pause_ = faster == faster_ ? std::min(2 * pause_, longest_pause) : first_pause;
  faster_ = faster;
  watched_calls_ = 0;
  watched_seconds_ = 0;
}

bool CopyChoice::team_is_slower_now(double seconds) {
  if (faster_ != Who::team) return false;
  watched_seconds_ += seconds;
  if (watched_seconds_ > watched / counted * caller_seconds_) return true;
  if (++watched_calls_ == watched) {
    watched_calls_ = 0;
    watched_seconds_ = 0;
  }
  return false;
}

}  // namespace duoblas
