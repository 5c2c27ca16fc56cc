// Whether a team of threads copies faster than the caller's thread, as its last calls showed it.
#pragma once

#include <cstdint>

namespace duoblas {

/// Nine calls by the caller's thread, then nine by the team; the first one of each is not counted.
/// The faster way has the next 1,024 calls. If a trial says the same as the one before, the next
/// one comes after twice as many; but at once if the team has become slower than the caller's
/// thread was. Not thread-safe.
class CopyChoice {
 public:
  enum class Who { caller, team };

  /// Who does the next call.
  Who next() const;
  /// Whether the next call is the caller's thread's because that was faster in the last trial.
  bool is_left_to_caller() const { return place_ >= trial && faster_ == Who::caller; }
  /// Whether the next call's time is wanted.
  bool is_timed() const;
  /// What an element of the next call took, which is over; 0 where no time was wanted.
  void note(double seconds);

 private:
  // The first call of each way is not counted: the caller's may be the first to write to pages that
  // later calls write to as well, and the team's threads may sleep.
  static constexpr std::int64_t counted = 8, calls_of_each = counted + 1;
  static constexpr std::int64_t trial = 2 * calls_of_each;
  static constexpr std::int64_t first_pause = 1024, longest_pause = 65536;
  // Calls of the team after a trial that are compared with the caller's in it, together.
  static constexpr std::int64_t watched = 64;

  void note_of_trial(double seconds);
  bool team_is_slower_now(double seconds);

  std::int64_t place_ = 0;                // in the trial, and in the pause after it
  std::int64_t pause_ = first_pause / 2;  // the first trial may say that the caller stays
  double caller_seconds_ = 0, team_seconds_ = 0;
  std::int64_t watched_calls_ = 0;
  double watched_seconds_ = 0;
  Who faster_ = Who::caller;
};

}  // namespace duoblas
