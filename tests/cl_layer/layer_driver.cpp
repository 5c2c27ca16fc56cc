// The driver that the tests' OpenCL layer plays: answers and failures that a test asks for.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "cl_layer/layer_driver.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "cl_layer/layer_spoil.hpp"
#include "cl_layer/memory_model.hpp"

namespace duoblas::layer {
namespace {

struct Failure {
  int code;
};
using Answer = std::variant<std::string, long, Failure>;

struct Driver {
  std::map<cl_device_info, Answer> answers;
  long largest_group = std::numeric_limits<long>::max();
  int group_refusal = 0;
  long told_group = std::numeric_limits<long>::max();
  bool only_12 = false;
  std::string failing_kernel;
  long launches_until_failure = 0;
  int kernel_failure = 0;
  std::string failing_command;
  long commands_until_failure = 0;
  int command_failure = 0;
};

struct State {
  std::mutex mutex;
  Driver driver;
  std::map<cl_kernel, std::string> kernels;
  std::map<cl_event, int> failed;  ///< what their status is
  cl_icd_dispatch counted{};       ///< the driver itself, with every call recorded
};

// Never destroyed, like the state of layer_state.cpp.
State& state() {
  static State* const once = new State;
  return *once;
}

cl_int give_text(const std::string& text, size_t size, void* value, size_t* size_ret) {
  if (value != nullptr && size <= text.size()) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, text.c_str(), text.size() + 1);
  if (size_ret != nullptr) *size_ret = text.size() + 1;
  return CL_SUCCESS;
}

// Whatever its width, little-endian.
cl_int give_number(long number, size_t size, void* value, size_t* size_ret) {
  if (value != nullptr) {
    std::memset(value, 0, size);
    std::memcpy(value, &number, std::min(size, sizeof number));
  }
  if (size_ret != nullptr) *size_ret = sizeof number;
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void* value,
                               size_t* size_ret) {
  if (what == CL_DEVICE_TYPE && (plays_discrete_gpu() || is_incoherent()))
    return give_number(CL_DEVICE_TYPE_GPU, size, value, size_ret);
  if (what == CL_DEVICE_SVM_CAPABILITIES && is_incoherent())
    return give_number(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, size, value, size_ret);
  {
    const std::lock_guard guard(state().mutex);
    const auto& answers = state().driver.answers;
    if (const auto found = answers.find(what); found != answers.end()) {
      if (const auto* text = std::get_if<std::string>(&found->second))
        return give_text(*text, size, value, size_ret);
      if (const auto* number = std::get_if<long>(&found->second))
        return give_number(*number, size, value, size_ret);
      return std::get<Failure>(found->second).code;
    }
  }
  return state().counted.clGetDeviceInfo(device, what, size, value, size_ret);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                 const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                 void* data) {
  const std::string_view text = options == nullptr ? "" : options;
  const std::size_t standard = text.find("-cl-std=");
  bool refused = false;
  {
    const std::lock_guard guard(state().mutex);
    refused = state().driver.only_12 && standard != std::string_view::npos &&
              text.substr(standard, 11) != "-cl-std=CL1";
  }
  if (refused) return CL_INVALID_BUILD_OPTIONS;
  return state().counted.clBuildProgram(program, count, devices, options, notify, data);
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code) {
  cl_kernel kernel = state().counted.clCreateKernel(program, name, code);
  const std::lock_guard guard(state().mutex);
  if (kernel != nullptr) state().kernels[kernel] = name;
  forget_arguments(kernel);  // of another that had the handle
  return kernel;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  bool is_product = false;
  {
    const std::lock_guard guard(state().mutex);
    is_product = state().kernels[kernel] == "gemm";
  }
  if (is_product) note_argument(kernel, index, size, value);
  return state().counted.clSetKernelArg(kernel, index, size, value);
}

cl_int CL_API_CALL kernel_group_info(cl_kernel kernel, cl_device_id device,
                                     cl_kernel_work_group_info what, size_t size, void* value,
                                     size_t* size_ret) {
  const cl_int code =
      state().counted.clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
  if (code != CL_SUCCESS || what != CL_KERNEL_WORK_GROUP_SIZE || value == nullptr) return code;
  const std::lock_guard guard(state().mutex);
  auto* items = static_cast<size_t*>(value);
  *items = std::min(*items, static_cast<size_t>(state().driver.told_group));
  return code;
}

// Whether this launch is the one that fails, and with what.
int failure_of(cl_kernel kernel) {
  const std::lock_guard guard(state().mutex);
  Driver& driver = state().driver;
  if (driver.launches_until_failure == 0 || state().kernels[kernel] != driver.failing_kernel)
    return CL_SUCCESS;
  return --driver.launches_until_failure == 0 ? driver.kernel_failure : CL_SUCCESS;
}

int failure_of(const char* command) {
  const std::lock_guard guard(state().mutex);
  Driver& driver = state().driver;
  if (driver.commands_until_failure == 0 || driver.failing_command != command) return CL_SUCCESS;
  return --driver.commands_until_failure == 0 ? driver.command_failure : CL_SUCCESS;
}

// A command that has failed by the time that somebody asks.
cl_int enqueue_failed(cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event,
                      int failure) {
  if (event == nullptr) return CL_SUCCESS;
  const cl_int code = state().counted.clEnqueueBarrierWithWaitList(queue, waits, list, event);
  const std::lock_guard guard(state().mutex);
  if (code == CL_SUCCESS) state().failed[*event] = failure;
  return code;
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint waits, const cl_event* list, cl_event* event) {
  long items = 1;
  for (cl_uint i = 0; local != nullptr && i < dimensions; ++i) items *= static_cast<long>(local[i]);
  {
    const std::lock_guard guard(state().mutex);
    if (items > state().driver.largest_group) return state().driver.group_refusal;
  }
  int failure = failure_of(kernel);
  if (failure == CL_SUCCESS) failure = failure_of("kernel");
  if (failure == CL_SUCCESS && is_left_out(kernel)) {
    return state().counted.clEnqueueBarrierWithWaitList(queue, waits, list, event);
  }
  if (failure == CL_SUCCESS) {
    const cl_int code = state().counted.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
                                                               global, local, waits, list, event);
    if (code == CL_SUCCESS) spoil_result(state().counted, queue, kernel);
    return code;
  }
  return enqueue_failed(queue, waits, list, event, failure);
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset,
                                size_t bytes, const void* from, cl_uint waits, const cl_event* list,
                                cl_event* event) {
  if (const int failure = failure_of("upload"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueWriteBuffer(queue, to, blocking, offset, bytes, from, waits, list,
                                              event);
}

cl_int CL_API_CALL write_rows(cl_command_queue queue, cl_mem to, cl_bool blocking,
                              const size_t* origin, const size_t* host_origin, const size_t* region,
                              size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                              size_t host_slice_pitch, const void* from, cl_uint waits,
                              const cl_event* list, cl_event* event) {
  if (const int failure = failure_of("upload"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueWriteBufferRect(queue, to, blocking, origin, host_origin, region,
                                                  row_pitch, slice_pitch, host_row_pitch,
                                                  host_slice_pitch, from, waits, list, event);
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool blocking, size_t offset,
                               size_t bytes, void* to, cl_uint waits, const cl_event* list,
                               cl_event* event) {
  if (const int failure = failure_of("download"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueReadBuffer(queue, from, blocking, offset, bytes, to, waits, list,
                                             event);
}

cl_int CL_API_CALL read_rows(cl_command_queue queue, cl_mem from, cl_bool blocking,
                             const size_t* origin, const size_t* host_origin, const size_t* region,
                             size_t row_pitch, size_t slice_pitch, size_t host_row_pitch,
                             size_t host_slice_pitch, void* to, cl_uint waits, const cl_event* list,
                             cl_event* event) {
  if (const int failure = failure_of("download"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueReadBufferRect(queue, from, blocking, origin, host_origin, region,
                                                 row_pitch, slice_pitch, host_row_pitch,
                                                 host_slice_pitch, to, waits, list, event);
}

cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                               size_t pattern_bytes, size_t offset, size_t bytes, cl_uint waits,
                               const cl_event* list, cl_event* event) {
  if (const int failure = failure_of("fill"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes,
                                             waits, list, event);
}

cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                               size_t to_offset, size_t bytes, cl_uint waits, const cl_event* list,
                               cl_event* event) {
  if (const int failure = failure_of("copy"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, waits,
                                             list, event);
}

cl_int CL_API_CALL copy_rows(cl_command_queue queue, cl_mem from, cl_mem to,
                             const size_t* from_origin, const size_t* to_origin,
                             const size_t* region, size_t from_pitch, size_t from_slice,
                             size_t to_pitch, size_t to_slice, cl_uint waits, const cl_event* list,
                             cl_event* event) {
  if (const int failure = failure_of("copy"); failure != CL_SUCCESS)
    return enqueue_failed(queue, waits, list, event, failure);
  return state().counted.clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region,
                                                 from_pitch, from_slice, to_pitch, to_slice, waits,
                                                 list, event);
}

// What is mapped has to be unmapped, so it is done all the same.
void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, size_t offset, size_t bytes, cl_uint waits,
                             const cl_event* list, cl_event* event, cl_int* code) {
  void* const mapped = state().counted.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset,
                                                          bytes, waits, list, event, code);
  const int failure = failure_of("map");
  if (failure == CL_SUCCESS || mapped == nullptr || event == nullptr) return mapped;
  const std::lock_guard guard(state().mutex);
  state().failed[*event] = failure;
  return mapped;
}

int status_of_failed(cl_event event) {
  const std::lock_guard guard(state().mutex);
  const auto found = state().failed.find(event);
  return found == state().failed.end() ? CL_COMPLETE : found->second;
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t size, void* value,
                              size_t* size_ret) {
  const cl_int code = state().counted.clGetEventInfo(event, what, size, value, size_ret);
  const int failed = status_of_failed(event);
  if (code != CL_SUCCESS || what != CL_EVENT_COMMAND_EXECUTION_STATUS || value == nullptr ||
      failed == CL_COMPLETE)
    return code;
  auto* status = static_cast<cl_int*>(value);
  if (*status == CL_COMPLETE) *status = failed;
  return code;
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  const cl_int code = state().counted.clWaitForEvents(count, events);
  if (code != CL_SUCCESS) return code;
  const bool failed = std::any_of(events, events + count, [](cl_event event) {
    return status_of_failed(event) != CL_COMPLETE;
  });
  return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

// Its handle may be another event's soon.
cl_int CL_API_CALL release_event(cl_event event) {
  {
    const std::lock_guard guard(state().mutex);
    state().failed.erase(event);
  }
  return state().counted.clReleaseEvent(event);
}

}  // namespace

void play_driver(cl_icd_dispatch& layered) {
  state().counted = layered;
  layered.clGetDeviceInfo = &device_info;
  layered.clBuildProgram = &build_program;
  layered.clCreateKernel = &create_kernel;
  layered.clSetKernelArg = &set_argument;
  layered.clGetKernelWorkGroupInfo = &kernel_group_info;
  layered.clEnqueueNDRangeKernel = &enqueue_kernel;
  layered.clEnqueueWriteBuffer = &write_buffer;
  layered.clEnqueueWriteBufferRect = &write_rows;
  layered.clEnqueueReadBuffer = &read_buffer;
  layered.clEnqueueReadBufferRect = &read_rows;
  layered.clEnqueueFillBuffer = &fill_buffer;
  layered.clEnqueueCopyBuffer = &copy_buffer;
  layered.clEnqueueCopyBufferRect = &copy_rows;
  layered.clEnqueueMapBuffer = &map_buffer;
  layered.clGetEventInfo = &event_info;
  layered.clWaitForEvents = &wait_for_events;
  layered.clReleaseEvent = &release_event;
}

}  // namespace duoblas::layer

#define DUOBLAS_LAYER_EXPORT extern "C" __attribute__((visibility("default")))

using duoblas::layer::state;

DUOBLAS_LAYER_EXPORT void duoblas_layer_true_driver() {
  const std::lock_guard guard(state().mutex);
  state().driver = {};
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_device_text(unsigned what, const char* text) {
  const std::lock_guard guard(state().mutex);
  state().driver.answers[what] = std::string(text);
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_device_number(unsigned what, long value) {
  const std::lock_guard guard(state().mutex);
  state().driver.answers[what] = value;
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_device_error(unsigned what, int code) {
  const std::lock_guard guard(state().mutex);
  state().driver.answers[what] = duoblas::layer::Failure{code};
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_refuse_groups_above(long items, int code) {
  const std::lock_guard guard(state().mutex);
  state().driver.largest_group = items;
  state().driver.group_refusal = code;
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_tell_groups_of(long items) {
  const std::lock_guard guard(state().mutex);
  state().driver.told_group = items;
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_only_opencl_12() {
  const std::lock_guard guard(state().mutex);
  state().driver.only_12 = true;
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_fail_kernel(const char* name, long launch, int code) {
  const std::lock_guard guard(state().mutex);
  state().driver.failing_kernel = name;
  state().driver.launches_until_failure = launch;
  state().driver.kernel_failure = code;
}

DUOBLAS_LAYER_EXPORT int duoblas_layer_has_failed_kernel() {
  const std::lock_guard guard(state().mutex);
  const auto& driver = state().driver;
  return static_cast<int>(!driver.failing_kernel.empty() && driver.launches_until_failure == 0);
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_fail_command(const char* kind, long number, int code) {
  const std::lock_guard guard(state().mutex);
  state().driver.failing_command = kind;
  state().driver.commands_until_failure = number;
  state().driver.command_failure = code;
}

DUOBLAS_LAYER_EXPORT int duoblas_layer_has_failed_command() {
  const std::lock_guard guard(state().mutex);
  return static_cast<int>(state().driver.commands_until_failure == 0);
}
