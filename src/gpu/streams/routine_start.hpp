// What jobs of routines beside gemm have in common: how they begin, and how they bind vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/routine_job_state.hpp"
#include "problem/host_rect.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// Begins a job. `enqueue` binds operands, enqueues kernels and flushes, and stores the last one's
/// event in `done`. It binds state.result, which is then expected and brought to the host. It holds
/// the device's mutex, and sets `pending` before kernels that write where the caller sees it. If it
/// throws, the exception is rethrown when all enqueued commands have ended and the caller's memory
/// has its old values if they are needed.
RoutineJob started(const std::shared_ptr<OpenedDevice>& device,
                   const std::function<void(RoutineJob::State&)>& enqueue);

/// Memory without gaps.
HostRect dense_rect(const void* data, std::int64_t size, Precision precision);
/// The memory that contains a vector's elements, including the gaps.
HostRect memory_of(const StridedVector& vector, std::int64_t size, Precision precision);

/// A vector that the device reads, copied there without gaps. \throws DeviceError.
BoundVector staged_vector(RoutineJob::State& state, const StridedVector& vector, std::int64_t size,
                          Precision precision);

/// Whether the rows of an operand that begins at `host` start at multiples of so many bytes in the
/// device's address space. The device aligns its own buffers; a buffer over host memory has the
/// alignment of that.
bool starts_at_multiples(const BoundOperand& operand, const void* host, std::size_t bytes);

/// How many units of work one launch does, of `most`. If the device has a limit for launches, it
/// ends within that, assuming memory of 20 GB/s, which is slow for any GPU. Whole units, so that
/// the parts of a call begin at multiples of a vector.
std::int64_t units_of_launch(const TargetDevice& device, double bytes_of_unit, std::int64_t most);

/// Groups that a launch has in any direction but the first: a limit of NVIDIA's devices.
inline constexpr std::int64_t most_groups_down = 65535;

}  // namespace duoblas
