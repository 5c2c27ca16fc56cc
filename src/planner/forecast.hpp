// What is expected of a call before it runs, and what it took. The learner compares the two. The
// planner puts a Forecast into the plan; the engine measures CallTimes. Both are values.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "planner/point_timings.hpp"

namespace duoblas {

/// Seconds of what cannot be done, or of which nothing is known.
inline constexpr double endless = std::numeric_limits<double>::infinity();

/// The circumstances of a call that most calls do not share, whatever they compute.
struct Circumstances {
  bool contended = false;  ///< another thread's call runs beside it
  /// Threads of the program's own BLAS may still spin for its next call, each on a core. Beside
  /// them both sides are slower: the GPU's copies need cores as well.
  bool threads_spin = false;
  /// Then: but some may sleep, so the call's time is that of neither.
  bool may_sleep = false;
  /// The CPU alone is a program's own BLAS, whose threads may spin afterwards.
  bool is_of_drop_in = false;
  std::uint64_t unusual = 0;  ///< not 0: which other BLAS or number of threads the program uses now

  friend bool operator==(const Circumstances&, const Circumstances&) = default;
};

/// Which calls are alike: those of a class most, those of a family less, those of a group least.
/// Predictions of a group are made by the same method.
struct CallKind {
  /// `streams`: memory-bound calls such as gemv, whose predictions are bytes over a rate.
  enum Group : std::uint8_t {
    products,
    disturbed_products,
    batches,
    disturbed_batches,
    streams,
    disturbed_streams
  };
  std::uint64_t family = 0, call = 0;  ///< never 0
  Group group = products;
  bool contended = false;
  bool threads_spin = false;  ///< and the call is not contended
  bool may_sleep = false;     ///< Circumstances::may_sleep
  bool is_of_drop_in = false;

  /// Useful to other processes: nothing about its circumstances was special.
  bool is_usual() const { return group == products || group == batches || group == streams; }
};
constexpr std::size_t kind_groups = 6;

/// All times but those of the CPU alone are kept twice: also apart for calls beside threads that
/// spin.
constexpr std::size_t learned_places = timed_models + 3;

struct Forecast {
  CallKind kind;  ///< the kind under which it is learned
  /// Seconds per Timed by the cost model alone: of the CPU alone, and of the parts that the plan
  /// gives each side. 0: no part of the plan, or no estimate.
  std::array<double, timed_models> modelled{};
  /// The logarithms of these parts of C.
  std::array<double, timed_models> log_parts{};
  /// The call explores: it does not use the best known strategy, or gives the GPU less. The extra
  /// time is charged.
  bool explores = false;
  /// The best strategy is known and nothing is tried: the same call would be done the same way
  /// again.
  bool is_settled = false;
  /// The GPU may be slower than the CPU beside threads that spin, but does the call all the same,
  /// so that they sleep. What it takes longer than `best_seconds`, the CPU's, is charged.
  bool seeks_quiet = false;
  double until_quiet = 0;  ///< seconds that this is expected to cost
  /// The CPU does the call, which on a GPU without such threads would take so much less.
  double missed_by_spinning = 0;
  /// Seconds that later calls on the GPU take longer if the CPU does this one, whose threads spin.
  double aftermath = 0;
  /// For the best known strategy: its expected seconds, learned factors included, and the kind of
  /// work that decides them.
  double best_seconds = 0;
  Timed best = Timed::cpu_all;
};

/// Seconds of a call, per kind of work that it did; 0: none.
struct CallTimes {
  std::array<double, timed_models> seconds{};
  bool is_part = false;       ///< of a larger call, whose time contains it
  bool woke_threads = false;  ///< the threads of the CPU's BLAS may have slept
  /// The GPU had ended before it was looked at; its time is an upper bound.
  bool gpu_at_most = false;
  double whole = 0;

  bool used_gpu() const { return seconds[place_of(Timed::cpu_all)] == 0; }
};

}  // namespace duoblas
