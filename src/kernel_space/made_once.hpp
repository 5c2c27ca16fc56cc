// Tables that are made when they are first asked for.
#pragma once

#include <atomic>
#include <memory>

namespace duoblas {

/// What is at `place`, or what make() returns, which is there from now on; of several threads that
/// make one at a time, one thread's. Not a static with an initialiser: a fork in the middle of that
/// leaves its guard locked in the child. Never destroyed: programs multiply in handlers of exit().
template <class T, class Make>
const T& made_once(std::atomic<const T*>& place, const Make& make) {
  const T* there = place.load(std::memory_order_acquire);
  if (there != nullptr) return *there;
  auto mine = std::make_unique<const T>(make());
  return place.compare_exchange_strong(there, mine.get(), std::memory_order_acq_rel)
             ? *mine.release()
             : *there;
}

}  // namespace duoblas
