#include "kernel_space/stream_kernels.hpp"

namespace duoblas {

const KernelAxes<GemvKernel>& GemvKernels::fields() {
  static const KernelAxes<GemvKernel> all = {{"vector_width", &GemvKernel::vector_width},
                                             {"across", &GemvKernel::across},
                                             {"teams", &GemvKernel::teams},
                                             {"lines", &GemvKernel::lines},
                                             {"unroll", &GemvKernel::unroll}};
  return all;
}

const KernelAxes<GemvKernel>& GemvKernels::switches() {
  static const KernelAxes<GemvKernel> all = {{"inline_sizes", &GemvKernel::inline_sizes},
                                             {"image", &GemvKernel::image},
                                             {"fused", &GemvKernel::fused}};
  return all;
}

// On CPU devices a work-group has one work-item.
KernelAxes<GemvKernel> GemvKernels::axes(const DeviceLimits& device, bool transposes) {
  KernelAxes<GemvKernel> axes = {{"lines", &GemvKernel::lines}, {"unroll", &GemvKernel::unroll}};
  if (!device.is_cpu) {
    axes.emplace_back("across", &GemvKernel::across);
    if (transposes) axes.emplace_back("teams", &GemvKernel::teams);
  }
  axes.emplace_back("vector_width", &GemvKernel::vector_width);
  if (!device.is_cpu) axes.emplace_back("fused", &GemvKernel::fused);
  axes.emplace_back("inline_sizes", &GemvKernel::inline_sizes);
  if (!device.is_cpu) axes.emplace_back("image", &GemvKernel::image);
  return axes;
}

const KernelAxes<UpdateKernel>& UpdateKernels::fields() {
  static const KernelAxes<UpdateKernel> all = {{"vector_width", &UpdateKernel::vector_width},
                                               {"across", &UpdateKernel::across},
                                               {"down", &UpdateKernel::down},
                                               {"lines", &UpdateKernel::lines}};
  return all;
}

KernelAxes<UpdateKernel> GerKernels::axes(const DeviceLimits& device, bool) {
  KernelAxes<UpdateKernel> axes = {{"lines", &UpdateKernel::lines}};
  if (!device.is_cpu) {
    axes.emplace_back("across", &UpdateKernel::across);
    axes.emplace_back("down", &UpdateKernel::down);
  }
  axes.emplace_back("vector_width", &UpdateKernel::vector_width);
  return axes;
}

KernelAxes<UpdateKernel> AxpyKernels::axes(const DeviceLimits& device, bool) {
  KernelAxes<UpdateKernel> axes = {{"lines", &UpdateKernel::lines}};
  if (!device.is_cpu) axes.emplace_back("across", &UpdateKernel::across);
  axes.emplace_back("vector_width", &UpdateKernel::vector_width);
  return axes;
}

const KernelAxes<CopyKernel>& CopyKernels::fields() {
  static const KernelAxes<CopyKernel> all = {{"tile", &CopyKernel::tile},
                                             {"across", &CopyKernel::across},
                                             {"down", &CopyKernel::down},
                                             {"lines", &CopyKernel::lines},
                                             {"vector_width", &CopyKernel::vector_width}};
  return all;
}

KernelAxes<CopyKernel> CopyKernels::axes(const DeviceLimits& device, bool transposes) {
  KernelAxes<CopyKernel> axes;
  axes.emplace_back(transposes ? "tile" : "lines",
                    transposes ? &CopyKernel::tile : &CopyKernel::lines);
  if (!device.is_cpu) {
    axes.emplace_back("across", &CopyKernel::across);
    axes.emplace_back("down", &CopyKernel::down);
  }
  axes.emplace_back("vector_width", &CopyKernel::vector_width);
  return axes;
}

}  // namespace duoblas
