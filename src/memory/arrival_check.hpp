// The interface of a check that looks at results before they reach the caller's memory.
#pragma once

#include "memory/copy_threads.hpp"

namespace duoblas {

class ArrivalCheck {
 public:
  virtual ~ArrivalCheck() = default;
  /// The result will be written to the caller's memory before anybody can check it. A check that
  /// needs the old values must copy them now.
  virtual void will_be_written() noexcept = 0;
  /// Checks rows that the device computed and that are copied next. False: they are wrong, and will
  /// not be copied.
  virtual bool is_right(const RowsCopy& rows) noexcept = 0;
};

}  // namespace duoblas
