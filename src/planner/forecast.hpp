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
  bool contended = false;     ///< another thread's call runs beside it
  std::uint64_t unusual = 0;  ///< not 0: which other BLAS or number of threads the program uses now

  friend bool operator==(const Circumstances&, const Circumstances&) = default;
};

/// Which calls are alike: those of a class most, those of a family less, those of a group least.
/// Predictions of a group are made by the same method.
struct CallKind {
  /// `streams`: memory-bound calls such as gemv, whose predictions are bytes over a rate.
  enum Group : std::uint8_t { products, disturbed_products, streams, disturbed_streams };
  std::uint64_t family = 0, call = 0;  ///< never 0
  Group group = products;
  bool contended = false;

  /// Useful to other processes: nothing about its circumstances was special.
  bool is_usual() const { return group == products || group == streams; }
};
constexpr std::size_t kind_groups = 4;

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
  /// For the best known strategy: its expected seconds, learned factors included, and the kind of
  /// work that decides them.
  double best_seconds = 0;
  Timed best = Timed::cpu_all;
};

/// Seconds of a call, per kind of work that it did; 0: none.
struct CallTimes {
  std::array<double, timed_models> seconds{};
  bool is_part = false;  ///< of a larger call, whose time contains it
  /// The GPU had ended before it was looked at; its time is an upper bound.
  bool gpu_at_most = false;
  double whole = 0;

  bool used_gpu() const { return seconds[place_of(Timed::cpu_all)] == 0; }
};

}  // namespace duoblas
