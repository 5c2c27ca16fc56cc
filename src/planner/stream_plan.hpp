// Who computes a call that memory bounds, such as gemv, and how it is divided: by a law of bytes.
//
// Neither side alone uses all of an APU's memory: where the device reads the caller's memory itself
// both sides together may be faster than each. Where it works on copies they never are, since a
// copy takes longer than the CPU does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "planner/planner.hpp"
#include "problem/blas_call.h"

namespace duoblas {

/// Seconds of a byte are one over these. `measured`: on this machine; else a guess that calls are
/// to test.
struct StreamRates {
  double cpu = 20e9, gpu = 20e9;                ///< bytes a second, each side alone
  double cpu_beside = 12e9, gpu_beside = 12e9;  ///< while both work
  double launch_seconds = 50e-6;                ///< of the GPU, beside its bytes
  bool measured = false;
};

/// One call as the planner sees it.
struct StreamCall {
  Precision precision = Precision::s;
  std::int64_t outputs = 0;    ///< elements, or rows, that either side can compute
  std::int64_t unit = 1;       ///< outputs that the GPU computes at once
  double bytes = 0;            ///< that go through memory, of all outputs
  double kept_bytes = 0;       ///< of old values that the host copies, of all outputs
  bool device_copies = false;  ///< the device would copy what it reads, in each call
  bool device_has_it = false;  ///< it has a copy of what it reads: the CPU's rates are not its own
};

/// Those of the profile, where it is this machine's own and has them; a guess elsewhere.
StreamRates stream_rates(const StreamCall& call, const PlanMachine& machine);

/// The plan; its forecast where `learned` is given. `gpu_extent` counts outputs.
Plan make_stream_plan(const StreamCall& call, const PlanMachine& machine,
                      const PlanRequest& request, const StreamRates& rates,
                      const LearnedTimes* learned);

/// Why `automatic` leaves every such call of this type to the CPU, but one of which the device has
/// a copy; nothing: it does not.
std::optional<Reason> why_never_stream(const PlanMachine& machine, Precision precision);

/// The part of the CPU's time that both sides together are expected to save of calls of this type,
/// or the GPU alone.
double expected_stream_gain(const PlanMachine& machine, Precision precision,
                            const StreamRates& rates);

/// The law counts the copy of old values as time before the device begins, of so many bytes at
/// most: beyond that they are kept in pieces, beside it. Below, a part is kept beside it too, so
/// this is more than what is waited for; calls correct it.
inline constexpr std::size_t most_kept_ahead = 6 << 20;

/// Bytes under which no device is asked.
inline constexpr double smallest_stream_bytes = DUOBLAS_SMALLEST_GPU_BYTES;

/// The plan that carries out a share as told, rounded to units: of all of it the GPU alone, of
/// nothing the CPU on all cores.
Plan stream_plan_at(const StreamCall& call, const PlanMachine& machine, const Share& share);

}  // namespace duoblas
