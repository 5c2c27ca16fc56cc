// Whether both sides are faster than the CPU alone at a program's calls, as these themselves show.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "problem/level3_call.h"

namespace duoblas {

/// Who does a call: the engine, or the program's own BLAS, of which the seconds may be asked for.
enum class Turn { engine, timed, program };

/// One class of calls: the same routine, precision and letters, extents within a factor of 1.4.
/// Estimates of the cost model, and a tuning that other programs disturbed, may promise a gain that
/// is none. So the first calls of a class are the engine's, which are timed; unless these are far
/// faster than the CPU's estimate of a long call, next calls are the program's and the engine's in
/// turns, and all later ones the faster side's. Where the engine is that, but then takes longer
/// than the program's BLAS did in three calls more than not, they are the program's after all. What
/// was found is found again after many calls.
class CallTrial {
 public:
  Turn next();
  /// Whether that is the program.
  bool is_the_programs() const { return settled_ && settled_on_ == Turn::program && left_ > 0; }
  /// \param cpu_estimate seconds of the CPU by the cost model.
  void note(Turn did, double seconds, double cpu_estimate);

 private:
  void settle(Turn on);

  // Who is asked while nothing is settled. A side's first call may build a kernel or wake workers.
  // Of the engine the median of the others counts, of the other the fastest: judged by their
  // fastest, calls stayed the engine's on an H200 that took 3.1 ms in the median, and the CPU 1.3
  // ms.
  static constexpr std::array turns = {Turn::engine, Turn::engine, Turn::timed,  Turn::timed,
                                       Turn::engine, Turn::timed,  Turn::engine, Turn::timed};
  static constexpr double never = 1e300;

  void watch(double seconds, double cpu_estimate);

  std::array<double, 4> engine_seconds_ = {};
  double program_seconds_ = never;
  int slower_ = 0;           ///< calls of the engine that took longer, less those that did not
  std::uint32_t noted_ = 0;  ///< of `turns`
  bool settled_ = false;
  Turn settled_on_ = Turn::engine;
  std::uint32_t left_ = 0;  ///< calls until it is tried again
  std::uint32_t period_ = 256;
};

/// The classes of a process; a class that meets another's place replaces it. Thread-safe, never
/// destroyed, not for forked children.
class CallTrials {
 public:
  /// Whether the class is known to be the program's, which is this call's turn then. Of calls that
  /// may have no turn at all nothing is noted.
  bool passes_on(const duoblas_level3_call& call);
  Turn next(const duoblas_level3_call& call);
  void note(const duoblas_level3_call& call, Turn did, double seconds, double cpu_estimate);

 private:
  struct Place {
    std::uint64_t key = 0;
    CallTrial trial;
  };
  Place& place_of(std::uint64_t key);
  CallTrial& trial_of(const duoblas_level3_call& call);

  std::mutex mutex_;
  std::array<Place, 512> places_ = {};
};

}  // namespace duoblas
