// The variables that DuoBLAS reads, for man pages and the doctor.
#pragma once

#include <array>

namespace duoblas::cli {

struct VariableEntry {
  const char* name;
  const char* meaning;
};

/// Short: docs/commands.md has the whole of it. cli.manual compares the names with those that
/// src/api/settings.cpp reads.
inline constexpr std::array<VariableEntry, 20> environment_entries{{
    {"DUOBLAS_STRATEGY", "auto (default), cpu, gpu or hybrid"},
    {"DUOBLAS_SPLIT", "P_G/P, e.g. 10/16: the GPU's share wherever both sides work"},
    {"DUOBLAS_FP64", "auto (default), native or integers: how a GPU multiplies doubles"},
    {"DUOBLAS_MATH", "exact (default) or tf32x3: sgemm and cgemm by TF32, as accurate as floats"},
    {"DUOBLAS_CHECK", "which of the GPU's results are checked: sampled (default), always or off"},
    {"DUOBLAS_DEVICE", "index or part of the name of an OpenCL device, or none"},
    {"DUOBLAS_DEVICE_MEMORY", "bytes of the device that a product may use, e.g. 2G"},
    {"DUOBLAS_LAUNCH_MS", "milliseconds that a kernel launch may take, so that a display goes on"},
    {"DUOBLAS_GPU_DEADLINE", "seconds after which a GPU that does not answer counts as hung"},
    {"DUOBLAS_PROFILE_DIR", "where profiles live; default $XDG_CONFIG_HOME/duoblas"},
    {"DUOBLAS_CACHE_DIR",
     "compiled kernels, and what calls showed; default $XDG_CACHE_HOME/duoblas"},
    {"DUOBLAS_KERNEL_DIR", "read kernels from here instead of the embedded ones"},
    {"DUOBLAS_START_MS",
     "milliseconds that a preloaded program's large calls must have taken before the device "
     "starts"},
    {"DUOBLAS_HISTORY", "off: nothing of a preloaded program is kept for its later runs"},
    {"DUOBLAS_ADAPT", "0: plans follow the profile alone, and not the times of calls"},
    {"DUOBLAS_CPU_BLAS", "path of the CPU BLAS library"},
    {"DUOBLAS_CPU_CORES", "cores the CPU side may use, e.g. 0-3,8"},
    {"DUOBLAS_STANDIN", "1: PoCL on half of the cores stands in for a GPU"},
    {"DUOBLAS_SUMMARY", "1: a preloaded program prints at its end what became of its calls"},
    {"DUOBLAS_VERBOSE", "0 silent, 1 decisions once, 2 a line per call with its reason"},
}};

}  // namespace duoblas::cli
