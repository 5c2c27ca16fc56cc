// What jobs of routines beside gemm have in common: their state until they were waited for, how
// they begin, and how they bind vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device/computable.hpp"
#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/streams/routine_job.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/host_rect.hpp"
#include "problem/strided_vector.hpp"

namespace duoblas {

/// The end of an update in pieces (update_job.hpp).
struct UpdateEnd {
  double seconds = 0;          ///< from its start to the end of the last piece
  std::int64_t done = 0;       ///< outputs, from the first one on; the others have their old values
  std::exception_ptr failure;  ///< null: all are done
};

/// Private to the files that start and end jobs.
struct RoutineJob::State {
  explicit State(std::shared_ptr<OpenedDevice> opened) : device(std::move(opened)) {}
  ~State() {
    if (!pending) return;
    if (pieces.valid())
      pieces.wait();
    else
      device->drain();
  }

  bool pending = false;  ///< kernels may be running
  bool was_early = false;
  std::shared_ptr<OpenedDevice> device;
  std::vector<BoundOperand> inputs;
  std::vector<std::shared_ptr<const cl::Buffer>> scratch;
  std::vector<cl::Image> images;
  std::vector<std::byte> host_result;             ///< where the results come to
  std::list<std::vector<std::byte>> host_copies;  ///< of the host's memory, which the device reads
  std::optional<BoundResult> result;
  std::future<UpdateEnd> pieces;  ///< valid: another thread enqueues, keeps old values and waits
  UpdateEnd end;                  ///< of those
  EarlierKernels earlier;
  cl::Event done;

  /// Frees the memory, except that of a result, once the device has finished with it.
  void release() {
    done.reset();
    earlier.clear();
    inputs.clear();
    scratch.clear();
    images.clear();
  }
  /// In an exception handler: ends the enqueued commands, restores the caller's old values if they
  /// are needed, then rethrows.
  [[noreturn]] void end_and_rethrow() {
    const bool may_write = pending && result && !copies(result->operand().mode);
    pending = false;
    device->drain();
    if (result) result->restore();
    release();
    if (device->context.wait_deadline()->is_over()) abandon_host_memory();
    device->rethrow_drained(may_write);
  }
  /// Leaks the host memory, because the device may go on, and read or write it then.
  void abandon_host_memory() {
    static_cast<void>(new std::vector<std::byte>(std::move(host_result)));
    static_cast<void>(new std::list<std::vector<std::byte>>(std::move(host_copies)));
  }
};

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

/// Launches `each` of `count` units at a time: launch(first, number) returns an event. The event of
/// all.
template <typename Launch>
cl::Event in_launches(std::int64_t count, std::int64_t each, Launch&& launch) {
  cl::Event last;
  for (std::int64_t first = 0; first < count; first += each)
    extend(last, launch(first, std::min(each, count - first)));
  return last;
}
/// Groups that a launch has in any direction but the first: a limit of NVIDIA's devices.
inline constexpr std::int64_t most_groups_down = 65535;

}  // namespace duoblas
