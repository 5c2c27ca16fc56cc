#include "gpu/device/device_limits_of.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include <duoblas/error.hpp>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/patched_ptx.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/program_cache.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {
namespace {

// The rest belongs to the driver and to other programs.
constexpr double usable_memory = 0.8;

std::size_t memory_of(const cl::DeviceInfo& info, std::size_t limit) {
  const auto usable =
      static_cast<std::size_t>(usable_memory * static_cast<double>(info.global_memory_bytes));
  return limit == 0 ? usable : usable == 0 ? limit : std::min(limit, usable);
}

}  // namespace

DeviceLimits device_limits(const cl::DeviceInfo& info, std::size_t memory_limit) {
  DeviceLimits limits;
  limits.memory_bytes = memory_of(info, memory_limit);
  limits.is_cpu = info.is_cpu;
  limits.max_work_group_size = info.max_work_group_size;
  limits.local_memory_bytes = info.local_memory_bytes;
  limits.max_allocation_bytes = info.max_allocation_bytes;
  limits.shares_memory = info.is_cpu || info.unified_memory;
  limits.compute_units = info.compute_units;
  limits.vector_bytes = info.native_vector_bytes;
  limits.has_fp64 = info.has_fp64;
  limits.doubles_by_integers = !info.has_fp64;
  limits.byte_dot_products = info.byte_dot_products;
  limits.fma_single = info.fma_single;
  limits.fma_double = info.fma_double;
  limits.max_image_pixels = info.max_image_pixels;
  // Mesa 22.3.6 allows 65,535, and the compiler's own are among them.
  if (cl::quirks_of(info).ends_long_loops) limits.loop_turns = 60000;
  return limits;
}

namespace {

constexpr std::size_t kNumbers = 128;
constexpr int kWideCapability = 90;   // only it has sm_90a
constexpr int kFirstCapability = 80;  // cp.async and mma.sync for TF32 and fp64 came with it
constexpr int kByteCapability = 61;   // dp4a

class Prober {
 public:
  Prober(const cl::Context& context, cl::Queue& queue, const std::string& cache_dir,
         const std::string& kernel_dir)
      : context_(context),
        queue_(queue),
        programs_(cache_dir),
        source_(probe_source(kernel_dir)),
        numbers_(context.allocate(kNumbers * sizeof(float), cl::Access::read_only)),
        answer_(context.allocate(sizeof(int), cl::Access::write_only)) {
    using Numbers = std::array<float, kNumbers>;
    const std::unique_ptr<Numbers, cl::DeletedUnlessHung> numbers(new Numbers);
    std::iota(numbers->begin(), numbers->end(), 1.0f);
    const std::size_t bytes = sizeof(Numbers);
    queue_.write(numbers_, numbers->data(), {1, bytes, bytes, bytes, 0}, true);
  }

  bool succeeds(const std::string& options) {
    return answers(
        [&] { return programs_.build(context_, source_, "-cl-std=CL1.2 -DPREFETCH=1 " + options); },
        32);
  }
  bool has_wide(const std::string& kernel_dir, const std::string& options) {
    return answers(
        [&] {
          return programs_.build(context_, wide_probe_source(kernel_dir),
                                 "-cl-std=CL1.2 " + options, patched_ptx);
        },
        128);
  }

 private:
  template <typename Build>
  bool answers(const Build& build, std::size_t items) {
    try {
      const cl::Program program = build();
      cl::Kernel kernel = program.kernel("probe");
      kernel.set_argument(0, numbers_);
      kernel.set_argument(1, answer_);
      const std::unique_ptr<int, cl::DeletedUnlessHung> answer(new int(0));
      const std::size_t bytes = sizeof(int);
      queue_.write(answer_, answer.get(), {1, bytes, bytes, bytes, 0}, true);
      queue_.wait(queue_.submit(kernel, {{items, 1}, {items, 1}}));
      queue_.read(answer_, answer.get(), {1, bytes, bytes, bytes, 0});
      return *answer == 1;
    } catch (const DeviceError&) {
      return false;
    }
  }

  const cl::Context& context_;
  cl::Queue& queue_;
  cl::ProgramCache programs_;
  std::string source_;
  cl::Buffer numbers_;
  cl::Buffer answer_;
};

}  // namespace

void probe_device(const cl::Context& context, cl::Queue& queue, const std::string& cache_dir,
                  const std::string& kernel_dir, DeviceLimits& limits) {
  if (context.device().info.nvidia_capability < kByteCapability) return;
  Prober prober(context, queue, cache_dir, kernel_dir);
  limits.byte_dp4a = limits.doubles_by_integers && prober.succeeds("-DPROBE=1 -DMATRIX=6");
  if (context.device().info.nvidia_capability < kFirstCapability) return;
  limits.shuffle_width = 32;
  limits.register_shares = true;
  // The largest first: data centre devices have it, so they need one build only.
  for (const std::size_t kib : {200, 160, 96, 48}) {
    const std::size_t bytes = kib << 10;
    if (!prober.succeeds("-DPROBE=0 -DMATRIX=0 -DLOCAL_BYTES=" + std::to_string(bytes))) continue;
    limits.async_copies = true;
    limits.static_local_bytes = bytes;
    break;
  }
  limits.fp64_matrix =
      limits.async_copies && limits.has_fp64 && prober.succeeds("-DPROBE=1 -DMATRIX=1");
  limits.tf32_matrix = limits.async_copies && prober.succeeds("-DPROBE=1 -DMATRIX=2");
  limits.byte_matrix = limits.doubles_by_integers && prober.succeeds("-DPROBE=1 -DMATRIX=7");
  if (context.device().info.nvidia_capability != kWideCapability) return;
  limits.wide_matrix = limits.tf32_matrix && prober.has_wide(kernel_dir, "-DMATRIX=2");
  limits.wide_bytes =
      limits.byte_matrix && prober.has_wide(kernel_dir, "-DMATRIX=7 -DTILE_COLS=32");
}

}  // namespace duoblas
