#include "opencl/caller_buffer.hpp"

#include <cstdint>

#include "opencl/device_error.hpp"
#include "opencl/function_table.hpp"

namespace duoblas::cl {
namespace {

template <typename T>
T value_of(cl_mem buffer, cl_mem_info what) {
  T value{};
  check("clGetMemObjectInfo",
        functions().clGetMemObjectInfo(buffer, what, sizeof value, &value, nullptr));
  return value;
}

// The whole buffer and the offset in it: OpenCL makes parts only of whole buffers.
struct Origin {
  cl_mem whole = nullptr;
  std::size_t first = 0;
};

Origin origin_of(cl_mem buffer) {
  auto* const whole = value_of<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT);
  if (whole == nullptr) return {buffer, 0};
  return {whole, value_of<std::size_t>(buffer, CL_MEM_OFFSET)};
}

CallerBuffer::Fault fault_of(cl_mem buffer, std::size_t offset, std::size_t bytes,
                             const Context& context) {
  if (value_of<cl_context>(buffer, CL_MEM_CONTEXT) != context.raw())
    return {CallerBuffer::Argument::buffer, "is of another context than the queue's"};
  constexpr cl_mem_flags one_way = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if ((value_of<cl_mem_flags>(buffer, CL_MEM_FLAGS) & one_way) != 0)
    return {CallerBuffer::Argument::buffer,
            "is one that kernels can only read, or only write: make it with CL_MEM_READ_WRITE"};
  const std::size_t alignment = context.device().info.base_alignment_bytes;
  // Null, except for buffers over host memory, which may begin at any address.
  const auto host = reinterpret_cast<std::uintptr_t>(value_of<void*>(buffer, CL_MEM_HOST_PTR));
  const Origin origin = origin_of(buffer);
  const std::string needed = " multiple of " + std::to_string(alignment) +
                             " bytes (the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN)";
  if (host % alignment != 0 || origin.first % alignment != 0)
    return {CallerBuffer::Argument::buffer, "does not begin at a" + needed};
  if (offset % alignment != 0) return {CallerBuffer::Argument::offset, "is no" + needed};
  const auto size = value_of<std::size_t>(buffer, CL_MEM_SIZE);
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
