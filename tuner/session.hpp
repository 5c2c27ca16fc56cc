// What a tuning owns: its time, its seed, and what the listener hears.
#pragma once

#include <string>

#include "tuner/measure.hpp"
#include "tuner/tune.hpp"

namespace duoblas {

class Session {
 public:
  Session(const TuneRequest& request, TuneListener& listener);

  double seconds_left() const;
  /// The point `seconds` from now, but never past the end of the budget.
  Clock::time_point within(double seconds) const;
  /// A new seed at every call, the same sequence for the same request.
  unsigned next_seed() { return seed_++; }

  void begin(const std::string& phase, const std::string& subject, int steps);
  /// One step of the phase is done; `gflops` of the whole call, where it was measured.
  void step(double gflops = 0);
  /// Forgets the best so far: the next subject has its own.
  void new_subject() { progress_.best_gflops = 0; }

  TuneListener& listener() { return listener_; }

 private:
  TuneListener& listener_;
  Clock::time_point end_;
  unsigned seed_;
  TuneProgress progress_;
};

/// What every phase of a tuning works on.
struct TuneContext {
  Engine& engine;
  Session& session;
  PlanMachine machine;  ///< the engine's, with the CPU configuration that was chosen
};

}  // namespace duoblas
