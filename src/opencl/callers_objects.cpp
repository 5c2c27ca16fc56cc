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

namespace {

// The whole buffer and the offset in it: OpenCL makes parts only of whole buffers.
struct Origin {
  cl_mem whole = nullptr;
  std::size_t first = 0;
};

Origin origin_of(cl_mem buffer) {
  auto* const whole = buffer_value<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT);
  if (whole == nullptr) return {buffer, 0};
  return {whole, buffer_value<std::size_t>(buffer, CL_MEM_OFFSET)};
}

CallerBuffer::Fault fault_of(cl_mem buffer, std::size_t offset, std::size_t bytes,
                             const Context& context) {
  if (buffer_value<cl_context>(buffer, CL_MEM_CONTEXT) != context.raw())
    return {CallerBuffer::Argument::buffer, "is of another context than the queue's"};
  constexpr cl_mem_flags one_way = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if ((buffer_value<cl_mem_flags>(buffer, CL_MEM_FLAGS) & one_way) != 0)
    return {CallerBuffer::Argument::buffer,
            "is one that kernels can only read, or only write: make it with CL_MEM_READ_WRITE"};
  const std::size_t alignment = context.device().info.base_alignment_bytes;
  // Null, except for buffers over host memory, which may begin at any address.
  const auto host = reinterpret_cast<std::uintptr_t>(buffer_value<void*>(buffer, CL_MEM_HOST_PTR));
  const Origin origin = origin_of(buffer);
  const std::string needed = " multiple of " + std::to_string(alignment) +
                             " bytes (the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN)";
  if (host % alignment != 0 || origin.first % alignment != 0)
    return {CallerBuffer::Argument::buffer, "does not begin at a" + needed};
  if (offset % alignment != 0) return {CallerBuffer::Argument::offset, "is no" + needed};
  const auto size = buffer_value<std::size_t>(buffer, CL_MEM_SIZE);
  if (offset > size || bytes > size - offset)
    return {CallerBuffer::Argument::bytes,
            "reach beyond the end of the buffer, which has " + std::to_string(size)};
  return {};
}

}  // namespace

CallerBuffer::CallerBuffer(void* buffer, std::size_t offset, std::size_t bytes,
                           const Context& context)
    : bytes_(bytes), alignment_(context.device().info.base_alignment_bytes) {
  auto* const raw = static_cast<cl_mem>(buffer);
  fault_ = fault_of(raw, offset, bytes, context);
  const Origin origin = origin_of(raw);
  first_ = origin.first + offset;
  check("clRetainMemObject", functions().clRetainMemObject(origin.whole));
  whole_ = std::make_shared<const Buffer>(origin.whole);
}

Buffer CallerBuffer::part(std::size_t first, std::size_t bytes) const {
  const cl_buffer_region region{first_ + first, bytes};
  cl_int code = CL_SUCCESS;
  cl_mem raw = functions().clCreateSubBuffer(static_cast<cl_mem>(whole_->raw()), 0,
                                             CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check("clCreateSubBuffer", code);
  return Buffer(raw);
}

bool CallerBuffer::overlaps(void* buffer, std::size_t offset, std::size_t bytes) const {
  const Origin origin = origin_of(static_cast<cl_mem>(buffer));
  const std::size_t first = origin.first + offset;
  return origin.whole == whole_->raw() && first < first_ + bytes_ && first_ < first + bytes;
}

}  // namespace duoblas::cl
