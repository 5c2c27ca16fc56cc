// A random call with its operands: made, run, and compared with the reference.
#pragma once

#include <memory>
#include <string>

#include <duoblas/context.hpp>

#include "problem/caller_level3.hpp"
#include "soak/call_memory.hpp"
#include "soak/soak_call.hpp"

namespace duoblas::soak {

struct Verdict {
  std::string wrong;  ///< empty: right
  /// The largest error of an element, in units of the bound of that element.
  double error = 0;
};

class MadeCall {
 public:
  virtual ~MadeCall() = default;
  /// \throws what the routine throws.
  virtual void run(Context& context) = 0;
  /// To be asked once, after run().
  virtual Verdict verdict() = 0;
  /// Of the other level-3 routines: the arguments.
  virtual CallerLevel3 level3() const = 0;
};

/// Fills the operands and computes the reference. The memory is used as long as the result lives.
std::unique_ptr<MadeCall> make(const SoakCall& call, CallMemory& memory);

}  // namespace duoblas::soak
