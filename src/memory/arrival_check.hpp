// Who looks at results on their way to the caller.
#pragma once

#include "memory/copy_threads.hpp"

namespace duoblas {

class ArrivalCheck {
 public:
  virtual ~ArrivalCheck() = default;
  /// The result will be in the caller's memory before anybody can look at it: what is there now has
  /// to be kept by who needs it.
  virtual void will_be_written() noexcept = 0;
  /// Rows that the device computed, and which are copied next. False: they are wrong, and are not.
  virtual bool is_right(const RowsCopy& rows) noexcept = 0;
};

}  // namespace duoblas
