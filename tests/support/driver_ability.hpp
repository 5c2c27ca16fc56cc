// What PoCL is held to, and other drivers may lack.
#pragma once

#include <gtest/gtest.h>

#include "support/driver_line.hpp"

namespace duoblas::test {

/// Whether the rest of a test has something to test. PoCL, which every run of the suite has, must
/// be able; of any other driver that is not, a line tells what it lacks.
inline bool can_or_tells(const cl::DeviceInfo& info, bool can, std::string_view lack) {
  if (can) return true;
  EXPECT_NE(info.platform, "Portable Computing Language") << lack;
  tell_of_driver(info, lack);
  return false;
}

inline constexpr std::string_view shares_not_all =
    "it does not share every part of the host's memory";

}  // namespace duoblas::test
