// One system-wide event of the kernel's perf, as a function that reads its count.
#pragma once

#include <cstdint>
#include <functional>

namespace duoblas::power {

/// The count since it was opened. \throws SensorError.
using PerfReader = std::function<double()>;

struct PerfEvent {
  unsigned type = 0;         ///< of the unit, from its file `type`
  std::uint64_t config = 0;  ///< the event's number
  int cpu = 0;               ///< any of the socket
};

using PerfOpener = std::function<PerfReader(const PerfEvent&)>;
/// \throws SensorError that says what the kernel refuses, and what to do.
PerfReader open_perf_event(const PerfEvent& event);

}  // namespace duoblas::power
