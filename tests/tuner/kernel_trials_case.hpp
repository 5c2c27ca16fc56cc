// Kernels that misbehave as they are told to, by the rows of their tile.
//
// On a CPU the kernel itself ends its process, or hangs. A GPU's kernel cannot do that, and
// NVIDIA's compiler refuses the one and removes the other's loop. There the driver does it when it
// builds the kernel, by an OpenCL layer.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opencl/choose_device.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/kernel_trials.hpp"
#include "tuner/trial_patience.hpp"

namespace duoblas::test {

enum Behaviour { computes_wrong = 1, does_not_build = 2, crashes = 3, loops = 4, computes = 6 };

// At the end of what all kernels begin with.
inline constexpr const char* misbehaviour = R"(
#if TILE_ROWS == 1
#undef MADD
#define MADD(x, y, z) ((x) * (y) * (part)1.001 + (z))
#elif TILE_ROWS == 2
#error this one does not build
#elif TILE_ROWS == 3
#undef MADD
#define MADD(x, y, z) ((x) * (y) + (z) * *(volatile __global part*)64)
#elif TILE_ROWS == 4
inline int forever(void) {
  volatile int turning = 1;
  while (turning) {
  }
  return turning;
}
#undef MADD
#define MADD(x, y, z) ((x) * (y) + (z) * (part)forever())
#endif
)";

class KernelTrialsCase : public ::testing::Test {
 protected:
  KernelTrialsCase() {
    std::filesystem::copy(DUOBLAS_KERNEL_SOURCES, kernels_);
    std::ofstream(kernels_ + "/types.clh", std::ios::app) << misbehaviour;
  }

  KernelTrialOptions options() const {
    KernelTrialOptions options;
    options.helper_program = helper_;
    options.settings.standin = true;
    options.time_out_seconds = trial_patience;
    options.settings.cache_dir = directory_ / "cache";
    options.settings.kernel_dir = kernels_;
    return options;
  }

  static std::vector<KernelJob> jobs(const std::vector<Behaviour>& behaviours) {
    std::vector<KernelJob> jobs;
    for (const Behaviour behaviour : behaviours) {
      KernelJob job;
      // The least to compile.
      job.kernel.tile_rows = behaviour;
      job.kernel.tile_cols = job.kernel.vector_width = 4;
      job.shape = {96, 80, 64};
      jobs.push_back(job);
    }
    return jobs;
  }

  // What the others are compiled to lies in the cache when this returns: 12 s are enough to load
  // and run it, and a kernel that hangs costs no more.
  KernelTrialOptions impatient_options() const {
    KernelTrials(options()).try_all(jobs({computes, computes_wrong, does_not_build, crashes}));
    KernelTrialOptions impatient = options();
    impatient.time_out_seconds = 12;
    return impatient;
  }

  static std::vector<std::string> names(const std::vector<KernelVerdict>& verdicts) {
    std::vector<std::string> names;
    for (const KernelVerdict& v : verdicts) names.emplace_back(name(v.verdict));
    return names;
  }

  // A helper that does something else than it should.
  std::string script(const char* name, const std::string& body) const {
    namespace fs = std::filesystem;
    const std::string path = directory_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  // A helper whose driver has these faults.
  std::string helper_with(const char* name, const std::string& faults) const {
    return script(name, "OPENCL_LAYERS=" DUOBLAS_FAULTY_DRIVER " FAULTY_DRIVER='" + faults +
                            "' exec " + std::filesystem::read_symlink("/proc/self/exe").string() +
                            " \"$@\"");
  }

  TemporaryDirectory directory_;
  std::string kernels_ = directory_ / "kernels";

 private:
  static bool is_on_gpu() {
    const auto device =
        cl::choose_device(cl::list_devices(), Settings::from_environment().device, true);
    return device && !device->info.is_cpu;
  }

  std::string helper_ = is_on_gpu() ? helper_with("misbehaves",
                                                  "crash clBuildProgram - -DTILE_ROWS=3; "
                                                  "hang clBuildProgram - -DTILE_ROWS=4")
                                    : "/proc/self/exe";
};

}  // namespace duoblas::test
