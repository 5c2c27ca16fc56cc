// What an engine spends that its program did not ask for: the calls, threads and files around the
// account (planner/account.hpp). A part of an engine: engine.outlays().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/program_history.hpp"
#include "planner/account.hpp"
#include "problem/gemm_problem.hpp"
#include "timing/steady_seconds.hpp"

namespace duoblas {

/// The class of calls that memory bounds, and of those that nobody tells apart.
inline constexpr std::uint32_t other_calls = 0;
/// Of a product, or of a call that contains such a product, as accounts number them.
std::uint32_t account_class(const GemmProblem& product);
/// For who keeps a product longer than its caller keeps the matrices.
GemmProblem without_matrices(GemmProblem product);

/// Thread-safe. Without begin_program() nothing is read or kept, and builds and checks only are
/// decided.
class Outlays {
 public:
  /// The part of its time that the device is expected to save in a product; nothing: unknown.
  using Promise = std::function<std::optional<double>(const GemmProblem&)>;

  /// If `settings.start_ms` is given, it counts, whatever is known of the program and the machine.
  explicit Outlays(const Settings& settings, SteadySeconds clock = steady_seconds);

  /// The calls of a preloaded program are counted from now on. Reads what earlier runs had. They
  /// are told, unless `settings.adapt` is off or the user says when to start. `calls`: of this run,
  /// and of the earlier one, for later ones. Call it once, before all that follows.
  using CallsOfRun = std::vector<KnownCall> (*)(const std::vector<CallNumbers>& earlier);
  static std::vector<KnownCall> no_calls(const std::vector<CallNumbers>&) { return {}; }
  void begin_program(CallsOfRun calls = no_calls);
  /// Of the earlier run.
  const std::vector<CallNumbers>& known_calls() const noexcept { return known_calls_; }

  /// Counts a call that the program's own BLAS has just done in `seconds`, and that the device may
  /// help: a product, or a call that contains such a product.
  void add(const GemmProblem& product, double seconds) noexcept;
  /// The same for a call for which the part of its time that the device saves is known.
  void add(double gain, double seconds) noexcept { add(other_calls, gain, seconds); }
  /// The same for one that has promised nothing, or missed it before.
  void add_without(std::uint32_t of_class, double seconds) noexcept { add(of_class, 0, seconds); }
  /// Whether a start pays as a call of `next` begins; nothing: of a memory-bound routine. From the
  /// first time on it does. `promise` is called only if it might; it may have to read files.
  bool start_pays(const Promise& promise, const std::optional<GemmProblem>& next);
  /// Whether a start pays before this program's first call. From then on start_pays() is true.
  bool start_pays_at_begin();
  /// Whether what was kept of this run says that the next one should start the device at once.
  /// Nothing: nothing was kept.
  std::optional<bool> is_next_to_start() const;
  /// The user gave the time of the start.
  bool is_told() const noexcept { return is_told_; }

  /// The device is ready, and what its start took is kept, without the seconds in which kernels
  /// were built; or it is of no use to any program, as this machine is tuned.
  void note_ready(double building = 0) noexcept;
  /// Seconds from a start until calls have the device, as far as is known here. Takes no lock.
  double until_ready() const noexcept { return until_ready_.load(std::memory_order_relaxed); }
  void note_useless() noexcept;

  /// Whether it pays to build what a call lacks, or to check its first results; then its price is
  /// spent. Without it the call misses `missed`; nothing: no call asks yet. `gains`, `by_class`: of
  /// all calls since the device was open. \throws std::bad_alloc.
  std::optional<double> pays(Outlay what, std::uint32_t of_class, std::optional<double> missed,
                             const OutlayPrice& price, const Gains& gains,
                             const Account::GainsOfClasses& by_class = Account::none_told);
  /// A call misses so many seconds, while what it lacks is built.
  void miss(double missed, std::uint32_t of_class) noexcept;
  /// Seconds of a core to build a kernel.
  double build_seconds(bool device_is_cpu) const noexcept;
  /// A kernel is to be built, for which `paid` was spent. What is not built until the program ends
  /// is given back then.
  void order(double paid) noexcept;
  /// So many seconds of one of `cores` went into a kernel, for which `paid` was spent before.
  /// `is_new`: it was compiled and tried, and not loaded.
  void note_build(double seconds, int cores, double paid, bool is_new) noexcept;
  /// What first checks take, over what rates promise; and one that was to take `expected` seconds,
  /// by the thread for whose call they were paid. What it pays for and does not check is given back
  /// when it pays again.
  double check_factor() const noexcept;
  void note_check(double expected, double seconds) noexcept;

  /// After 1, 2, 4 ... calls: they are kept, in case that this run ends without note_end().
  bool is_turn_to_keep() noexcept;
  void keep(const Gains& gains, std::span<const ClassGain> by_class = {}) noexcept;
  /// The program ends.
  void note_end(const Gains& gains, const Promise& promise,
                std::span<const ClassGain> by_class = {}) noexcept;
  /// Each outlay with what it cost and was expected to bring, and what they brought, as lines for
  /// people; empty: nothing is to be said. `looks`: seconds that calls lost to find out how fast
  /// another way is. \throws std::bad_alloc.
  std::string account(const Gains& gains, double looks = 0,
                      std::span<const ClassGain> by_class = {}) const;

 private:
  void add(std::uint32_t of_class, double gain, double seconds) noexcept;
  void ask(const Promise& promise);
  /// \pre the mutex is held
  ProgramWork work(const Gains& gains, std::span<const ClassGain> by_class = {}) const;
  ProgramWork work_so_far(const Gains& gains, std::span<const ClassGain> by_class) const;
  void note_start(double now);
  std::string told_of_start(const Gains& gains, const ProgramWork& now) const;
  void tell_measured(OutlayCosts& kept) const;  ///< \pre the mutex is held
  void remember_costs() const;

  const Settings& settings_;
  const SteadySeconds clock_;
  const bool is_told_;
  std::optional<ProgramHistory> history_;
  ProgramHistory::Sums sums_;  ///< as this process began
  CallsOfRun calls_of_run_ = no_calls;
  std::vector<CallNumbers> known_calls_;
  double known_seconds_ = 0;  ///< of the earlier run
  double known_promise_ = 1;  ///< of a second of its calls
  std::atomic<bool> starts_{false};
  std::atomic<double> until_ready_{OutlayCosts{}.until_ready};
  std::atomic<std::uint64_t> calls_{0};
  mutable std::mutex mutex_;  ///< of what follows
  Account account_;
  OutlayCosts costs_;  ///< as far as this process has seen them
  struct {
    bool until_ready = false, beside = false, build = false, checks = false;
  } measured_;                 ///< of costs_, by this process
  double started_ = -1;        ///< when; below 0: it is not
  double seconds_before_ = 0;  ///< of calls, until then
  double ready_after_ = -1;    ///< seconds from then on; below 0: it is not
  bool is_hope_ = false, is_useless_ = false;
  std::optional<bool> is_next_to_start_;
  double ordered_ = 0;  ///< paid for kernels that are not built yet
  /// Calls of one class (planner/learner.hpp) for which no promise was asked yet.
  struct Unasked {
    GemmProblem product;  ///< one of them
    Account::Covered calls;
  };
  std::vector<Unasked> unasked_;
  double unasked_seconds_ = 0;
};

}  // namespace duoblas
