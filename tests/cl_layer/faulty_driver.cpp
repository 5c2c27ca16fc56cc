// An OpenCL layer (OPENCL_LAYERS=<its path>) that makes a sound driver a bad one, in processes
// that a test cannot reach. FAULTY_DRIVER says how: "FAULT FUNCTION [WORD [OPTION]]; ...", with
// WORD a part of the command line of the processes that are meant ("-": all of them), and OPTION
// one of the options of the builds that are meant:
//
//   short clEnqueueNDRangeKernel kernels   the last work-groups are not run
//   crash clEnqueueFillBuffer refusals     abort()
//   hang clEnqueueMapBuffer                never returns
//   fail clBuildProgram                    as where the compiler's disk is full
//   crash clBuildProgram - -DTILE_ROWS=3   as where the compiler, a part of the process, aborts
//   break clBuildProgram - -DTILE_ROWS=3   nothing builds from then on, as where that ended the
//                                          process in which the driver compiles
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

const cl_icd_dispatch* target = nullptr;
cl_icd_dispatch layered;

struct Fault {
  std::string kind, function, word, option;
};

// Of this process.
const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> once = [] {
    std::ifstream file("/proc/self/cmdline");
    const std::string command{std::istreambuf_iterator<char>(file), {}};
    const char* text = std::getenv("FAULTY_DRIVER");
    std::istringstream given(text != nullptr ? text : "");
    std::vector<Fault> faults;
    for (std::string each; std::getline(given, each, ';');) {
      Fault fault;
      std::istringstream words(each);
      words >> fault.kind >> fault.function >> fault.word >> fault.option;
      if (fault.word == "-" || command.find(fault.word) != std::string::npos)
        faults.push_back(fault);
    }
    return faults;
  }();
  return once;
}

// Whether there is such a fault for these options; each option stands between spaces.
bool has_fault(const char* kind, const char* function, const std::string& options = " ") {
  return std::ranges::any_of(all_faults(), [&](const Fault& fault) {
    return fault.kind == kind && fault.function == function &&
           (fault.option.empty() || options.find(' ' + fault.option + ' ') != std::string::npos);
  });
}

void meet(const char* function, const std::string& options = " ") {
  if (has_fault("crash", function, options)) std::abort();
  while (has_fault("hang", function, options)) pause();
}

CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global,
                                       const size_t* local, cl_uint waits, const cl_event* events,
                                       cl_event* event) {
  meet("clEnqueueNDRangeKernel");
  size_t fewer[3] = {1, 1, 1};
  for (cl_uint i = 0; i < dimensions; ++i) fewer[i] = global[i];
  if (has_fault("short", "clEnqueueNDRangeKernel") && local != nullptr) {
    for (cl_uint i = 0; i < dimensions; ++i) {
      if (fewer[i] <= local[i]) continue;
      fewer[i] -= local[i];
      break;
    }
  }
  return target->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, fewer, local, waits,
                                        events, event);
}

CL_API_ENTRY cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                     size_t pattern_size, size_t offset, size_t size, cl_uint waits,
                                     const cl_event* events, cl_event* event) {
  meet("clEnqueueFillBuffer");
  return target->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, waits,
                                     events, event);
}

CL_API_ENTRY cl_int CL_API_CALL build(cl_program program, cl_uint count,
                                      const cl_device_id* devices, const char* options,
                                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  static std::atomic<bool> broken{false};
  const std::string given = ' ' + std::string(options != nullptr ? options : "") + ' ';
  meet("clBuildProgram", given);
  if (has_fault("break", "clBuildProgram", given)) broken = true;
  if (has_fault("fail", "clBuildProgram", given)) return CL_BUILD_PROGRAM_FAILURE;
  if (broken) return CL_BUILD_PROGRAM_FAILURE;
  return target->clBuildProgram(program, count, devices, options, notify, data);
}

CL_API_ENTRY cl_int CL_API_CALL list(cl_platform_id platform, cl_device_type type, cl_uint count,
                                     cl_device_id* devices, cl_uint* found) {
  meet("clGetDeviceIDs");
  return target->clGetDeviceIDs(platform, type, count, devices, found);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                                      size_t* size_ret) {
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr) {
    if (size < sizeof version) return CL_INVALID_VALUE;
    *static_cast<cl_layer_api_version*>(value) = version;
  }
  if (size_ret != nullptr) *size_ret = sizeof version;
  return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                   const cl_icd_dispatch* target_dispatch,
                                                   cl_uint* entries_ret,
                                                   const cl_icd_dispatch** layer_dispatch_ret) {
  constexpr auto all = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void*));
  if (entries < all) return CL_INVALID_VALUE;
  target = target_dispatch;
  layered = *target_dispatch;
  layered.clEnqueueNDRangeKernel = &launch;
  layered.clEnqueueFillBuffer = &fill;
  layered.clBuildProgram = &build;
  layered.clGetDeviceIDs = &list;
  *entries_ret = all;
  *layer_dispatch_ret = &layered;
  return CL_SUCCESS;
}
