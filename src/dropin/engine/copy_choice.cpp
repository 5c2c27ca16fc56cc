#include "dropin/engine/copy_choice.hpp"

#include <algorithm>

namespace duoblas {

CopyChoice::Who CopyChoice::next() const {
  if (place_ < calls_of_each) return Who::caller;
  return place_ < trial ? Who::team : faster_;
}

bool CopyChoice::is_timed() const {
  return place_ < trial && place_ != calls_of_each;
}

void CopyChoice::note(double seconds) {
  if (place_ < calls_of_each)
    caller_seconds_ += seconds;
  else if (is_timed())
    team_seconds_ += seconds;
  ++place_;
  if (place_ == trial) {
    // A tenth: where the two are about equal, no other thread is kept from its work.
    const Who faster = team_seconds_ < 0.9 * caller_seconds_ ? Who::team : Who::caller;
    pause_ = faster == faster_ ? std::min(2 * pause_, longest_pause) : first_pause;
    faster_ = faster;
  } else if (place_ >= trial + pause_) {
    place_ = 0;
    caller_seconds_ = team_seconds_ = 0;
  }
}

}  // namespace duoblas
