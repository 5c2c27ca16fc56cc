// Copies far-apart elements of the program's calls, by a team of threads where that is faster.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "cpu/cpu_limits.hpp"
#include "cpu/thread_team.hpp"
#include "planner/way_class.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// Thread-safe. Not used in children of fork().
class Copier {
 public:
  explicit Copier(const CpuLimits& limits) : limits_(limits) {}

  /// Who copied; nothing: nobody, and nothing was written. One caller at a time, others are
  /// refused. So are calls that the caller's thread was seen to do faster: the program's own BLAS
  /// has faster code for these, and nothing here is waited for. \throws std::bad_alloc, and then
  /// nothing was written either.
  std::optional<Way> copies(const duoblas_copy& call);

  /// How many threads copy, of those that are allowed. One of many leaves its core to others, such
  /// as a driver's compiler, since a team waits for its slowest thread. With 16 cores NumPy's solve
  /// of 4096 takes as long with 15 as with 16, but single calls took 1.5 times as long with 16
  /// (docs/experiments/drop-in.md).
  static int team_of(int threads);

 private:
  using Clock = std::chrono::steady_clock;
  /// Calls of about one length, with the same vectors far apart. Work is counted in elements.
  struct Class {
    WayClass ways;
    int calls_to_pass = 0;  ///< to the program's BLAS, without a decision
    double passed = 0;      ///< work of such calls that was not yet counted

    Way next(double elements);
    void saw(Way way, double seconds, double elements);
  };

  static std::size_t class_of(const duoblas_copy& call);
  bool has_team(int threads);

  const CpuLimits limits_;
  std::mutex mutex_;
  std::unique_ptr<ThreadTeam> team_;
  int team_threads_ = 0;  ///< that were asked for
  int for_fewer_ = 0;     ///< calls in a row that are allowed fewer
  Clock::time_point ended_;
  std::map<std::size_t, Class> classes_;
};

/// The program's calls of ?copy with elements far apart. NumPy's linalg copies each matrix so, in
/// column order, before it calls LAPACK, and most results back: a solve of 8192 takes 1.3 s of 2.1
/// for that on 16 cores of a Xeon, by one thread, which waits for a page and a line for each
/// element. Copies by a team of threads where that was seen to be faster; 0: the program's BLAS is
/// to copy, and nothing was written.
int copy_for_program(const duoblas_copy* call) noexcept;

}  // namespace duoblas
