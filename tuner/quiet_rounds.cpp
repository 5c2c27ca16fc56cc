#include "tuner/quiet_rounds.hpp"

#include <algorithm>

#include "timing/stopwatch.hpp"

namespace duoblas {

RoundsMade make_rounds(Quiet& quiet, int rounds, bool to_the_end, const RoundCalls& calls) {
  // Where others work for moments again and again, no repetition is without them.
  constexpr int most_repetitions = 3;
  RoundsMade made;
  quiet.begin();
  int good_rounds = 0, repetitions = 0;
  for (int round = 0; round < rounds;) {
    calls.sample(round++);
    const bool is_last = to_the_end && round == rounds;
    const Quiet::Verdict verdict = is_last ? quiet.judge_at_last() : quiet.judge();
    if (verdict == Quiet::Verdict::too_short) continue;
    const bool is_disturbed = verdict == Quiet::Verdict::disturbed;
    if (is_disturbed && !quiet.is_steady()) {
      const Stopwatch waiting;
      const bool again = repetitions < most_repetitions && quiet.wait();
      if (again) {
        ++repetitions;
        round = good_rounds;
        calls.go_back();
        quiet.begin();
      } else {
        quiet.give_up();
      }
      made.waited += waiting.seconds();
      if (again) continue;
    }
    if (is_disturbed) made.beside = std::max(made.beside, quiet.others());
    good_rounds = round;
    calls.keep();
  }
  made.beside = std::max(made.beside, quiet.beside());
  return made;
}

}  // namespace duoblas
