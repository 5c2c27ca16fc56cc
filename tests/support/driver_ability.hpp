// Abilities that PoCL must have and other drivers may lack.
#pragma once

#include <gtest/gtest.h>

#include "support/driver_line.hpp"

namespace duoblas::test {

/// Whether the rest of a test has something to test. Every run of the suite has PoCL, which must be
/// able, unless it plays a GPU. Prints what any other driver lacks.
inline bool can_or_tells(const cl::DeviceInfo& info, bool can, std::string_view lack) {
  if (can) return true;
  EXPECT_FALSE(info.is_cpu && info.platform == "Portable Computing Language") << lack;
  tell_of_driver(info, lack);
  return false;
}

inline constexpr std::string_view shares_not_all =
    "it does not share every part of the host's memory";

}  // namespace duoblas::test
