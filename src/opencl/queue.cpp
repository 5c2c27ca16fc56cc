// Queues: every command, its event, flush and finish.
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "opencl/device_error.hpp"
#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"
#include "opencl/row_copies.hpp"
#include "opencl/wait_deadline.hpp"
#include "opencl/waiting.hpp"

namespace duoblas::cl {
namespace {

// Enqueues a command that waits for no event. Its event.
template <typename Function, typename... Arguments>
Event enqueued(const char* name, Function enqueue, Arguments... arguments) {
  cl_event event = nullptr;
  check(name, enqueue(arguments..., 0, nullptr, &event));
  return Event(event);
}

void enqueue_kernel(const Queue& queue, const Kernel& kernel, const Range& range, cl_event* event) {
  kernel.require_link(range);
  const std::array<std::size_t, 3> global{range.global[0], range.global[1], range.depth};
  const std::array<std::size_t, 3> local{range.local[0], range.local[1], 1};
  check("clEnqueueNDRangeKernel",
        functions().clEnqueueNDRangeKernel(queue_of(queue), static_cast<cl_kernel>(kernel.raw()),
                                           range.depth > 1 ? 3 : 2, nullptr, global.data(),
                                           local.data(), 0, nullptr, event));
}

// A queue in order has ended them all.
void check_earlier(const Event& event) {
  for (const auto& earlier : event.earlier()) {
    const cl_int status = status_of(static_cast<cl_event>(earlier.raw()));
    if (status < 0) throw_failed("a kernel", status);
  }
}

// Nanoseconds of the device's clock.
cl_ulong timestamp(const Event& event, cl_profiling_info what) {
  cl_ulong at = 0;
  check("clGetEventProfilingInfo",
        functions().clGetEventProfilingInfo(static_cast<cl_event>(event.raw()), what, sizeof at,
                                            &at, nullptr));
  return at;
}

}  // namespace

Queue::Queue(const Context& context, bool profiling) : wait_deadline_(context.wait_deadline()) {
  const cl_command_queue_properties properties =
      profiling ? cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE} : 0;
  cl_int code = CL_SUCCESS;
  cl_command_queue raw = functions().clCreateCommandQueue(
      static_cast<cl_context>(context.raw()), static_cast<cl_device_id>(context.device().id),
      properties, &code);
  check("clCreateCommandQueue", code);
  static_cast<Handle&>(*this) = Handle(raw);
}

Event Queue::submit(const Kernel& kernel, const Range& range) {
  Event event = enqueue(kernel, range);
  flush();
  return event;
}

Event Queue::enqueue(const Kernel& kernel, const Range& range) {
  cl_event event = nullptr;
  enqueue_kernel(*this, kernel, range, &event);
  return Event(event);
}

void Queue::enqueue_unasked(const Kernel& kernel, const Range& range) {
  enqueue_kernel(*this, kernel, range, nullptr);
}

void Queue::write(const Buffer& to, const void* from, const RectCopy& copy, bool blocking) {
  if (copy.rows == 0 || copy.row_bytes == 0) return;
  const Event written = write_later(to, from, copy);
  if (blocking) end(written);
}

void Queue::read(const Buffer& from, void* to, const RectCopy& copy) {
  if (copy.rows == 0 || copy.row_bytes == 0) return;
  end(read_later(from, to, copy));
}

Event Queue::write_later(const Buffer& to, const void* from, const RectCopy& copy) {
  if (auto event = written_rows(*this, to, from, copy)) return std::move(*event);
  OwnRows own(copy);
  own.take(from);
  return end(written_rows(*this, to, own.data(), own.copy()), own);
}

Event Queue::read_later(const Buffer& from, void* to, const RectCopy& copy) {
  if (auto event = read_rows(*this, from, to, copy)) return std::move(*event);
  OwnRows own(copy);
  Event event = end(read_rows(*this, from, own.data(), own.copy()), own);
  own.give(to);
  return event;
}

