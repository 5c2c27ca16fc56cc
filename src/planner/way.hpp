// The ways in which a call may be done, and which calls are alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

enum class Way {
  plain,  ///< without us: the program's own library, the CPU BLAS, or of copies the caller's thread
  job,    ///< with the device: one job of level 3, or a routine of LAPACK
  halves,  ///< level 3: products of both sides, and the CPU BLAS for the rest
  team     ///< copies: a team of threads
};
inline constexpr std::size_t way_count = 4;

/// Another way must take at most this part of the plain one's time: a smaller gain is within the
/// errors of estimates, and in short calls within what threads that wake cost. (Calls of 0.1 to 2.5
/// ms that had won 3 % in their trials took sixteen cores 1.07 to 1.24 times the BLAS's time.)
inline constexpr double worthwhile = 0.9;

/// A call that takes more than so many times as long is clearly slower. A choice: two calls of 24
/// that take four times as long come to it, one does not (mixed_class_test); a doubt costs few
/// tries.
inline constexpr double clearly = 1.2;
/// Beside threads that spin, calls took 4.4 times as long: a choice.
inline constexpr double far_slower = 5;
/// Standard deviations of estimates before such calls were seen. The plain way's rests on the rate
/// of products on a quiet machine, so that it may take half of it; others were off by up to 1.5.
inline constexpr double spread_of_plain = 0.7, spread_of_others = 0.41, least_of_plain = 0.5;

/// What a way is expected to take.
struct WayEstimate {
  Way way = Way::plain;
  double seconds = 0;
  /// How many times as long it may take, before any such call was seen.
  double doubt = 1;
};

/// Whether something beside a call may change its time.
enum class CallsAre { usual, unusual };

/// A call as its times are learned: calls with the same key are alike, and their times are in
/// proportion to their work.
struct CallClass {
  std::uint64_t key = 0;
  double work = 0;  ///< flops
};

/// Alike are the same routine, type, side and op, with flops within a factor of two. Unusual calls
/// (beside another thread's, or with another BLAS) are learned apart.
CallClass class_of(const Level3Problem& problem, CallsAre calls = CallsAre::usual);
/// Alike are the same routine, type and triangle, with flops within a factor of two, and if both
/// have one right-hand side or both have several.
CallClass class_of(const LapackProblem& problem);

/// Something beside this one may have changed its time.
CallClass as_unusual(const CallClass& call);

/// Whether later processes are to know of such calls.
bool is_stored(std::uint64_t key);

}  // namespace duoblas
