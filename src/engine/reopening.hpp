// Opens a device again after it was lost (the machine slept, its driver was replaced, it was
// unplugged), while the CPU does the program's calls.
#pragma once

#include <functional>
#include <memory>

#include "engine/retry_schedule.hpp"

namespace duoblas {

/// Thread-safe.
class Reopening {
 public:
  /// `try_again` opens the device, and returns whether there is one. `say` gets the result. Both
  /// are called on a thread of the library, and never after this object is destroyed.
  struct Actions {
    std::function<bool()> try_again;
    std::function<void(const char*)> say;
  };
  Reopening(Actions actions, const RetryPauses& pauses);
  ~Reopening();  ///< waits for a running try
  Reopening(const Reopening&) = delete;
  Reopening& operator=(const Reopening&) = delete;

  /// The device was lost: is_unavailable() until it is open again. That is tried after a pause.
  /// Several calls may report the same loss.
  void lost() noexcept;
  /// A call on the device was right.
  void worked() noexcept;
  bool is_unavailable() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace duoblas
