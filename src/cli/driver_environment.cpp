#include "cli/driver_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace duoblas::cli {
namespace {

constexpr std::string_view beginnings[] = {
    "AMD_", "BLIS_", "CL_CONFIG_", "CUDA_", "DUOBLAS_", "ETNA_",    "FD_", "GALLIUM_", "GOMP_",
    "GPU_", "HSA_",  "HWLOC_",     "IGC_",  "IRIS_",    "LIBGL_",   "LP_", "MALI_",    "MESA_",
    "MKL_", "OMP_",  "OPENBLAS_",  "PAN_",  "POCL_",    "RUSTICL_", "ZE_"};
constexpr std::string_view names[] = {
    "GOTO_NUM_THREADS",     "LD_LIBRARY_PATH", "LD_PRELOAD",    "NEOReadDebugKeys",
    "OCL_ICD_FILENAMES",    "OCL_ICD_VENDORS", "OPENCL_LAYERS", "OverrideDefaultFP64Settings",
    "ROCR_VISIBLE_DEVICES", "INTEL_DEBUG"};

}  // namespace

std::map<std::string, std::string> driver_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    const bool wanted = std::ranges::find(names, name) != std::end(names) ||
                        std::ranges::any_of(beginnings, [&](std::string_view beginning) {
                          return name.starts_with(beginning);
                        });
    if (wanted) found.emplace(name, text.substr(equals + 1));
  }
  return found;
}

}  // namespace duoblas::cli
