// What jobs of routines beside gemm have in common: how they begin, and how they bind vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/opened_device.hpp"
#include "gpu/routine_job_state.hpp"
#include "problem/host_rect.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// The largest extent that kernels' ints hold, with room for their strides.
inline constexpr std::int64_t most_routine_extent = std::int64_t{1} << 30;

/// \throws DeviceError where the device cannot do the type, or the matrix is larger than
/// most_routine_extent in some direction.
void require_computable(const OpenedDevice& device, Precision precision, std::int64_t rows,
                        std::int64_t columns);

/// A job, begun: `enqueue` binds operands, enqueues kernels and flushes, and leaves the last one's
/// event in `done`; state.result, which it binds, is expected and brought to the host. It has the
/// device's mutex, and sets `pending` before kernels that write where the caller sees it. What it
/// throws goes on when all that was enqueued has ended, and the caller's memory has its old values
/// where they are needed.
RoutineJob started(const std::shared_ptr<OpenedDevice>& device,
                   const std::function<void(RoutineJob::State&)>& enqueue);

/// Memory without gaps.
HostRect dense_rect(const void* data, std::int64_t size, Precision precision);
/// The memory that a vector's elements lie in, with what lies between them.
HostRect memory_of(const StridedVector& vector, std::int64_t size, Precision precision);

/// A vector that the device reads, copied there without gaps. \throws DeviceError.
BoundVector staged_vector(RoutineJob::State& state, const StridedVector& vector, std::int64_t size,
                          Precision precision);

/// \throws DeviceError where so many bytes more do not fit into the device's memory.
void require_room(const OpenedDevice& device, std::size_t bytes);

/// Whether an operand of the caller's memory that begins at `host` starts its rows, in the device's
/// address space, at multiples of so many bytes. Buffers start where the device aligns them; over
/// the host's memory, where that does.
bool starts_at_multiples(const BoundOperand& operand, const void* host, std::size_t bytes);

/// How many units of work one launch does, of `most`: it ends within the bound where the device has
/// one, for memory that brings 20 GB/s, which is slow for any GPU. Whole units, so that the parts
/// of a call begin where vectors do.
std::int64_t units_of_launch(const OpenedDevice& device, double bytes_of_unit, std::int64_t most);

/// Groups that a launch has in any direction but the first: a limit of NVIDIA's devices.
inline constexpr std::int64_t most_groups_down = 65535;

}  // namespace duoblas
