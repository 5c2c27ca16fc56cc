// OpenCL devices: listed, described, chosen by name or index.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace duoblas::cl {

/// What an OpenCL device reports about itself. `index` counts over all platforms in the loader's
/// order; DUOBLAS_DEVICE takes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string vendor;
  std::string platform;
  std::string driver_version;
  std::string device_version;
  bool is_gpu = false;
  bool is_cpu = false;
  bool has_fp64 = false;
  /// cl_khr_integer_dot_product, and OpenCL C 3.0, in which it is declared.
  bool byte_dot_products = false;
  bool fma_single = false;  ///< CL_FP_FMA of floats
  bool fma_double = false;
  bool unified_memory = false;  ///< CL_DEVICE_HOST_UNIFIED_MEMORY
  bool system_svm = false;      ///< CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
  /// Host and device may write bytes of one cache line at the same time: a CPU, or
  /// CL_DEVICE_SVM_FINE_GRAIN_BUFFER.
  bool coherent = false;
  int compute_units = 1;
  std::size_t max_work_group_size = 1;
  std::size_t local_memory_bytes = 0;  ///< per work-group, wherever it lies; the standard's least
                                       ///< where it is not told
  std::size_t global_memory_bytes = 0;
  std::size_t max_allocation_bytes = 0;
  std::size_t base_alignment_bytes = 128;  ///< of sub-buffer offsets
  int native_vector_bytes = 16;            ///< native vector width of float, in bytes
  std::size_t max_image_pixels = 0;        ///< of an image over a buffer; 0 without images
  std::string pci_address;                 ///< "0000:01:00.0"; empty if it is not known
  int nvidia_capability = 0;               ///< e.g. 90 for compute capability 9.0; 0 elsewhere
  bool has_watchdog = false;               ///< NVIDIA: kernels that last long are ended
};

/// An opaque device: `platform` and `id` are cl_platform_id and cl_device_id.
struct Device {
  void* platform = nullptr;
  void* id = nullptr;
  DeviceInfo info;
};

/// All devices of all platforms. If there is no OpenCL library or no platform, the list is empty,
/// and `why_not` (if given) says what is missing and what to install. If only some can be listed,
/// it says why. If all can, it is empty. `left_out` (if given): whether a driver was
/// (driver_needs.hpp).
std::vector<Device> list_devices(std::string* why_not = nullptr, bool* left_out = nullptr);

/// Identifies the build of a device's driver: distributions fix drivers without changing the
/// version. Path, size and modification time of the driver's file. Empty if it is not known.
std::string driver_build(const Device& device) noexcept;

}  // namespace duoblas::cl
