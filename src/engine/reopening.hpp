// A device that was lost (the machine slept, its driver was replaced, it was unplugged) is opened
// again, beside the program's calls, which the CPU does meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/retry_schedule.hpp"

namespace duoblas {

/// Thread-safe.
class Reopening {
 public:
  /// `try_again`: opens the device, and says whether there is one. `say`: what became of it. Both
  /// are called on a thread of the library's own, and not any more once this is destroyed.
  struct Actions {
    std::function<bool()> try_again;
    std::function<void(const char*)> say;
  };
  Reopening(Actions actions, const RetryPauses& pauses);
  ~Reopening();  ///< after a try under way
  Reopening(const Reopening&) = delete;
  Reopening& operator=(const Reopening&) = delete;

  /// The device was lost: is_away() until it was opened again, which is tried after a pause.
  /// Several calls may report the same loss.
  void lost() noexcept;
  /// A call of the device was right.
  void worked() noexcept;
  bool is_away() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace duoblas
