#include "cli/kernel_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>

#include "cli/arguments.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas::cli {
namespace {

// The least that OpenCL devices of this kind have, if there is no device of the family.
DeviceLimits typical_limits(KernelFamily family) {
  DeviceLimits limits;
  limits.is_cpu = family == KernelFamily::panel;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = limits.is_cpu ? 0 : std::size_t{32} << 10;
  limits.max_allocation_bytes = std::size_t{1} << 30;
  limits.vector_bytes = limits.is_cpu ? 32 : 16;
  return limits;
}

// The most that devices of the family have, because a kernel may be read where it cannot run. Of
// CPUs they are those of AVX-512.
DeviceLimits widest_limits(KernelFamily family) {
  DeviceLimits limits = typical_limits(family);
  if (limits.is_cpu) {
    limits.vector_bytes = 64;
    return limits;
  }
  limits.max_work_group_size = 1024;
  limits.static_local_bytes = std::size_t{200} << 10;
  limits.max_image_pixels = std::size_t{1} << 27;
  limits.shuffle_width = 32;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  limits.wide_matrix = true;
  return limits;
}

Shape size_of(const KernelRequest& request) {
  const std::string& text = request.size;
  if (text.empty()) return {2048, 2048, 2048};
  const bool is_cube = text.find_first_of("xX") == std::string::npos;
  const auto shape = shape_from(is_cube ? text + 'x' + text + 'x' + text : text);
  constexpr std::int64_t most =
      std::numeric_limits<int>::max() - 4096;  // as src/gpu/product/launch.cpp
  if (!shape || std::max({shape->m, shape->n, shape->k}) > most) {
    throw UsageError("--size " + text + " is not understood: give MxNxK or N, numbers from 1 to " +
                     std::to_string(most) + ", e.g. 512x1024x64");
  }
  return *shape;
}

// A device that kernels are asked for: this machine's, or the least of its kind.
struct AskedDevice {
  DeviceLimits limits;
  std::string name;
  bool is_here = false;  ///< this machine's
};

AskedDevice asked_device(Engine& engine, const KernelRequest& request) {
  const GpuSide* gpu = engine.gpu();
  const bool cpu_device = gpu != nullptr && gpu->limits().is_cpu;
  const KernelFamily here = cpu_device ? KernelFamily::panel : KernelFamily::tiled;
  KernelFamily family = here;
  if (request.family == "panel") family = KernelFamily::panel;
  if (request.family == "tiled") family = KernelFamily::tiled;
  if (gpu != nullptr && family == here) return {gpu->limits(), gpu->info().name, true};
  const DeviceLimits limits = typical_limits(family);
  return {limits, std::string("a typical ") + (limits.is_cpu ? "CPU" : "GPU") + " device", false};
}

GemmProblem asked_product(const KernelRequest& request) {
  GemmProblem problem;
  problem.precision = to_precisions({request.precision}).front();
  const auto [op_a, op_b] = to_ops({request.ops}).front();
  const Shape shape = size_of(request);
  problem.op_a = op_a;
  problem.op_b = op_b;
  problem.m = shape.m;
  problem.n = shape.n;
  problem.k = shape.k;
  return problem;
}

struct StartingPoint {
  KernelParams params;
  DeviceLimits limits;  ///< that the kernel must suit
  std::string origin;
  Shape shape;
};

StartingPoint starting_point(Engine& engine, const KernelRequest& request,
                             const KernelVariant& variant) {
  const GpuSide* gpu = engine.gpu();
  const AskedDevice asked = asked_device(engine, request);
  const Shape shape = size_of(request);

  if (!asked.is_here) {
    const bool builds = gpu != nullptr && request.to_build;
    const KernelFamily family = asked.limits.is_cpu ? KernelFamily::panel : KernelFamily::tiled;
    return {default_kernel(variant.precision, asked.limits),
            builds ? gpu->limits() : widest_limits(family), "built-in kernel for " + asked.name,
            shape};
  }
  if (const auto& profile = engine.machine().tuned(variant.precision).profile) {
    const GemmProblem problem = asked_product(request);
    if (const TunedPoint* point = nearest_point(*profile, problem)) {
      std::ostringstream origin;
      origin << "co-tuned kernel for " << gpu->info().name << " at " << point->m << " x "
             << point->n << " x " << point->k;
      const Shape tuned = {point->m, point->n, point->k};
      return {point->hybrid.kernel, gpu->limits(), origin.str(),
              request.size.empty() ? tuned : shape};
    }
  }
  return {default_kernel(variant.precision, gpu->limits()), gpu->limits(),
          "built-in kernel for " + gpu->info().name, shape};
}

}  // namespace

ChosenKernel chosen_kernel(Engine& engine, const KernelRequest& request) {
  KernelVariant variant;
  variant.precision = to_precisions({request.precision}).front();
  const auto ops = to_ops({request.ops}).front();
  variant.op_a = ops.first;
  variant.op_b = ops.second;

  const StartingPoint start = starting_point(engine, request, variant);
  variant.params = start.params;
  variant.params = with(variant.params, fixed_fields(request.assignments));
  if (const KernelRule* rule = violated_rule(variant.params, variant.precision, start.limits)) {
    throw UsageError("this kernel cannot be had: rule " + std::string(rule->name) + ": " +
                     std::string(rule->reason) + "; change it with --set");
  }
  if (variant.params.inline_sizes) {
    if (!start.params.inline_sizes && request.size.empty()) {
      throw UsageError(
          "inline_sizes=1 compiles n and k in: say which with --size MxNxK or --size N");
    }
    variant.n = static_cast<int>(start.shape.n);
    variant.k = static_cast<int>(start.shape.k);
  }
  // As src/gpu/product/product.cpp chooses them: packed operands are aligned whatever the caller's
  // are, and 3xTF32 is used where a guard finds the operands to suit it.
  if (request.unaligned) variant.rows = Rows::anyhow;
  if (variant.params.matrix == MatrixUnit::tf32x3) variant.guard = Guard::if_suited;
  return {normalised(variant),
          start.origin + (request.assignments.empty() ? "" : ", with changes of yours")};
}

}  // namespace duoblas::cli
