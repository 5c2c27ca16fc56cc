// Contexts and their buffers.
#include <algorithm>
#include <cstddef>
#include <string>

#include "opencl/device_error.hpp"
#include "opencl/driver_needs.hpp"
#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"
#include "os/restored_signals.hpp"

namespace duoblas::cl {
namespace {

cl_mem_flags access_flags(Access access) {
  switch (access) {
    case Access::read_only: return CL_MEM_READ_ONLY;
    case Access::write_only: return CL_MEM_WRITE_ONLY;
    case Access::read_write: return CL_MEM_READ_WRITE;
  }
  return CL_MEM_READ_WRITE;
}

Buffer create_buffer(const Context& context, cl_mem_flags flags, std::size_t bytes, void* host) {
  cl_int code = CL_SUCCESS;
  cl_mem raw = nullptr;
  // NVIDIA's driver creates a buffer of any size and fails at its first use.
  if (bytes > context.device().info.max_allocation_bytes) {
    code = CL_INVALID_BUFFER_SIZE;
  } else {
    raw = functions().clCreateBuffer(static_cast<cl_context>(context.raw()), flags,
                                     std::max<std::size_t>(bytes, 1), host, &code);
  }
  if (code != CL_SUCCESS) {
    throw_failed("clCreateBuffer", code, std::to_string(bytes) + " bytes were asked for");
  }
  return Buffer(raw);
}

}  // namespace

Context::Context(const Device& device) : device_(device) {
  if (const std::string missing = missing_to_build(device); !missing.empty())
    throw DriverLeftOut(device.info.platform, missing);
  const RestoredSignals as_the_program_has_them;
  const FileSizeSignalBlocked for_driver;
  auto* id = static_cast<cl_device_id>(device.id);
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int code = CL_SUCCESS;
  cl_context raw = functions().clCreateContext(properties, 1, &id, nullptr, nullptr, &code);
  check("clCreateContext", code);
  static_cast<Handle&>(*this) = Handle(raw);
}

Buffer Context::allocate(std::size_t bytes, Access access) const {
  return create_buffer(*this, access_flags(access), bytes, nullptr);
}

Buffer Context::allocate_copy(const void* host, std::size_t bytes) const {
  return create_buffer(*this, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                       const_cast<void*>(host));
}

Buffer Context::allocate_host(std::size_t bytes, Access access) const {
  return create_buffer(*this, access_flags(access) | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr);
}

Image Context::image_over(const Buffer& buffer, std::size_t pixels, Pixel pixel) const {
  cl_image_format format{};
  format.image_channel_order = CL_RGBA;
  format.image_channel_data_type = pixel == Pixel::float4 ? CL_FLOAT : CL_UNSIGNED_INT32;
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  shape.image_width = pixels;
  shape.buffer = static_cast<cl_mem>(buffer.raw());
  cl_int code = CL_SUCCESS;
  const cl_mem image = functions().clCreateImage(static_cast<cl_context>(raw()), CL_MEM_READ_ONLY,
                                                 &format, &shape, nullptr, &code);
  check("clCreateImage", code);
  return Image(image);
}

Buffer Context::wrap(void* host, std::size_t bytes, Access access) const {
  return create_buffer(*this, access_flags(access) | CL_MEM_USE_HOST_PTR, bytes, host);
}

}  // namespace duoblas::cl
