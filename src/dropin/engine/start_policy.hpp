// When the drop-in starts the device for a program: the program's calls, threads and files around
// the account of a start (planner/start_account.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/program_history.hpp"
#include "planner/start_account.hpp"
#include "problem/gemm_problem.hpp"
#include "timing/steady_seconds.hpp"

namespace duoblas {

/// Thread-safe. Times are kept for later runs, unless `settings.adapt` is off or the user says when
/// to start.
class StartPolicy {
 public:
  /// The part of its time that the device is expected to save in a product; nothing: unknown.
  using Promise = std::function<std::optional<double>(const GemmProblem&)>;

  /// If `settings.start_ms` is given, it counts, whatever is known of the program and the machine.
  explicit StartPolicy(const Settings& settings, SteadySeconds clock = steady_seconds);

  /// Counts a call that the program's own BLAS has just done in `seconds`, and that the device may
  /// help: a product, or a call that contains such a product.
  void add(const GemmProblem& product, double seconds) noexcept;
  /// The same for a call for which the part of its time that the device saves is known.
  void add(double gain, double seconds) noexcept;
  /// Notes a product that the program's BLAS is going to do before the device is started.
  void note_product(const GemmProblem& problem) noexcept;
  /// The largest of them, without its matrices.
  std::optional<GemmProblem> largest_product() const;
  /// Whether a start pays as a call of `next` begins; nothing: of a memory-bound routine. From the
  /// first time on it does. `promise` is called only if it might; it may have to read files.
  bool pays(const Promise& promise, const std::optional<GemmProblem>& next);
  /// Whether a start pays before this program's first call. From then on pays() is true.
  bool pays_at_begin();
  /// What was kept of this run says that the next one should start the device at once.
  bool is_next_to_start() const;
  /// An earlier run of this program is known.
  bool knows_program() const noexcept { return earlier_.has_value(); }
  /// The user gave the time of the start.
  bool is_told() const noexcept { return is_told_; }

  /// The device is ready, and what its start took is kept, without the seconds in which kernels
  /// were built; or it is of no use to any program, as this machine is tuned.
  void note_ready(double building = 0) noexcept;
  void note_useless() noexcept;
  /// After 1, 2, 4 ... calls: they are kept, in case that this run ends without note_end().
  bool is_turn_to_keep() noexcept;
  void keep(const Gains& gains) noexcept;
  /// The program ends.
  void note_end(const Gains& gains, const Promise& promise) noexcept;
  /// What the start cost and brought, or would have, as a line for people; empty: nothing is to be
  /// said of it. \throws std::bad_alloc.
  std::string account(const Gains& gains) const;

 private:
  void ask(const Promise& promise);
  ProgramWork work(const Gains& gains) const;  ///< \pre the mutex is held
  ProgramWork work_so_far(const Gains& gains) const;

  bool repays(const ProgramWork& work) const { return work.gain > starts_.cost.lost(); }
  void note_start(double now);

  const SteadySeconds clock_;
  std::optional<ProgramHistory> history_;
  ProgramHistory::Starts starts_;  ///< as this process began
  std::optional<ProgramWork> earlier_;
  const bool is_told_;
  const double told_seconds_;
  std::atomic<bool> pays_{false};
  std::atomic<std::uint64_t> calls_{0};
  mutable std::mutex mutex_;  ///< of what follows
  StartAccount account_;
  double started_ = -1;        ///< when; below 0: it is not
  double seconds_before_ = 0;  ///< of calls, until then
  double ready_after_ = -1;    ///< seconds from then on; below 0: it is not
  bool is_useless_ = false;
  bool is_next_to_start_ = false;
  std::optional<GemmProblem> largest_;
  /// Calls of one class (planner/learner.hpp) for which no promise was asked yet.
  struct Unasked {
    std::uint64_t kind;
    GemmProblem product;  ///< one of them
    StartAccount::Covered calls;
  };
  std::vector<Unasked> unasked_;
  double unasked_seconds_ = 0;
};

}  // namespace duoblas
