// Who computes a gemv, whose speed memory limits, and how the call is divided. A time model of
// bytes decides. Pure, like planner.hpp.
//
// Neither side alone uses all of an APU's memory bandwidth. So both sides together may be faster
// than each one, if the device reads the caller's memory itself. If it works on copies they never
// are: a copy takes longer than the CPU takes for the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "planner/planner.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// Bytes per second. `measured`: on this machine. Otherwise they are a guess, which calls will
/// test.
struct StreamRates {
  double cpu = 20e9, gpu = 20e9;                ///< bytes a second, each side alone
  double cpu_beside = 12e9, gpu_beside = 12e9;  ///< while both work
  double launch_seconds = 50e-6;                ///< of the GPU, added to the time of its bytes
  bool measured = false;
};

/// One call as the planner sees it.
struct StreamCall {
  Precision precision = Precision::s;
  std::int64_t outputs = 0;    ///< elements, or rows, that either side can compute
  std::int64_t unit = 1;       ///< outputs that the GPU computes at once
  double bytes = 0;            ///< that go through memory, for all outputs
  bool device_copies = false;  ///< the device would copy what it reads, in each call
  bool device_has_it = false;  ///< it has a copy of its inputs, so its rates are not the CPU's
};

/// The profile's rates, if it is this machine's own and has them; otherwise a guess.
StreamRates stream_rates(const StreamCall& call, const PlanMachine& machine);

/// The plan, with a forecast if `learned` is given. Its `gpu_extent` counts outputs.
Plan make_stream_plan(const StreamCall& call, const PlanMachine& machine,
                      const PlanRequest& request, const StreamRates& rates,
                      const LearnedTimes* learned);

/// Why `automatic` leaves every such call of this type to the CPU, unless the device has a copy of
/// the matrix; nothing if it does not.
std::optional<Reason> why_never_stream(const PlanMachine& machine, Precision precision);

/// The part of the CPU's time that the GPU alone, or both sides together, are expected to save in
/// calls of this type.
double expected_stream_gain(const PlanMachine& machine, Precision precision,
                            const StreamRates& rates);

/// Calls of fewer bytes do not ask for a device.
inline constexpr double smallest_stream_bytes = DUOBLAS_SMALLEST_GPU_BYTES;

/// The plan for a given share, rounded to units. A share of 1 is the GPU alone; a share of 0 is the
/// CPU on all cores.
Plan stream_plan_at(const StreamCall& call, const PlanMachine& machine, const Share& share);

}  // namespace duoblas
