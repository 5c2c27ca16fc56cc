// Whether a team of threads copies faster than the caller's thread, as its last calls showed it.
#pragma once

#include <cstdint>

namespace duoblas {

/// Eight calls by the caller's thread and eight by the team are timed, in turn, and the faster way
/// has the next 1,024 calls. If a trial says the same as the one before, the next one comes after
/// twice as many. Not thread-safe.
class CopyChoice {
 public:
  enum class Who { caller, team };

  /// Who does the next call.
  Who next() const;
  /// Whether the next call's time is wanted.
  bool is_timed() const;
  /// What the next call took, which is over; 0 where no time was wanted.
  void note(double seconds);

 private:
  // The team's first call of a trial is not timed: its threads may sleep.
  static constexpr std::int64_t calls_of_each = 8;
  static constexpr std::int64_t trial = 2 * calls_of_each + 1;
  static constexpr std::int64_t first_pause = 1024, longest_pause = 65536;

  std::int64_t place_ = 0;  // in the trial, and in the pause after it
  std::int64_t pause_ = first_pause;
  double caller_seconds_ = 0, team_seconds_ = 0;
  Who faster_ = Who::caller;
};

}  // namespace duoblas
