// How long a kernel's trial may take.
#pragma once

namespace duoblas::test {

/// Seconds of a machine that has much else to do.
inline constexpr double trial_patience = 200;

}  // namespace duoblas::test
