// Whether a program's call of LAPACK is done here or by the program's own library. The times of
// earlier calls of its kind decide; before there are any, the estimates do. The engine owns one
// selector, and stores its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "planner/doubted_time.hpp"
#include "planner/recalled_time.hpp"
#include "planner/recent_times.hpp"
#include "planner/unseen_seconds.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

enum class LapackProvider { programs, ours };

/// Thread-safe. Calls are alike if they have the same routine, type and triangle, flops within a
/// factor of two, and if both have one right-hand side or both have several.
class LapackSelector {
 public:
  /// \param ours, programs the estimated seconds of each provider.
  ///
  /// Until the program's library has shown its time, the call is ours only if our time, seen or
  /// estimated, is at most half of the library's estimate; or if it was seen, and trying the
  /// library is expected to cost more than our calls can have lost without that. Afterwards a
  /// provider that is expected to be faster, or nearly as fast, is tried twice, until its time is
  /// known.
  ///
  /// The slower provider is tried again when that costs, as far as known and as its last try did,
  /// no more than a small part of what calls have taken since, because a call may have been
  /// disturbed. If that call is slower still, a second one follows, which counts: the first one ran
  /// beside the other provider's threads, which wait for its next call spinning. The slower
  /// provider is also tried if it is nearly as fast, its time is an earlier process's, and the
  /// faster one has become clearly slower since then. A time that would decide alone, but is far
  /// longer than expected, is not believed (DoubtedTime).
  ///
  /// A program of few calls may end before it has kept what a try showed, and a later one would try
  /// again. So a try that costs much of this process's time is made only once its price is stored.
  LapackProvider choose(const LapackProblem& problem, double ours, double programs);
  /// Learns from the seconds that a call took; nothing where memory is short, because the call's
  /// results are there. A provider's first call in a process waits for memory and kernels. It
  /// counts only if it is an exploration and faster than the other provider even so, or if as many
  /// processes before had no second one: to a program of one call such a start is a part of it.
  void saw(const LapackProblem& problem, LapackProvider provider, double seconds) noexcept;

  /// What the program's library takes, as its calls showed it; before that, the least that its
  /// estimate `programs` allows.
  double seconds_of_program(const LapackProblem& problem, double programs);

  /// What was learned, as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with such bytes; times that this process has shown stay. False, and nothing changes:
  /// they are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept);
  /// From now on calls `changed` when something worth keeping was seen; and `store` before a try of
  /// which this process may not tell later ones: true if it has stored kept(), which it may call.
  void tell(std::function<void()> changed, std::function<bool()> store);

  static constexpr double worth_a_try = 1.2;
  /// Part of the program's estimate, which it will not be faster than: the estimate rests on the
  /// rate of products on a quiet machine.
  static constexpr double sure_gain = 0.5;
  /// Part of the seconds of calls since the last try.
  static constexpr double exploration_part = UnseenSeconds::part;
  /// The first call of so many processes in a row that had no second one counts, if it is the last
  /// of these. A choice: as many slower calls in a row are believed (posterior.hpp).
  static constexpr int enough_lone_calls = 3;

 private:
  struct Provider {
    RecentTimes times;
    UnseenSeconds unseen;         ///< since this one was last seen or tried
    bool is_exploration = false;  ///< its next call is an exploration
    bool goes_on = false;         ///< with its second call: the first one may have been disturbed
    bool is_second = false;       ///< the exploration is at that
    double lost_per_flop = 0;     ///< by the last exploration, of one call or two
    bool has_begun = false;       ///< in this process
    int lone_calls = 0;           ///< processes in a row with one call, up to enough_lone_calls
    RecalledTime recalled;
    DoubtedTime doubted;
    double first = 0;         ///< seconds per flop of the process's first call; 0: none
    bool is_doubted = false;  ///< recalled, but the other one has become slower since
  };
  struct Kept;
  using Providers = std::array<Provider, 2>;
  using Kind = std::tuple<LapackRoutine, Precision, Uplo, int, bool>;
  static Kind kind_of(const LapackProblem& problem);
  static double known_per_flop(const Provider& done, const Provider& other);
  static bool is_try_paid(const Provider& of_program, double ours, double programs);
  static bool counts_at_once(Provider& done, const Provider& other, double per_flop);
  static bool is_only_a_start(Provider& done, const Provider& other, double per_flop);
  static void learn_try(Provider& done, const Provider& other, double per_flop);
  static bool learn(Provider& done, Provider& other, double seconds, double flops);
  bool pay_for(Provider& other, double costs, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::map<Kind, Providers> kinds_;
  /// Of this process's calls: all, those when it was last told, and when storing last failed.
  double seconds_here_ = 0, told_at_ = 0, not_stored_at_ = 0;
  std::function<void()> changed_;
  std::function<bool()> store_;
};

}  // namespace duoblas
