// The layer under this process, driven by its tests.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "opencl/device.hpp"

namespace duoblas::test {

/// What tests/cl_layer/layer_state.cpp exports. With DUOBLAS_LAYER_GPU in the environment the
/// layer plays a discrete GPU: its kernels are a GPU's, and it never shares the host's memory. The
/// first use puts the layer under OpenCL, so it must come before any other use of OpenCL in the
/// process.
class LayerControl {
 public:
  static const LayerControl& get() {
    static const LayerControl once;
    return once;
  }

  /// "clFlush:2": the second clFlush from now fails; "*:17": the 17th call of any function but
  /// clGetEventInfo (it polls); "*:17+": that one and all after it; "clBuildProgram:1=-11": with
  /// that error, not with CL_OUT_OF_RESOURCES. Counting starts anew.
  void (*fail)(const char* spec) = nullptr;
  void (*reset)() = nullptr;                ///< nothing fails; counting starts anew
  void (*log)(const char* path) = nullptr;  ///< appends there; null: nowhere
  /// The driver is its own again: no answer, limit or fault of those below.
  void (*true_driver)() = nullptr;
  /// What every device answers when it is asked for this (CL_DEVICE_...): a text, a number, an
  /// error. Device names decide which profiles are found.
  void (*device_text)(unsigned what, const char* text) = nullptr;
  void (*device_number)(unsigned what, long value) = nullptr;
  void (*device_error)(unsigned what, int code) = nullptr;
  /// Kernels whose work-groups have more work-items are refused at the launch with this error.
  void (*refuse_groups_above)(long items, int code) = nullptr;
  /// What CL_KERNEL_WORK_GROUP_SIZE is at most.
  void (*tell_groups_of)(long items) = nullptr;
  /// Programs that want more than OpenCL C 1.2 do not build.
  void (*only_opencl_12)() = nullptr;
  /// From now on, kernel `name` is not run at its launch of this number, and its event says this
  /// error, as do waits for it.
  void (*fail_kernel)(const char* name, long launch, int code) = nullptr;
  int (*has_failed_kernel)() = nullptr;  ///< 1: that launch has been enqueued
  /// From now on, the command of this kind and number is not done, and its event says this error;
  /// what comes behind it goes on. Kinds: "upload" and "download" (copies to the device and from
  /// it), "copy" (there), "fill", "kernel", "map" (which is done, but says the error).
  void (*fail_command)(const char* kind, long number, int code) = nullptr;
  int (*has_failed_command)() = nullptr;  ///< 1: that command has been enqueued
  int (*fired)() = nullptr;               ///< 1: the call that was to fail has
  long (*calls)() = nullptr;
  long (*calls_of)(const char* function) = nullptr;
  long (*live_objects)() = nullptr;  ///< created and retained, less released
  long (*bytes_copied)() = nullptr;  ///< by read and write commands, and clEnqueueCopyBuffer
  /// The most that buffers held at a time since counting started anew: on the device (0), of the
  /// driver's page-locked memory (1). What wraps the host's own memory is neither.
  long (*peak_bytes)(int page_locked) = nullptr;
  /// 1: commands never end, and calls that wait for them never return; 0: they do again.
  void (*hang)(int on) = nullptr;
  /// From now on, every N-th launch of a product leaves C wrong: "add s N row column height width
  /// value" adds to a part of what the launch computes (s: the element type), "nan s N row column
  /// height width" makes it NaN, "swap ..." turns its rows upside down, "keep s N" computes
  /// nothing. Null: no more.
  void (*spoil)(const char* spec) = nullptr;
  long (*spoilt)() = nullptr;  ///< launches that were
  /// What USE_HOST_PTR means from now on: memory_model.hpp has the names.
  void (*memory_model)(const char* name) = nullptr;
  int (*orphans)() =
      nullptr;  ///< parts of buffers that outlived the program's references to the whole
  /// Parts that were made while another one of the same buffer had bytes in common with them.
  int (*overlapping_parts)() = nullptr;

  /// Null: the driver is its own again.
  void device_name(const char* name) const {
    constexpr unsigned cl_device_name = 0x102B;
    name == nullptr ? true_driver() : device_text(cl_device_name, name);
  }

 private:
  LayerControl() {
    ::setenv("OPENCL_LAYERS", DUOBLAS_CL_LAYER_PATH, 1);
    std::string why_not;
    cl::list_devices(&why_not);  // the loader loads its layers now
    void* layer = ::dlopen(DUOBLAS_CL_LAYER_PATH, RTLD_NOW | RTLD_NOLOAD);
    if (layer == nullptr) {
      throw std::runtime_error("the OpenCL loader did not load " DUOBLAS_CL_LAYER_PATH
                               ": it is older than 2.3, or OpenCL was in use before: " +
                               why_not);
    }
    find(layer, "duoblas_layer_fail", fail);
    find(layer, "duoblas_layer_reset", reset);
    find(layer, "duoblas_layer_log", log);
    find(layer, "duoblas_layer_true_driver", true_driver);
    find(layer, "duoblas_layer_device_text", device_text);
    find(layer, "duoblas_layer_device_number", device_number);
    find(layer, "duoblas_layer_device_error", device_error);
    find(layer, "duoblas_layer_refuse_groups_above", refuse_groups_above);
    find(layer, "duoblas_layer_tell_groups_of", tell_groups_of);
    find(layer, "duoblas_layer_only_opencl_12", only_opencl_12);
    find(layer, "duoblas_layer_fail_kernel", fail_kernel);
    find(layer, "duoblas_layer_has_failed_kernel", has_failed_kernel);
    find(layer, "duoblas_layer_fail_command", fail_command);
    find(layer, "duoblas_layer_has_failed_command", has_failed_command);
    find(layer, "duoblas_layer_fired", fired);
    find(layer, "duoblas_layer_calls", calls);
    find(layer, "duoblas_layer_calls_of", calls_of);
    find(layer, "duoblas_layer_live_objects", live_objects);
    find(layer, "duoblas_layer_bytes_copied", bytes_copied);
    find(layer, "duoblas_layer_peak_bytes", peak_bytes);
    find(layer, "duoblas_layer_memory_model", memory_model);
    find(layer, "duoblas_layer_orphans", orphans);
    find(layer, "duoblas_layer_overlapping_parts", overlapping_parts);
    find(layer, "duoblas_layer_hang", hang);
    find(layer, "duoblas_layer_spoil", spoil);
    find(layer, "duoblas_layer_spoilt", spoilt);
  }

  template <typename Function>
  static void find(void* layer, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(layer, name));
    if (function == nullptr) throw std::runtime_error(std::string("the layer lacks ") + name);
  }
};

}  // namespace duoblas::test