Event Queue::write_later(const Buffer& to, const void* from, std::size_t bytes,
                         std::size_t offset) {
  return enqueued("clEnqueueWriteBuffer", functions().clEnqueueWriteBuffer, queue_of(*this),
                  mem_of(to), CL_FALSE, offset, bytes, from);
}

Event Queue::read_later(const Buffer& from, void* to, std::size_t bytes, std::size_t offset) {
  return enqueued("clEnqueueReadBuffer", functions().clEnqueueReadBuffer, queue_of(*this),
                  mem_of(from), CL_FALSE, offset, bytes, to);
}

void Queue::start_after(const Event& event) {
  auto* raw = static_cast<cl_event>(event.raw());
  check("clEnqueueBarrierWithWaitList",
        functions().clEnqueueBarrierWithWaitList(queue_of(*this), 1, &raw, nullptr));
}

Event Queue::mark() {
  cl_event event = nullptr;
  check("clEnqueueBarrierWithWaitList",
        functions().clEnqueueBarrierWithWaitList(queue_of(*this), 0, nullptr, &event));
  return Event(event);
}

Event Queue::fill_with_zeros(const Buffer& buffer, std::size_t bytes) {
  constexpr char zero = 0;
  return enqueued("clEnqueueFillBuffer", functions().clEnqueueFillBuffer, queue_of(*this),
                  mem_of(buffer), &zero, sizeof zero, std::size_t{0}, bytes);
}

Event Queue::copy(const Buffer& from, const Buffer& to, std::size_t bytes) {
  return enqueued("clEnqueueCopyBuffer", functions().clEnqueueCopyBuffer, queue_of(*this),
                  mem_of(from), mem_of(to), std::size_t{0}, std::size_t{0}, bytes);
}

Event Queue::copy(const Buffer& from, const Buffer& to, const DeviceRectCopy& copy) {
  // As in Rect.
  const std::size_t from_origin[] = {copy.from_offset % copy.from_pitch,
                                     copy.from_offset / copy.from_pitch, 0};
  const std::size_t to_origin[] = {copy.to_offset % copy.to_pitch, copy.to_offset / copy.to_pitch,
                                   0};
  const std::size_t region[] = {copy.row_bytes, copy.rows, 1};
  return enqueued("clEnqueueCopyBufferRect", functions().clEnqueueCopyBufferRect, queue_of(*this),
                  mem_of(from), mem_of(to), from_origin, to_origin, region, copy.from_pitch,
                  std::size_t{0}, copy.to_pitch, std::size_t{0});
}

void* Queue::map(const Buffer& buffer, Access access, std::size_t bytes) {
  cl_map_flags flags = CL_MAP_READ | CL_MAP_WRITE;
  if (access == Access::read_only) flags = CL_MAP_READ;
  if (access == Access::write_only) flags = CL_MAP_WRITE;
  cl_int code = CL_SUCCESS;
  cl_event event = nullptr;
  void* mapped = functions().clEnqueueMapBuffer(queue_of(*this), mem_of(buffer), CL_FALSE, flags, 0,
                                                bytes, 0, nullptr, &event, &code);
  check("clEnqueueMapBuffer", code);
  try {
    end(Event(event));
  } catch (const DeviceHung&) {
    throw;
  } catch (...) {
    functions().clEnqueueUnmapMemObject(queue_of(*this), mem_of(buffer), mapped, 0, nullptr,
                                        nullptr);
    throw;
  }
  return mapped;
}

void Queue::unmap(const Buffer& buffer, void* mapped) {
  check("clEnqueueUnmapMemObject",
        functions().clEnqueueUnmapMemObject(queue_of(*this), mem_of(buffer), mapped, 0, nullptr,
                                            nullptr));
}

Event Queue::show_to_host(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl_event event = nullptr;
  void* mapped =
      functions().clEnqueueMapBuffer(queue_of(*this), mem_of(buffer), CL_FALSE, CL_MAP_READ, offset,
                                     bytes, 0, nullptr, &event, &code);
  check("clEnqueueMapBuffer", code);
  Event shown(event);
  try {
    unmap(buffer, mapped);
  } catch (const DeviceError&) {
    unmap(buffer, mapped);  // PoCL never frees what stays mapped
    throw;
  }
  return shown;
}

