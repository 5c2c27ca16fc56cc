#include "opencl/device.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>

#include <duoblas/error.hpp>

#include "opencl/device_error.hpp"
#include "opencl/driver_needs.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/function_table.hpp"
#include "os/dynamic_library.hpp"
#include "os/file_status.hpp"
#include "os/restored_signals.hpp"

namespace duoblas::cl {
namespace {

template <typename Ask, typename Object, typename What>
std::string text_of(const char* name, Ask ask, Object object, What what) {
  std::size_t bytes = 0;
  check(name, ask(object, what, 0, nullptr, &bytes));
  std::string text(bytes, '\0');
  check(name, ask(object, what, bytes, text.data(), nullptr));
  return text.substr(0, text.find('\0'));
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return text_of("clGetPlatformInfo", functions().clGetPlatformInfo, platform, what);
}

std::string device_text(cl_device_id device, cl_device_info what) {
  return text_of("clGetDeviceInfo", functions().clGetDeviceInfo, device, what);
}

template <typename T>
T device_value(cl_device_id device, cl_device_info what) {
  T value{};
  check("clGetDeviceInfo",
        functions().clGetDeviceInfo(device, what, sizeof value, &value, nullptr));
  return value;
}

// For deprecated queries, and those of an extension or that drivers need not know: gives
// `otherwise` if the driver reports an error.
template <typename T>
T optional_value(cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  return functions().clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS
             ? value
             : otherwise;
}

std::string optional_text(cl_device_id device, cl_device_info what) {
  try {
    return device_text(device, what);
  } catch (const DeviceError&) {
    return {};
  }
}

bool has_extension(cl_device_id device, const char* name) {
  return optional_text(device, CL_DEVICE_EXTENSIONS).find(name) != std::string::npos;
}

// cl_khr_pci_bus_info; older headers do not have it.
std::string pci_address(cl_device_id device) {
  constexpr cl_device_info bus_info = 0x410F;
  struct Address {
    cl_uint domain, bus, device, function;
  };
  if (!has_extension(device, "cl_khr_pci_bus_info")) return "";
  Address address{};
  // Not worth losing the device for.
  if (functions().clGetDeviceInfo(device, bus_info, sizeof address, &address, nullptr) !=
      CL_SUCCESS)
    return "";
  char text[40];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", address.domain, address.bus, address.device,
                address.function);
  return text;
}

// cl_nv_device_attribute_query; its numbers are in no header of the standard.
int nvidia_capability(cl_device_id device) {
  constexpr cl_device_info major = 0x4000, minor = 0x4001;
  if (!has_extension(device, "cl_nv_device_attribute_query")) return 0;
  return static_cast<int>(10 * optional_value<cl_uint>(device, major, 0) +
                          optional_value<cl_uint>(device, minor, 0));
}

constexpr cl_bitfield svm_fine_grain_buffer = 1 << 1, svm_fine_grain_system = 1 << 2;
// Devices older than OpenCL 2.0 do not know the question.
constexpr cl_device_info svm_capabilities = 0x1053;
// CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV: true where the GPU drives a display.
constexpr cl_device_info kernel_exec_timeout = 0x4005;

DeviceInfo describe(cl_platform_id platform, cl_device_id device) {
  DeviceInfo info;
  info.name = device_text(device, CL_DEVICE_NAME);
  info.vendor = optional_text(device, CL_DEVICE_VENDOR);
  info.platform = platform_text(platform, CL_PLATFORM_NAME);
  info.driver_version = optional_text(device, CL_DRIVER_VERSION);
  info.device_version = optional_text(device, CL_DEVICE_VERSION);
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE);
  info.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  const auto doubles = optional_value<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG, 0);
  const auto floats = optional_value<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG, 0);
  info.has_fp64 = doubles != 0;
  info.byte_dot_products = info.device_version.starts_with("OpenCL 3") &&
                           has_extension(device, "cl_khr_integer_dot_product");
  info.fma_single = (floats & CL_FP_FMA) != 0;
  info.fma_double = (doubles & CL_FP_FMA) != 0;
  info.unified_memory =
      optional_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) != CL_FALSE;
  const auto svm = optional_value<cl_bitfield>(device, svm_capabilities, 0);
  info.system_svm = (svm & svm_fine_grain_system) != 0;
  info.coherent = info.is_cpu || (svm & svm_fine_grain_buffer) != 0;
  info.compute_units =
      static_cast<int>(optional_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1));
  info.max_work_group_size = device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  // The size is a limit wherever local memory lies. It is the standard's minimum if the driver does
  // not report it.
  constexpr cl_ulong least_local = 32 << 10;
  info.local_memory_bytes = static_cast<std::size_t>(
      optional_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE, least_local));
  info.global_memory_bytes =
      static_cast<std::size_t>(device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  info.max_allocation_bytes =
      static_cast<std::size_t>(device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  const auto alignment_bits = optional_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024);
  info.base_alignment_bytes = std::max<std::size_t>(alignment_bits / 8, 1);
  const auto lanes = optional_value<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4);
  info.native_vector_bytes = static_cast<int>(std::max<cl_uint>(lanes, 1) * sizeof(float));
  if (optional_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT, CL_FALSE) != CL_FALSE)
    info.max_image_pixels = optional_value<std::size_t>(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 0);
  info.pci_address = pci_address(device);
  info.nvidia_capability = nvidia_capability(device);
  info.has_watchdog = info.nvidia_capability > 0 &&
                      optional_value<cl_bool>(device, kernel_exec_timeout, CL_FALSE) != CL_FALSE;
  return info;
}

