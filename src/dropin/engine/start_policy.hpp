// Whether a program multiplies for long enough that starting the device pays.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/program_history.hpp"
#include "planner/learner.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Starting a device takes a driver 0.2 to 0.3 s of a core, and 0.1 s at exit (an H200's), and
/// nobody knows how long a program will go on. So it is started once the calls that it may help
/// took some times as long: a skier buys skis when the rent paid comes to their price (A. R.
/// Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching, Algorithmica 3,
/// 1988). A program that is known need not guess: where an earlier run of it would have gained by a
/// start at once it is started at once, and later than before where a start has paid for nothing.
/// Of a machine that is known, calls that the device would hardly help count for little.
/// Thread-safe.
class StartPolicy {
 public:
  /// The part of its time that the device is expected to save of a product; nothing: who knows.
  using Promise = std::function<std::optional<double>(const GemmProblem&)>;

  /// A number of `settings.start_ms` stands, whatever is known of the program and of the machine.
  explicit StartPolicy(const Settings& settings);

  /// A call that the device may help took the program's own BLAS so long: a product, or a call with
  /// such a product inside. Where memory is short it is not counted.
  void add(const GemmProblem& product, double seconds) noexcept;
  /// The same of a call of which it is known what part of its time the device saves.
  void add(double gain, double seconds) noexcept;
  /// The program's BLAS is going to do this product, before the device is started.
  void note_product(const GemmProblem& problem) noexcept;
  /// The largest of them, without its matrices.
  std::optional<GemmProblem> largest_product() const;
  /// Whether such calls took long enough so far. `promise` is asked only once they did, if nobody
  /// knew any better: it may have to read files.
  bool pays(const Promise& promise);
  /// The user said when it does.
  bool is_told() const noexcept { return is_told_; }

  /// The device was started: later runs hear of it. `gain`: the part of their time that it is
  /// expected to save of calls, by which a program that is not known is judged: it may end at once.
  /// Writes a file.
  void note_start(double gain) const;
  /// Whether there is something to be won still.
  bool is_open() const noexcept { return history_ && !is_won_.load(std::memory_order_relaxed); }
  /// Whether calls show, for the first time, that to start at once would have gained by now.
  bool is_won(const Gains& gains) noexcept;
  /// Tells later runs. Writes a file.
  void note_won() const;

 private:
  void see(double seconds) noexcept;

  std::optional<ProgramHistory> history_;
  double needed_;
  bool is_known_ = false, is_told_ = false;
  double next_ = 0;  ///< what later runs are to wait for, unless it is won
  std::atomic<double> seen_{0};
  std::atomic<bool> pays_{false};
  std::atomic<bool> is_won_{false};
  mutable std::mutex mutex_;
  std::optional<GemmProblem> largest_;
  /// Calls of one class (planner/learner.hpp) that no promise was asked for.
  struct Waiting {
    std::uint64_t kind;
    GemmProblem product;  ///< one of them
    double seconds;
  };
  std::vector<Waiting> waiting_;
  double waiting_seconds_ = 0;
  double likely_ = 0;  ///< seconds, those of calls that the device hardly helps counted for less
};

/// Whether a device that had been started at the first call would have gained what that takes:
/// `before`: seconds of the program's own BLAS until it was started.
bool would_have_gained(double before, const Gains& gains) noexcept;

}  // namespace duoblas