void Queue::flush() {
  check("clFlush", functions().clFlush(queue_of(*this)));
}

void Queue::finish() {
  await_all();
  check("clFinish", functions().clFinish(queue_of(*this)));
}

// The last command ends last. Without a marker clFinish has to do; on rusticl (22.3.6) it does not
// wait for commands that were flushed before.
void Queue::await_all() {
  if (wait_deadline_ != nullptr && wait_deadline_->is_over()) wait_deadline_->give_up(0);
  cl_event marker = nullptr;
  if (functions().clEnqueueBarrierWithWaitList(queue_of(*this), 0, nullptr, &marker) != CL_SUCCESS)
    return;
  const Event last(marker);
  if (functions().clFlush(queue_of(*this)) != CL_SUCCESS) return;
  try {
    poll_until_ended(marker, wait_deadline_.get());
    functions().clWaitForEvents(1, &marker);  // a failure is clFinish's to tell
  } catch (const DeviceHung&) {
    throw;
  } catch (const DeviceError&) {
    return;  // the driver did not tell
  }
}

Event Queue::end(std::optional<Event> copied, OwnRows& rows) {
  if (!copied) throw_failed("a copy of the host's memory", CL_INVALID_VALUE);
  try {
    end(*copied);
  } catch (const DeviceHung&) {
    rows.leave();
    throw;
  }
  return std::move(*copied);
}

// The host's memory is in use until then, whatever fails.
void Queue::end(const Event& event) {
  try {
    flush();
    wait(event);
  } catch (const DeviceHung&) {
    throw;
  } catch (...) {
    await_all();
    functions().clFinish(queue_of(*this));
    throw;
  }
}

bool Queue::wait(const Event& event) {
  auto* raw = static_cast<cl_event>(event.raw());
  const bool under_way = status_of(raw) > CL_COMPLETE;
  if (under_way) poll_until_ended(raw, wait_deadline_.get());
  // Asked even where the status says complete: only this call is a synchronisation point, after
  // which the host sees the kernel's writes. It returns at once then.
  const int code = functions().clWaitForEvents(1, &raw);
  if (code != CL_SUCCESS) {
    const int status = code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? status_of(raw) : 0;
    throw_failed("clWaitForEvents", status < 0 ? status : code);
  }
  check_earlier(event);
  return under_way;
}

void Queue::check_ended(const Event& event) {
  const cl_int status = status_of(static_cast<cl_event>(event.raw()));
  if (status < 0) throw_failed("an earlier command", status);
  check_earlier(event);
}

bool Queue::has_ended(const Event& event) {
  return status_of(static_cast<cl_event>(event.raw())) <= CL_COMPLETE;
}

namespace {

std::optional<double> seconds_to_end(const Event& event, cl_profiling_info from) noexcept {
  auto* raw = static_cast<cl_event>(event.raw());
  cl_ulong begun = 0, ended = 0;
  const auto ask = [raw](cl_profiling_info what, cl_ulong& at) {
    return functions().clGetEventProfilingInfo(raw, what, sizeof at, &at, nullptr) == CL_SUCCESS;
  };
  if (raw == nullptr || !ask(from, begun) || !ask(CL_PROFILING_COMMAND_END, ended) ||
      ended <= begun)
    return {};
  return static_cast<double>(ended - begun) * 1e-9;
}

}  // namespace

std::optional<double> seconds_if_profiled(const Event& event) noexcept {
  return seconds_to_end(event, CL_PROFILING_COMMAND_START);
}

std::optional<double> seconds_since_enqueue(const Event& event) noexcept {
  return seconds_to_end(event, CL_PROFILING_COMMAND_QUEUED);
}

double seconds_between_ends(const Event& earlier, const Event& later) {
  return static_cast<double>(timestamp(later, CL_PROFILING_COMMAND_END) -
                             timestamp(earlier, CL_PROFILING_COMMAND_END)) *
         1e-9;
}

}  // namespace duoblas::cl