// Appends the platform's devices. A device that cannot be described is skipped; the others are
// listed.
void list_platform(cl_platform_id platform, std::vector<Device>& devices, std::string& problem) {
  const std::string name = platform_text(platform, CL_PLATFORM_NAME);
  if (const std::string missing = missing_to_list(name); !missing.empty())
    throw DriverLeftOut(name, missing);
  cl_uint count = 0;
  int code = functions().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) return;
  check("clGetDeviceIDs", code);
  std::vector<cl_device_id> ids(count);
  check("clGetDeviceIDs",
        functions().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr));
  for (cl_device_id id : ids) {
    try {
      Device device{platform, id, corrected(describe(platform, id))};
      device.info.index = static_cast<int>(devices.size());
      devices.push_back(std::move(device));
    } catch (const DeviceError& error) {
      problem = error.what();
    }
  }
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  const int code = functions().clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    throw DeviceError(std::string("no OpenCL platform (clGetPlatformIDs: ") + error_name(code) +
                          "); install a driver for your GPU, or pocl-opencl-icd",
                      code);
  }
  std::vector<cl_platform_id> ids(count);
  check("clGetPlatformIDs", functions().clGetPlatformIDs(count, ids.data(), nullptr));
  return ids;
}

}  // namespace

// One thread at a time: while the first one's question starts PoCL (3.1), it tells any other one
// that it has no device.
std::vector<Device> list_devices(std::string* why_not, bool* left_out) {
  static std::mutex one_asks;
  const std::lock_guard guard(one_asks);
  const RestoredSignals as_the_program_has_them;
  const FileSizeSignalBlocked for_drivers;
  std::vector<Device> devices;
  std::string problem;
  if (find_functions(&problem) != nullptr) {
    try {
      for (cl_platform_id platform : platforms()) {
        try {
          list_platform(platform, devices, problem);
        } catch (const DriverLeftOut& error) {
          problem = error.what();
          if (left_out != nullptr) *left_out = true;
        } catch (const DeviceError& error) {
          problem = error.what();
        }
      }
      if (devices.empty() && problem.empty())
        problem =
            "no OpenCL platform has a device (PoCL has none where it cannot write its cache: "
            "POCL_CACHE_DIR, XDG_CACHE_HOME or HOME)";
    } catch (const DeviceError& error) {
      problem = error.what();
    }
  }
  if (why_not != nullptr) *why_not = problem;
  return devices;
}

// A function that every driver behind the loader has (cl_khr_icd) says which file it is in.
std::string driver_build(const Device& device) noexcept try {
  const FunctionTable* const cl = find_functions(nullptr);
  if (cl == nullptr) return {};
  const void* const function = cl->clGetExtensionFunctionAddressForPlatform(
      static_cast<cl_platform_id>(device.platform), "clIcdGetPlatformIDsKHR");
  const char* const library = library_at(function);
  const auto file = library == nullptr ? std::nullopt : file_status(library);
  if (!file) return {};
  return std::string(library) + ' ' + std::to_string(file->bytes) + ' ' +
         std::to_string(file->changed) + '.' + std::to_string(file->changed_nanoseconds);
} catch (const std::exception&) {
  return {};
}

}  // namespace duoblas::cl
