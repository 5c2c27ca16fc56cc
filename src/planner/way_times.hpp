// What calls of one class took by one way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "planner/unseen_seconds.hpp"
#include "planner/way.hpp"
#include "timing/median.hpp"

namespace duoblas {

/// Times are of a unit of work. A way's first call in a process waits for memory, kernels and
/// threads.
struct WayTimes {
  int seen = 0;                  ///< calls, of any process; the very first one is not counted
  std::array<double, 3> last{};  ///< a ring of the latest
  UnseenSeconds unseen;          ///< since it was last done or looked at
  double first = 0;              ///< the process's first call, if it was not counted; 0: none
  double recalled = 0;           ///< what an earlier process saw; 0: nothing, or it is outdated
  double lost = 0;               ///< by the last look, of one call or two
  int slower_calls = 0;          ///< in a row, than was recalled
  int chosen = 0;                ///< since it was last done
  int lone_calls = 0;            ///< processes in a row that had one call of this way
  bool has_begun = false;        ///< in this process
  bool is_look = false;          ///< its next call is one
  bool goes_on = false;          ///< the look, with a second call
  bool is_second = false;        ///< the look is at that
  bool is_in_doubt = false;      ///< recalled, but another way has become slower since
  bool was_disbelieved = false;  ///< the last time

  static constexpr int until_known = 2;

  bool is_known() const { return seen >= until_known; }
  /// The median of the last ones. \pre is_known()
  double per_unit() const { return upper_median(last, static_cast<std::size_t>(seen - 1)); }
  void add(double time) {
    if (seen > 0) last[static_cast<std::size_t>(seen - 1) % last.size()] = time;
    seen = reduced(seen + 1);
  }
  /// Numbers of calls between which nothing differs: the places are taken in turns for ever.
  static constexpr int reduced(int seen) {
    constexpr int all_known = 4, turns = 3;
    return seen <= all_known ? seen : all_known + (seen - all_known) % turns;
  }

  /// Whether to disbelieve a time that would decide alone: a machine that paused makes any call
  /// slow. The next one is believed. `known` 0: nothing is.
  bool disbelieves(double now, double known) {
    was_disbelieved = !was_disbelieved && known > 0 && now > far * known;
    return was_disbelieved;
  }
  /// True, once: the second call in a row has taken clearly longer than recalled. Then the machine
  /// has changed, and the times of other ways may have.
  bool outdates_recalled(double now) {
    if (recalled <= 0) return false;
    slower_calls = now > clearly * recalled ? slower_calls + 1 : 0;
    if (slower_calls < 2) return false;
    recalled = 0;
    return true;
  }

  /// A choice. Beside threads that spin, calls took 4.4 times as long.
  static constexpr double far = 5;
  /// The first call of so many processes in a row that had no second one counts, if it is the last
  /// of these. A choice: as many slower calls in a row are believed (posterior.hpp).
  static constexpr int enough_lone_calls = 3;
};

}  // namespace duoblas
