// What becomes true on another thread, whenever the system runs that.
#pragma once

#include <chrono>
#include <thread>

namespace duoblas::test {

/// Asks again and again until `condition` holds. False: it never does, which two minutes are for,
/// since a machine with much else to do may take one for what takes milliseconds alone.
template <typename Condition>
bool comes_true(Condition&& condition,
                std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace duoblas::test
