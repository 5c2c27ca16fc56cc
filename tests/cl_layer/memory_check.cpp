#include "cl_layer/memory_check.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace duoblas::layer {
namespace {

// Handles are given out again: the number tells which of those that had it is meant.
struct Memory {
  long number = 0;
  int references = 1;
};

struct Check {
  std::mutex mutex;
  long made = 0;
  std::map<cl_mem, Memory> live;
  std::map<long, cl_mem> by_number;
  std::map<cl_kernel, std::map<cl_uint, long>> arguments;  // numbers of memory objects
  cl_icd_dispatch driver{};
};

// Never destroyed, as the layer's state.
Check& check() {
  static Check* const once = new Check;
  return *once;
}

[[noreturn]] void end_with(const char* function, const char* what) {
  std::fprintf(stderr, "DuoBLAS test layer: %s %s\n", function, what);
  std::abort();
}

void note_made(cl_mem made) {
  if (made == nullptr) return;
  Check& now = check();
  const std::lock_guard guard(now.mutex);
  now.live[made] = {++now.made, 1};
  now.by_number[now.made] = made;
}

void require_live(const char* function, cl_mem memory) {
  Check& now = check();
  const std::lock_guard guard(now.mutex);
  if (now.live.count(memory) == 0) end_with(function, "of a memory object that is gone");
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                 cl_int* code) {
  cl_mem made = check().driver.clCreateBuffer(context, flags, bytes, host, code);
  note_made(made);
  return made;
}

cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                               const void* region, cl_int* code) {
  require_live("clCreateSubBuffer", whole);
  cl_mem made = check().driver.clCreateSubBuffer(whole, flags, type, region, code);
  note_made(made);
  return made;
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                const cl_image_format* format, const cl_image_desc* shape,
                                void* host, cl_int* code) {
  if (shape != nullptr && shape->buffer != nullptr) require_live("clCreateImage", shape->buffer);
  cl_mem made = check().driver.clCreateImage(context, flags, format, shape, host, code);
  note_made(made);
  return made;
}

cl_int CL_API_CALL retain(cl_mem memory) {
  require_live("clRetainMemObject", memory);
  const cl_int code = check().driver.clRetainMemObject(memory);
  const std::lock_guard guard(check().mutex);
  if (code == CL_SUCCESS) ++check().live[memory].references;
  return code;
}

// Forgotten before the driver releases it, and may give the handle to another object.
cl_int CL_API_CALL release(cl_mem memory) {
  require_live("clReleaseMemObject", memory);
  {
    Check& now = check();
    const std::lock_guard guard(now.mutex);
    Memory& known = now.live[memory];
    if (--known.references == 0) {
      now.by_number.erase(known.number);
      now.live.erase(memory);
    }
  }
  return check().driver.clReleaseMemObject(memory);
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code) {
  cl_kernel made = check().driver.clCreateKernel(program, name, code);
  const std::lock_guard guard(check().mutex);
  check().arguments.erase(made);  // of another that had the handle
  return made;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  {
    Check& now = check();
    const std::lock_guard guard(now.mutex);
    cl_mem memory = nullptr;
    if (size == sizeof memory && value != nullptr) std::memcpy(&memory, value, sizeof memory);
    const auto known = now.live.find(memory);
    now.arguments[kernel].erase(index);
    if (known != now.live.end()) now.arguments[kernel][index] = known->second.number;
  }
  return check().driver.clSetKernelArg(kernel, index, size, value);
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                          const size_t* offset, const size_t* global, const size_t* local,
                          cl_uint waits, const cl_event* list, cl_event* event) {
  {
    Check& now = check();
    const std::lock_guard guard(now.mutex);
    for (const auto& [index, number] : now.arguments[kernel])
      if (now.by_number.count(number) == 0)
        end_with("clEnqueueNDRangeKernel", "with a memory object that is gone");
  }
  return check().driver.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                               waits, list, event);
}

cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info what, size_t size, void* value,
                               size_t* size_ret) {
  require_live("clGetMemObjectInfo", memory);
  return check().driver.clGetMemObjectInfo(memory, what, size, value, size_ret);
}

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem buffer, const void* pattern,
                        size_t pattern_bytes, size_t offset, size_t bytes, cl_uint waits,
                        const cl_event* list, cl_event* event) {
  require_live("clEnqueueFillBuffer", buffer);
  return check().driver.clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes,
                                            waits, list, event);
}

}  // namespace

void put_memory_check(cl_icd_dispatch& driver) {
  check().driver = driver;
  driver.clCreateBuffer = create_buffer;
  driver.clCreateSubBuffer = create_part;
  driver.clCreateImage = create_image;
  driver.clRetainMemObject = retain;
  driver.clReleaseMemObject = release;
  driver.clCreateKernel = create_kernel;
  driver.clSetKernelArg = set_argument;
  driver.clEnqueueNDRangeKernel = launch;
  driver.clGetMemObjectInfo = memory_info;
  driver.clEnqueueFillBuffer = fill;
}

}  // namespace duoblas::layer
