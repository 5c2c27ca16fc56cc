// When a program that the driver did not build is built again. A disk may have been full, memory
// short, or a signal may have ended the compiler: drivers report all of these like an error in the
// source.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "opencl/status_class.hpp"
#include "timing/steady_seconds.hpp"

namespace duoblas {

/// Whether what failed to be built with this error may be built another time. 0: the program breaks
/// a rule of ours.
inline bool may_pass(int code) {
  return code != 0 &&
         (cl::may_build_later(code) || cl::status_class(code) == cl::StatusClass::build_failed);
}

/// The failures of one program.
struct FailedBuilds {
  int shortages = 0, others = 0;
  double until = 0;  ///< it is not built again before that; infinite: never

  bool is_over(double now) const { return now >= until; }

  /// One more. What failed for short memory, or with an error that says nothing of the program, is
  /// built again at once, but not for ever: some compilers say so of a kernel that is too large for
  /// them. After that, and after all other failures, longer and longer pauses follow, so that a
  /// process waits for few builds that fail.
  void add(int code, double now) {
    constexpr int at_once = 2;
    constexpr std::array<double, 2> pauses{10, 100};  // a choice
    if (cl::may_build_later(code) && shortages < at_once) {
      ++shortages;
      until = now;
      return;
    }
    const auto pause = static_cast<std::size_t>(others);
    until = pause < pauses.size() ? now + pauses[pause] : std::numeric_limits<double>::infinity();
    if (pause < pauses.size()) ++others;
  }
};

}  // namespace duoblas
