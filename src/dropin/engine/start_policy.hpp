// Whether a program multiplies for long enough that starting the device pays.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/program_history.hpp"
#include "planner/learner.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Starting a device takes the driver 0.2 to 0.3 s of a core, and 0.1 s at exit, and nobody knows
/// how long a program will go on. So the device is started once the calls that it may help have
/// taken some times as long, as a skier buys skis when the rent paid reaches their price (A. R.
/// Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching, Algorithmica 3,
/// 1988).
///
/// For a known program there is no need to guess. If an earlier run would have gained by a start at
/// once, the device is started at once; if a start has paid for nothing, it is started later than
/// before. The start may have been disturbed, though: so once runs that ended before that have
/// waited a hundred times what a start costs, the next run waits no longer than an unknown program.
/// On a known machine, calls that the device would hardly help count little. Thread-safe.
class StartPolicy {
 public:
  /// The part of its time that the device is expected to save in a product; nothing: unknown.
  using Promise = std::function<std::optional<double>(const GemmProblem&)>;

  /// If `settings.start_ms` is given, it counts, whatever is known of the program and the machine.
  explicit StartPolicy(const Settings& settings);

  /// Counts the seconds that the program's own BLAS took for a call that the device may help: a
  /// product, or a call that contains such a product. Not counted if memory is short.
  void add(const GemmProblem& product, double seconds) noexcept;
  /// The same for a call for which the part of its time that the device saves is known.
  void add(double gain, double seconds) noexcept;
  /// Notes a product that the program's BLAS is going to do before the device is started.
  void note_product(const GemmProblem& problem) noexcept;
  /// The largest of them, without its matrices.
  std::optional<GemmProblem> largest_product() const;
  /// Whether such calls have taken long enough. `promise` is called only once they have taken as
  /// long as for an unknown program; it may have to read files.
  bool pays(const Promise& promise);
  /// The user gave the time of the start.
  bool is_told() const noexcept { return is_told_; }

  /// Records for later runs that the device was started. `gain`: the part of their time that it is
  /// expected to save in calls. An unknown program is judged by it, since it may end at once.
  /// Writes a file.
  void note_start(double gain) const;
  /// Whether is_won() may still become true.
  bool is_open() const noexcept { return history_ && !is_won_.load(std::memory_order_relaxed); }
  /// Whether calls show, for the first time, that a start at once would have gained by now.
  bool is_won(const Gains& gains) noexcept;
  /// Records that for later runs. Writes a file.
  void note_won() const;

 private:
  void see(double seconds) noexcept;
  void note_wait() noexcept;

  std::optional<ProgramHistory> history_;
  double needed_;
  bool is_known_ = false, is_told_ = false;
  KnownStart known_;  ///< \pre is_known_
  double next_ = 0;   ///< the wait of later runs, unless it is won
  /// When the seconds so far are stored the next time.
  std::atomic<double> next_note_{std::numeric_limits<double>::infinity()};
  std::atomic<double> seen_{0};
  std::atomic<bool> pays_{false};
  std::atomic<bool> is_won_{false};
  mutable std::mutex mutex_;
  std::optional<GemmProblem> largest_;
  /// Calls of one class (planner/learner.hpp) for which no promise was asked yet.
  struct Waiting {
    std::uint64_t kind;
    GemmProblem product;  ///< one of them
    double seconds;
  };
  std::vector<Waiting> waiting_;
  double waiting_seconds_ = 0;
  double likely_ = 0;  ///< seconds, those of calls that the device hardly helps counted for less
};

/// Whether a device that had been started at the first call would have gained what a start takes.
/// `before`: seconds of the program's own BLAS until the start.
bool would_have_gained(double before, const Gains& gains) noexcept;

}  // namespace duoblas
