// Whether a level-3 call goes as one job of the device or by halves, where both use the device: by
// what calls of its kind took, and before any did by the estimates. And what the CPU BLAS's own
// routine was seen to take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "problem/level3_problem.hpp"

namespace duoblas {

enum class Level3Choice { job, halves, cpu };

/// How a call is made.
enum class CallsAre { usual, unusual };

/// Thread-safe. Calls are alike that have the routine, type, side and op, and flops within a power
/// of two. Unusual calls (beside another thread's, or with another BLAS) are learned apart.
class Level3Ways {
 public:
  /// Job or halves. Seconds that the call is estimated to take each way; one that is not expected
  /// to take much longer is tried a few times.
  Level3Choice choose(const Level3Problem& problem, double job, double halves,
                      CallsAre calls = CallsAre::usual);
  /// What a call took.
  void saw(const Level3Problem& problem, Level3Choice way, double seconds,
           CallsAre calls = CallsAre::usual);

  /// What such calls took that way; nothing: too few were seen.
  std::optional<double> seen_seconds(const Level3Problem& problem, Level3Choice way,
                                     CallsAre calls = CallsAre::usual);

  /// What usual calls took as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with that; what is slower is tried again where it was not much slower. False, and
  /// nothing changes, where it is something else or damaged.
  bool restore(const std::vector<unsigned char>& kept);

  /// Calls of each way before it is left for good: the first of a process waits for memory and
  /// kernels, and counts for nothing.
  static constexpr int tries = 3;
  /// Against the other way's time.
  static constexpr double worth_a_try = 1.5, worth_another_try = 1.15;

 private:
  static constexpr std::size_t way_count = 3;
  struct Way {
    int chosen = 0;                ///< whatever became of the call
    int tried = 0, seen = 0;       ///< calls that were done this way; of these those that count
    bool has_begun = false;        ///< in this process
    bool is_recalled = false;      ///< from an earlier one
    std::array<double, 3> last{};  ///< seconds per flop, the latest in turns
    double per_flop() const;
  };
  using Kind = std::tuple<Routine, Precision, Side, Op, int, CallsAre>;
  static Kind kind_of(const Level3Problem& problem, CallsAre calls);
  struct Record;

  std::mutex mutex_;
  std::map<Kind, std::array<Way, way_count>> kinds_;
};

}  // namespace duoblas
