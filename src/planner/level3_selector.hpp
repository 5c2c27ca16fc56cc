// How a level-3 call uses the device: as one job, or by halves. The times of earlier calls of its
// kind decide; before there are any, the estimates do. Also keeps the times of the CPU BLAS's own
// routine, and the shares with which both sides of a job would have ended at the same time. The
// engine owns one selector, and stores its bytes for later processes (engine/learned_parts.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "planner/doubted_time.hpp"
#include "planner/recalled_time.hpp"
#include "planner/unseen_seconds.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

enum class Level3Variant { job, halves, cpu };

/// Whether something beside a call may change its time.
enum class CallsAre { usual, unusual };

/// Thread-safe. Calls are alike if they have the same routine, type, side and op, and flops within
/// a factor of two. Unusual calls (beside another thread's, or with another BLAS) are learned
/// apart.
class Level3Selector {
 public:
  /// Job or halves. \param job, halves the estimated seconds of each variant. A variant that is not
  /// expected to take much longer is tried a few times, and the slower one is looked at again as by
  /// looks_at(). What an earlier process saw needs no tries, unless the other variant has become
  /// clearly slower since then.
  Level3Variant choose(const Level3Problem& problem, double job, double halves,
                       CallsAre calls = CallsAre::usual);
  /// Learns from the seconds that a call took; nothing where memory is short, because the call's
  /// results are there.
  void saw(const Level3Problem& problem, Level3Variant variant, double seconds,
           CallsAre calls = CallsAre::usual) noexcept;

  /// The seconds that such calls took with that variant; nothing: too few were seen.
  std::optional<double> seen_seconds(const Level3Problem& problem, Level3Variant variant,
                                     CallsAre calls = CallsAre::usual);

  /// Whether a call goes this way to find out what it takes, though it is expected to take `costs`
  /// seconds more than another way: where that is no more than a small part of what calls took
  /// since it was last done. What was seen may have been disturbed, by another program on the
  /// device or the cores. Never to the device in a way that was not seen; to the CPU's own routine
  /// also the first time that it costs next to nothing. The next call that is done so is judged by
  /// itself, unless it takes far longer than expected (DoubtedTime).
  bool looks_at(const Level3Problem& problem, Level3Variant variant, double costs,
                CallsAre calls = CallsAre::usual);

  /// Learns from the seconds of each side of a job. The device had `share` of the flops.
  void saw_sides(const Level3Problem& problem, double share, double gpu_seconds, double cpu_seconds,
                 CallsAre calls = CallsAre::usual) noexcept;
  /// The device's share with which both sides of such jobs end at the same time, as the last ones
  /// showed; nothing: too few were seen in this process. \param least_of_cpu the smallest share
  /// that the CPU's side can have. If less than half of that is its due, the device has all, and
  /// that side is looked at again as by looks_at().
  std::optional<double> balanced_share(const Level3Problem& problem, double least_of_cpu = 0,
                                       CallsAre calls = CallsAre::usual);

  /// What usual calls showed, as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with such bytes. False, and nothing changes: they are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept);

  /// Calls of each way of the device before it is left to looks_at(). The first one of a process
  /// waits for memory and kernels, so its time does not count.
  static constexpr int tries = 3;
  /// A variant that no process has timed is tried if it takes less than this times the other one's
  /// time.
  static constexpr double worth_a_try = 1.5;
  /// What looking at a slower way again may cost: part of what calls have taken since.
  static constexpr double exploration_part = UnseenSeconds::part;
  /// Seconds. A tenth of the learner's 20 ms, since a program may have ten kinds of calls.
  static constexpr double first_look_at_cpu = 2e-3;

 private:
  static constexpr std::size_t variant_count = 3;
  struct Variant {
    int chosen = 0;            ///< since it was last done
    int skipped = 0;           ///< calls since it was chosen too often and not done
    int tried = 0, seen = 0;   ///< calls that were done so; those of them that count
    bool has_begun = false;    ///< in this process
    bool is_recalled = false;  ///< from an earlier one, and not in doubt
    RecalledTime recalled;
    DoubtedTime doubted;
    double first = 0;              ///< seconds per flop of the process's first call; 0: none
    bool is_exploration = false;   ///< its next call is one
    bool goes_on = false;          ///< the last one was the process's first, which does not count
    UnseenSeconds unseen;          ///< since it was last done or looked at
    std::array<double, 3> last{};  ///< seconds per flop, the latest in turns
    double per_flop() const;
  };
  struct Sides {
    int seen = 0;
    std::array<double, 3> last{};  ///< balanced shares, the latest in turns
    double seconds_since = 0;      ///< of jobs without the CPU's side, since that was looked at
    double last_whole = 0;         ///< seconds of the last of those
    bool is_exploration = false;
    DoubtedTime doubted;
  };
  using Kind = std::tuple<Routine, Precision, Side, Op, int, CallsAre>;
  static Kind kind_of(const Level3Problem& problem, CallsAre calls);
  static bool pays(Variant& variant, double costs);
  static double known_per_flop(const std::array<Variant, variant_count>& variants,
                               const Variant& variant);
  struct Record;

  std::mutex mutex_;
  std::map<Kind, std::array<Variant, variant_count>> kinds_;
  std::map<Kind, Sides> sides_;
};

}  // namespace duoblas
