// The layer under this process, driven by its tests.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "opencl/device.hpp"

namespace duoblas::test {

/// What tests/cl_layer/layer_state.cpp exports. The first use puts the layer under OpenCL, so it
/// must come before any other use of OpenCL in the process.
class LayerControl {
 public:
  static const LayerControl& get() {
    static const LayerControl once;
    return once;
  }

  /// "clFlush:2": the second clFlush from now fails; "*:17": the 17th call of any function but
  /// clGetEventInfo (it polls); "*:17+": that one and all after it. Counting starts anew.
  void (*fail)(const char* spec) = nullptr;
  void (*reset)() = nullptr;                        ///< nothing fails; counting starts anew
  void (*log)(const char* path) = nullptr;          ///< appends there; null: nowhere
  void (*device_name)(const char* name) = nullptr;  ///< of every device; null: its own
  int (*fired)() = nullptr;                         ///< 1: the call that was to fail has
  long (*calls)() = nullptr;
  long (*calls_of)(const char* function) = nullptr;
  long (*live_objects)() = nullptr;  ///< created and retained, less released
  long (*bytes_copied)() = nullptr;  ///< by read, write and copy commands
  /// The most that buffers held at a time since counting started anew: on the device (0), of the
  /// driver's page-locked memory (1). What wraps the host's own memory is neither.
  long (*peak_bytes)(int page_locked) = nullptr;
  /// 1: commands never end, and calls that wait for them never return; 0: they do again.
  void (*hang)(int on) = nullptr;

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
    find(layer, "duoblas_layer_device_name", device_name);
    find(layer, "duoblas_layer_fired", fired);
    find(layer, "duoblas_layer_calls", calls);
    find(layer, "duoblas_layer_calls_of", calls_of);
    find(layer, "duoblas_layer_live_objects", live_objects);
    find(layer, "duoblas_layer_bytes_copied", bytes_copied);
    find(layer, "duoblas_layer_peak_bytes", peak_bytes);
    find(layer, "duoblas_layer_hang", hang);
  }

  template <typename Function>
  static void find(void* layer, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(layer, name));
    if (function == nullptr) throw std::runtime_error(std::string("the layer lacks ") + name);
  }
};

}  // namespace duoblas::test
