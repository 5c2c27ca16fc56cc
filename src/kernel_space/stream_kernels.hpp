// The kernels of each memory-bound routine, as a device, a profile and tuning see them. If a
// routine has another kernel for transposed operands, that is its second form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel_space/copy_kernel.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/update_kernel.hpp"

namespace duoblas {

/// Parameters by their names in files. Tuning changes these.
template <typename Kernel>
using KernelAxes = std::vector<std::pair<const char*, int Kernel::*>>;

/// Whether there is such a kernel, and whether a device can launch it. The last argument: the
/// second form.
template <typename Kernel>
using Sound = bool (*)(const Kernel&, Precision, bool);
template <typename Kernel>
using Legal = bool (*)(const Kernel&, const DeviceLimits&, Precision, bool);

struct GemvKernels {
  using Kernel = GemvKernel;
  static constexpr const char* name = "gemv";
  static constexpr bool has_forms = true;
  static constexpr auto builtin = &default_gemv_kernel;
  static constexpr Sound<Kernel> is_sound = &duoblas::is_sound;
  static constexpr Legal<Kernel> is_legal = &duoblas::is_legal;
  static constexpr auto from = &gemv_kernel_from;
  /// Numbers from 1 on. Every file has each of them, except later_field.
  static const KernelAxes<Kernel>& fields();
  /// Numbers from 0 (off) on. Files name those that are on.
  static const KernelAxes<Kernel>& switches();
  /// The field that is 1 if a file lacks it, because kernels once did not have it.
  static constexpr int Kernel::*later_field = nullptr;
  /// The axes that are useful there, in the order of the hill climbing.
  static KernelAxes<Kernel> axes(const DeviceLimits& device, bool transposes);
};

/// What kernels of updates have in common.
struct UpdateKernels {
  using Kernel = UpdateKernel;
  static constexpr bool has_forms = false;
  static constexpr int Kernel::*later_field = nullptr;
  static constexpr auto from = &update_kernel_from;
  static const KernelAxes<Kernel>& fields();
  static KernelAxes<Kernel> switches() { return {}; }
};

struct GerKernels : UpdateKernels {
  static constexpr const char* name = "ger";
  static Kernel builtin(const DeviceLimits& device, Precision precision, bool) {
    return default_ger_kernel(device, precision);
  }
  static bool is_sound(const Kernel& kernel, Precision precision, bool) {
    return duoblas::is_sound(kernel, precision) && kernel.lines <= most_ger_lines;
  }
  static bool is_legal(const Kernel& kernel, const DeviceLimits& device, Precision precision,
                       bool form) {
    return is_sound(kernel, precision, form) && duoblas::is_legal(kernel, device, precision);
  }
  static KernelAxes<Kernel> axes(const DeviceLimits& device, bool);
};

struct AxpyKernels : UpdateKernels {
  static constexpr const char* name = "axpy";
  static Kernel builtin(const DeviceLimits& device, Precision precision, bool) {
    return default_axpy_kernel(device, precision);
  }
  static bool is_sound(const Kernel& kernel, Precision precision, bool) {
    return duoblas::is_sound(kernel, precision) && kernel.down == 1;
  }
  static bool is_legal(const Kernel& kernel, const DeviceLimits& device, Precision precision,
                       bool form) {
    return is_sound(kernel, precision, form) && duoblas::is_legal(kernel, device, precision);
  }
  static KernelAxes<Kernel> axes(const DeviceLimits& device, bool);
};

struct CopyKernels {
  using Kernel = CopyKernel;
  static constexpr const char* name = "omatcopy";
  static constexpr bool has_forms = true;
  static constexpr int Kernel::*later_field = &CopyKernel::vector_width;
  static constexpr auto builtin = &default_copy_kernel;
  static constexpr Sound<Kernel> is_sound = &duoblas::is_sound;
  static constexpr Legal<Kernel> is_legal = &duoblas::is_legal;
  static constexpr auto from = &copy_kernel_from;
  static KernelAxes<Kernel> switches() { return {}; }
  static const KernelAxes<Kernel>& fields();
  static KernelAxes<Kernel> axes(const DeviceLimits& device, bool transposes);
};

}  // namespace duoblas
