#include "opencl/driver_build.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <exception>

#include "opencl/function_table.hpp"

namespace duoblas::cl {

// A function that every driver behind the loader has (cl_khr_icd) says which file it is in.
std::string driver_build(const Device& device) noexcept try {
  const FunctionTable* const cl = find_functions(nullptr);
  if (cl == nullptr) return {};
  const void* const function = cl->clGetExtensionFunctionAddressForPlatform(
      static_cast<cl_platform_id>(device.platform), "clIcdGetPlatformIDsKHR");
  Dl_info where{};
  struct stat file {};
  if (function == nullptr || ::dladdr(function, &where) == 0 || where.dli_fname == nullptr ||
      ::stat(where.dli_fname, &file) != 0)
    return {};
  return std::string(where.dli_fname) + ' ' + std::to_string(file.st_size) + ' ' +
         std::to_string(file.st_mtim.tv_sec) + '.' + std::to_string(file.st_mtim.tv_nsec);
} catch (const std::exception&) {
  return {};
}

}  // namespace duoblas::cl
