// The state of a tuning: its time, its seed, its journal, and reports to the listener.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "timing/stopwatch.hpp"
#include "tuner/journal.hpp"
#include "tuner/measure.hpp"
#include "tuner/quiet.hpp"
#include "tuner/tune.hpp"

namespace duoblas {

class CallEnergy;
class KernelPool;

class Session {
 public:
  Session(const TuneRequest& request, Journal& journal, TuneListener& listener);

  /// The rest of the budget. Measurements from the journal count as if they were made now, so a
  /// resumed tuning has the time that it had left.
  double seconds_left() const;
  /// The time spent so far, counted in the same manner.
  double spent() const;
  /// The time `seconds` from now, but not after the end of the budget.
  Clock::time_point within(double seconds) const;
  /// A measurement from the journal had taken this long.
  void replayed(double seconds) { replayed_ += seconds; }
  /// A new seed at every call, the same sequence for the same request.
  unsigned next_seed() { return seed_++; }

  void begin(TunePhase phase, const std::string& tuning_case, int steps);
  /// Steps of the phase are done. `gflops` of the whole call, if it was measured.
  void step(double gflops = 0, int steps = 1);
  /// Forgets the best so far: the next tuning case has its own.
  void new_case() { progress_.best_gflops = 0; }

  Quiet& quiet() { return quiet_; }
  /// A batch was measured, now or in the journal, while others had so many processors.
  void measured_beside(double processors);
  /// The most that others had in a batch since the last call; nothing: none was measured.
  std::optional<double> take_beside() { return std::exchange(beside_, std::nullopt); }

  Journal& journal() { return journal_; }
  TuneListener& listener() { return listener_; }

 private:
  void tell();

  Journal& journal_;
  TuneListener& listener_;
  Stopwatch watch_;
  double budget_;
  double replayed_ = 0;
  unsigned seed_;
  TuneProgress progress_;
  Quiet quiet_;
  std::optional<double> beside_;
};

/// The common state of all phases of a tuning.
struct TuneContext {
  Engine& engine;
  Session& session;
  KernelPool& kernels;
  PlanMachine machine;  ///< the engine's, with the CPU configurations that were chosen
  /// Set if the goal is not throughput.
  CallEnergy* energy = nullptr;
};

}  // namespace duoblas
