// The layer's functions, made from one table: each records, fails when told to, and passes on.
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

#include "cl_layer/cl_api.hpp"
#include "cl_layer/layer_driver.hpp"
#include "cl_layer/layer_hang.hpp"
#include "cl_layer/layer_state.hpp"
#include "cl_layer/memory_check.hpp"
#include "cl_layer/memory_model.hpp"

namespace duoblas::layer {
namespace {

cl_icd_dispatch target;  // the driver, with what the tests make of its memory
cl_icd_dispatch layered;

/// How a call fails: creating and enqueueing do nothing then; what waits, flushes or releases has
/// done so when it returns the error.
enum class Fails { without_performing, after_performing };

/// What is special about a function. Numbers are positions of arguments; -1: it has none.
struct Traits {
  Fails fails = Fails::without_performing;
  Kind object = Kind::none;  ///< created (by functions that return it), retained or released
  int change = 0;
  int blocking = -1;  ///< the blocking flag
  int bytes = -1;     ///< the number of bytes copied
  int region = -1;    ///< the rectangle copied
  int flags = -1;     ///< of a buffer that is created; its size comes next
  bool polled = false;
  bool waits = false;  ///< for commands, or may
};

constexpr Traits plain{};
constexpr Traits creates(Kind kind) {
  return {.object = kind, .change = 1};
}
constexpr Traits retains(Kind kind) {
  return {.object = kind, .change = 1};
}
constexpr Traits releases(Kind kind) {
  return {
      .fails = Fails::after_performing, .object = kind, .change = -1, .waits = kind == Kind::queue};
}
constexpr Traits creates_buffer{.object = Kind::memory, .change = 1, .flags = 1};
constexpr Traits flushes{.fails = Fails::after_performing};
constexpr Traits waits{.fails = Fails::after_performing, .waits = true};
constexpr Traits polled{.polled = true};
constexpr Traits copies{.bytes = 5};
constexpr Traits transfers{.blocking = 2, .bytes = 4};
constexpr Traits transfers_rect{.blocking = 2, .region = 5};
constexpr Traits maps{.blocking = 2};

#define DUOBLAS_LAYER_TABLE(X)                         \
  X(clGetPlatformIDs, plain)                           \
  X(clGetPlatformInfo, plain)                          \
  X(clGetDeviceIDs, plain)                             \
  X(clGetDeviceInfo, plain)                            \
  X(clCreateContext, creates(Kind::context))           \
  X(clRetainContext, retains(Kind::context))           \
  X(clReleaseContext, releases(Kind::context))         \
  X(clCreateCommandQueue, creates(Kind::queue))        \
  X(clRetainCommandQueue, retains(Kind::queue))        \
  X(clReleaseCommandQueue, releases(Kind::queue))      \
  X(clCreateBuffer, creates_buffer)                    \
  X(clCreateImage, creates(Kind::memory))              \
  X(clCreateSubBuffer, creates(Kind::memory))          \
  X(clRetainMemObject, retains(Kind::memory))          \
  X(clReleaseMemObject, releases(Kind::memory))        \
  X(clGetCommandQueueInfo, plain)                      \
  X(clGetMemObjectInfo, plain)                         \
  X(clEnqueueFillBuffer, plain)                        \
  X(clCreateProgramWithSource, creates(Kind::program)) \
  X(clCreateProgramWithBinary, creates(Kind::program)) \
  X(clRetainProgram, retains(Kind::program))           \
  X(clReleaseProgram, releases(Kind::program))         \
  X(clBuildProgram, plain)                             \
  X(clGetProgramInfo, plain)                           \
  X(clGetProgramBuildInfo, plain)                      \
  X(clGetKernelWorkGroupInfo, plain)                   \
  X(clCreateKernel, creates(Kind::kernel))             \
  X(clRetainKernel, retains(Kind::kernel))             \
  X(clReleaseKernel, releases(Kind::kernel))           \
  X(clSetKernelArg, plain)                             \
  X(clEnqueueNDRangeKernel, plain)                     \
  X(clEnqueueWriteBuffer, transfers)                   \
  X(clEnqueueWriteBufferRect, transfers_rect)          \
  X(clEnqueueReadBuffer, transfers)                    \
  X(clEnqueueReadBufferRect, transfers_rect)           \
  X(clEnqueueCopyBuffer, copies)                       \
  X(clEnqueueCopyBufferRect, plain)                    \
  X(clEnqueueBarrierWithWaitList, plain)               \
  X(clEnqueueMapBuffer, maps)                          \
  X(clEnqueueUnmapMemObject, plain)                    \
  X(clFlush, flushes)                                  \
  X(clFinish, waits)                                   \
  X(clWaitForEvents, waits)                            \
  X(clGetEventInfo, polled)                            \
  X(clGetEventProfilingInfo, plain)                    \
  X(clRetainEvent, retains(Kind::event))               \
  X(clReleaseEvent, releases(Kind::event))             \
  X(clSetEventCallback, plain)                         \
  X(clSetMemObjectDestructorCallback, plain)

template <typename T>
constexpr bool is_callback = std::is_pointer_v<T>&& std::is_function_v<std::remove_pointer_t<T>>;

template <typename T>
void note_callback(std::string& facts, T argument) {
  if constexpr (is_callback<T>)
    facts += argument == nullptr ? " pfn_notify=NULL" : " pfn_notify=SET";
}

template <typename T>
void note_event(T argument) {
  if constexpr (std::is_same_v<T, cl_event*>) {
    if (argument != nullptr && *argument != nullptr) count_object(Kind::event, 1);
  }
}

// Events are outputs: emptied first, so that what is there afterwards was made by this call.
template <typename T>
void clear_event(T argument) {
  if constexpr (std::is_same_v<T, cl_event*>) {
    if (argument != nullptr) *argument = nullptr;
  }
}

template <typename T>
void report(T argument, cl_int code) {
  if constexpr (std::is_same_v<T, cl_int*>) {
    if (argument != nullptr) *argument = code;
  }
}

void note_made(const void* buffer, cl_mem_flags flags, std::size_t bytes) {
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) return;
  note_buffer(buffer, (flags & CL_MEM_ALLOC_HOST_PTR) != 0 ? Place::page_locked : Place::device,
              bytes);
}

template <const char* name, Traits traits, auto member>
struct Layered;

template <const char* name, Traits traits, typename R, typename... Args,
          R (CL_API_CALL* cl_icd_dispatch::*member)(Args...)>
struct Layered<name, traits, member> {
  static R CL_API_CALL function(Args... args) {
    const std::tuple<Args...> all(args...);
    std::string facts;
    (note_callback(facts, args), ...);
    if constexpr (traits.blocking >= 0) {
      facts += std::get<traits.blocking>(all) != CL_FALSE ? " blocking" : " non-blocking";
    }
    const cl_int failure = enter(name, facts, traits.polled);
    if (failure != CL_SUCCESS && traits.fails == Fails::without_performing) {
      (report(args, failure), ...);
      if constexpr (std::is_pointer_v<R>) {
        return nullptr;
      } else {
        return failure;
      }
    }
    if constexpr (traits.blocking >= 0) {
      if (std::get<traits.blocking>(all) != CL_FALSE) hang_if_told();
    }
    if constexpr (traits.waits) hang_if_told();
    (clear_event(args), ...);
    // Before: the driver may give the handle to another object as soon as it is released.
    if constexpr (traits.object == Kind::memory && traits.change < 0)
      forget_buffer(std::get<0>(all));
    const R result = (target.*member)(args...);
    (note_event(args), ...);
    if constexpr (std::is_pointer_v<R>) {
      if (result != nullptr) count_object(traits.object, traits.change);
      if constexpr (traits.flags >= 0) {
        if (result != nullptr) note_made(result, std::get<traits.flags>(all), std::get<2>(all));
      }
      return result;
    } else {
      if (result == CL_SUCCESS) note_success(all);
      return failure != CL_SUCCESS ? failure : result;
    }
  }

