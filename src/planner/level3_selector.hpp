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

#include "problem/level3_problem.hpp"

namespace duoblas {

enum class Level3Choice { job, halves, cpu };

/// Whether something beside a call may change its time.
enum class CallsAre { usual, unusual };

/// Thread-safe. Calls are alike if they have the same routine, type, side and op, and flops within
/// a factor of two. Unusual calls (beside another thread's, or with another BLAS) are learned
/// apart.
class Level3Selector {
 public:
  /// Job or halves. \param job, halves the estimated seconds of each variant. A variant that is not
  /// expected to take much longer is tried a few times.
  Level3Choice choose(const Level3Problem& problem, double job, double halves,
                      CallsAre calls = CallsAre::usual);
  /// Learns from the seconds that a call took.
  void saw(const Level3Problem& problem, Level3Choice way, double seconds,
           CallsAre calls = CallsAre::usual);

  /// The seconds that such calls took with that variant; nothing: too few were seen.
  std::optional<double> seen_seconds(const Level3Problem& problem, Level3Choice way,
                                     CallsAre calls = CallsAre::usual);

  /// Learns from the seconds of each side of a job. The device had `share` of the flops.
  void saw_sides(const Level3Problem& problem, double share, double gpu_seconds, double cpu_seconds,
                 CallsAre calls = CallsAre::usual);
  /// The device's share with which both sides of such jobs end at the same time, judged by the
  /// latest ones; nothing: too few were seen in this process.
  std::optional<double> balanced_share(const Level3Problem& problem,
                                       CallsAre calls = CallsAre::usual);

  /// What usual calls showed, as bytes, for later processes of the same build on the same machine.
  std::vector<unsigned char> kept();
  /// Begins with such bytes. The slower variant is tried again if it was not much slower. False,
  /// and nothing changes: the bytes are damaged or of another kind.
  bool restore(const std::vector<unsigned char>& kept);

  /// Calls of each variant before it is given up for good. The first one of a process waits for
  /// memory and kernels, so its time does not count.
  static constexpr int tries = 3;
  /// A variant is tried if it takes less than this times the other one's time.
  static constexpr double worth_a_try = 1.5, worth_another_try = 1.15;

 private:
  static constexpr std::size_t way_count = 3;
  struct Way {
    int chosen = 0;                ///< whatever became of the call
    int tried = 0, seen = 0;       ///< calls that were done so; those of them that count
    bool has_begun = false;        ///< in this process
    bool is_recalled = false;      ///< from an earlier one
    std::array<double, 3> last{};  ///< seconds per flop, the latest in turns
    double per_flop() const;
  };
  struct Sides {
    int seen = 0;
    std::array<double, 3> last{};  ///< balanced shares, the latest in turns
  };
  using Kind = std::tuple<Routine, Precision, Side, Op, int, CallsAre>;
  static Kind kind_of(const Level3Problem& problem, CallsAre calls);
  struct Record;

  std::mutex mutex_;
  std::map<Kind, std::array<Way, way_count>> kinds_;
  std::map<Kind, Sides> sides_;
};

}  // namespace duoblas
