// For programs whose kernels no other program compiles. In a usual run of the suite (./test.sh)
// PoCL compiles them without optimisation, in half of the time or less: what is tested is what the
// kernels' text says. In two turns of eight (turns.hpp: one of each kind), not the same for all
// programs, and in all other runs PoCL optimises them as it does for users.
#include <cstdlib>

#include "support/turns.hpp"

namespace duoblas::test {
namespace {

// Before the driver is loaded. What the developer has set stays.
[[maybe_unused]] const bool has_quick_kernels = [] {
  if (!is_usual_run() || turn_of_run() / 2 % 4 == DUOBLAS_TEST_OPTIMISED_TURN) return false;
  return ::setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0) == 0;
}();

}  // namespace
}  // namespace duoblas::test