  static void note_success(const std::tuple<Args...>& all) {
    count_object(traits.object, traits.change);
    if constexpr (traits.bytes >= 0) count_copied(std::get<traits.bytes>(all));
    if constexpr (traits.region >= 0) {
      const std::size_t* region = std::get<traits.region>(all);
      count_copied(region[0] * region[1] * region[2]);
    }
  }
};

#define DUOBLAS_LAYER_NAME(function, traits) constexpr char name_of_##function[] = #function;
DUOBLAS_LAYER_TABLE(DUOBLAS_LAYER_NAME)
#undef DUOBLAS_LAYER_NAME

cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t size, void* value,
                              size_t* size_ret) {
  const cl_int code =
      Layered<name_of_clGetEventInfo, polled, &cl_icd_dispatch::clGetEventInfo>::function(
          event, what, size, value, size_ret);
  if (code == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value != nullptr) {
    auto* const status = static_cast<cl_int*>(value);
    *status = shown_status(*status);
  }
  return code;
}

}  // namespace
}  // namespace duoblas::layer

#define DUOBLAS_LAYER_EXPORT extern "C" __attribute__((visibility("default")))

DUOBLAS_LAYER_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size,
                                                                    void* value, size_t* size_ret) {
  static constexpr char name[] = "duoblas test layer";
  static constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void* answer = nullptr;
  size_t bytes = 0;
  if (what == CL_LAYER_API_VERSION) {
    answer = &version;
    bytes = sizeof version;
  } else if (what == CL_LAYER_NAME) {
    answer = name;
    bytes = sizeof name;
  } else {
    return CL_INVALID_VALUE;
  }
  if (value != nullptr && size < bytes) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, answer, bytes);
  if (size_ret != nullptr) *size_ret = bytes;
  return CL_SUCCESS;
}

DUOBLAS_LAYER_EXPORT CL_API_ENTRY cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch* target_dispatch, cl_uint* entries_ret,
            const cl_icd_dispatch** layer_dispatch_ret) {
  using namespace duoblas::layer;
  constexpr auto all = static_cast<cl_uint>(sizeof(cl_icd_dispatch) / sizeof(void*));
  if (entries < all) return CL_INVALID_VALUE;
  target = *target_dispatch;
  put_memory_model(target);
  put_memory_check(target);
  layered = *target_dispatch;
#define DUOBLAS_LAYER_PUT(function_name, traits) \
  layered.function_name =                        \
      &Layered<name_of_##function_name, traits, &cl_icd_dispatch::function_name>::function;
  DUOBLAS_LAYER_TABLE(DUOBLAS_LAYER_PUT)
#undef DUOBLAS_LAYER_PUT
  layered.clGetEventInfo = &event_info;
  play_driver(layered);
  *entries_ret = all;
  *layer_dispatch_ret = &layered;
  return CL_SUCCESS;
}
