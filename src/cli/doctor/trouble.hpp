// What `duoblas doctor` looks for: each function tells of what it finds wrong, and what mends it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/core_types.hpp"
#include "engine/engine.hpp"
#include "opencl/device.hpp"

namespace duoblas::cli {

/// Worst first.
enum class Weight {
  breaks,  ///< nothing is computed as the user wants it
  no_gpu,  ///< the GPU does nothing
  slows,
  tells,  ///< a limit of the machine, to be known
};

struct Trouble {
  Weight weight = Weight::slows;
  std::string what;
  std::string mend;  ///< a command where there is one
};

using Environment = std::map<std::string, std::string>;

/// Names that begin with DUOBLAS_ and are no setting.
std::vector<Trouble> unknown_variables(const Environment& environment);
/// Settings that leave the GPU out.
std::vector<Trouble> settings_without_gpu(const Settings& settings);
/// The settings of this process. Variables that cannot be read, which are told of, are removed.
Settings readable_settings(std::vector<Trouble>& troubles);
/// Variables that leave the CPU side fewer threads than `cores`, and the quota of a container.
std::vector<Trouble> thread_limits(const Environment& environment, int cores,
                                   const std::filesystem::path& root = "/");
/// OpenBLAS with kernels that leave the processor's vectors unused.
std::vector<Trouble> core_types(const Environment& environment,
                                const std::vector<SlowChoice>& slow);
/// Folders of the settings that cannot be written to.
std::vector<Trouble> unwritable_folders(const Settings& settings);

/// The GPU that would be used, and those that are not shown (driver_hints.hpp).
std::vector<Trouble> device_troubles(Engine& engine, const std::vector<cl::Device>& devices,
                                     const Environment& environment);
/// Of a device without doubles, or with DUOBLAS_FP64=integers, why they stay on the CPU; nothing
/// where they go by integers, as tuned.
std::vector<Trouble> lack_of_doubles(const cl::DeviceInfo& device, Fp64Mode mode,
                                     const PlanMachine& machine);
/// ICD files whose library is not there. `vendors`: OCL_ICD_VENDORS, a folder or such a file; of
/// others nothing is said.
std::vector<Trouble> dangling_icd_files(const std::filesystem::path& vendors);
/// A profile's file that an older version wrote, which can be read. Of all others nothing is said.
std::vector<Trouble> old_profile(const std::filesystem::path& file);
/// Kernels that were wrong, and the profile.
std::vector<Trouble> tuning_troubles(Engine& engine);

/// A power profile that saves energy, and a battery that gives it.
std::vector<Trouble> power_troubles(const std::filesystem::path& root = "/");

/// Why a drop-in that is preloaded does not reach this program, which is searched for as execvp()
/// does; of a script, its interpreter. `looks_inside`: also for a BLAS and compilers' marks in it,
/// which reads the whole file.
std::vector<Trouble> unreached_program(const std::string& program, const char* search_path,
                                       bool looks_inside = true);

}  // namespace duoblas::cli
