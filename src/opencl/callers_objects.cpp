#include "opencl/callers_objects.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <duoblas/error.hpp>

#include "opencl/device_error.hpp"
#include "opencl/function_table.hpp"

namespace duoblas::cl {
namespace {

template <typename T>
T queue_value(cl_command_queue queue, cl_command_queue_info what) {
  T value{};
  check("clGetCommandQueueInfo",
        functions().clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr));
  return value;
}

template <typename T>
T buffer_value(cl_mem buffer, cl_mem_info what) {
  T value{};
  check("clGetMemObjectInfo",
        functions().clGetMemObjectInfo(buffer, what, sizeof value, &value, nullptr));
  return value;
}

}  // namespace

QueueInContext adopt_queue(void* queue) {
  auto* raw = static_cast<cl_command_queue>(queue);
  const auto properties = queue_value<cl_command_queue_properties>(raw, CL_QUEUE_PROPERTIES);
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw DeviceError(
        "the queue executes out of order; the kernels of a product need one in order");
  auto* id = queue_value<cl_device_id>(raw, CL_QUEUE_DEVICE);
  auto* context = queue_value<cl_context>(raw, CL_QUEUE_CONTEXT);
  const auto devices = list_devices();
  const auto device =
      std::ranges::find_if(devices, [&](const Device& listed) { return listed.id == id; });
  if (device == devices.end())
    throw DeviceError(
        "the queue's device is not among those of the platforms; is it a sub-device?");
  Device described = *device;
  check("clRetainContext", functions().clRetainContext(context));
  QueueInContext adopted{Context(context, std::move(described)), Queue()};
  check("clRetainCommandQueue", functions().clRetainCommandQueue(raw));
  adopted.queue = Queue(queue);
  return adopted;
}

AdoptedBuffer adopt_buffer(void* buffer, const Context& context) {
  auto* raw = static_cast<cl_mem>(buffer);
  AdoptedBuffer adopted;
  adopted.bytes = buffer_value<std::size_t>(raw, CL_MEM_SIZE);
  adopted.in_context = buffer_value<cl_context>(raw, CL_MEM_CONTEXT) == context.raw();
  // Null, except for buffers over host memory; those may have any alignment.
  const void* host = buffer_value<void*>(raw, CL_MEM_HOST_PTR);
  const auto offset = buffer_value<std::size_t>(raw, CL_MEM_OFFSET);
  adopted.aligned = (reinterpret_cast<std::uintptr_t>(host) | offset) % 16 == 0;
  check("clRetainMemObject", functions().clRetainMemObject(raw));
  adopted.buffer = Buffer(buffer);
  return adopted;
}

void start_after(Queue& queue, void* event) {
  auto* raw = static_cast<cl_event>(event);
  check("clEnqueueBarrierWithWaitList",
        functions().clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(queue.raw()), 1,
                                                 &raw, nullptr));
}

}  // namespace duoblas::cl
