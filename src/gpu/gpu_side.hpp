// The GPU's side of a product: bind memory, enqueue, FLUSH; later, wait.
//
// In: the GPU's part of a product and a kernel. Out: a GpuJob; after its wait() the result is in
// the caller's memory. GpuSide owns one opened device: context, queue, compiled kernels, buffers
// for copies. The operands stay the caller's and must live until the job has ended.
// Threads: any may call. A lock is held while a job is enqueued, and the device does jobs in that
// order. (Who waits for the device and who does not: engine/gpu_gate.hpp.) Failures are
// DeviceError; each function says what C holds then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/resident_matrix.hpp"
#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "gpu/product/gpu_job.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/device.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/host_rect.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

class OpenedDevice;

/// One opened OpenCL device: context, queue, kernel cache. Thread-safe; jobs run one after another
/// on the device.
class GpuSide {
 public:
  /// `timestamps`: a profiling queue, so that a job's end is known even if nobody waited for it;
  /// that costs a little per command. \throws DeviceError if the device cannot be opened.
  /// `memory_limit`: bytes of the device that a product may use; 0: four fifths of what it has.
  GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps = false,
          std::size_t memory_limit = 0, const GpuBounds& bounds = {},
          const Verification& verification = {});
  ~GpuSide();

  /// The rate of kernels of this type, used until one was measured. The size of launches depends on
  /// it.
  void expect_rate(Precision precision, double flops_per_second);

  /// Binds memory, enqueues the packing and the product, and flushes: the GPU works when this
  /// returns. An empty part gives an empty job. \throws DeviceError; if beta != 0, C then has its
  /// old values, unless a device that hangs (DeviceHung) overwrites them. If C's part does not
  /// consist of whole rows (a partition by columns), its sharing mode must not be host_pointer,
  /// since the CPU writes between the part's rows.
  GpuJob submit(const GemmProblem& part, const KernelParams& kernel, const Sharing& sharing);
  GpuJob submit(const GemmProblem& part, const KernelParams& kernel, SharingMode sharing) {
    return submit(part, kernel, Sharing{sharing, sharing});
  }

  /// Waits until no job holds up a submission. (Another one may do so after that.)
  void wait_for_job() const;

  /// Copies a matrix to the device, where it stays. Products then read it, or parts of it, from
  /// there. \throws DeviceError.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix,
                                                      PackedForms forms = PackedForms::kept);

  /// Builds the kernel for these ops, or loads it from the cache. \throws DeviceError.
  void prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b);

  /// The kernels that this part needs, judged by its size and its operands' places. \throws
  /// std::bad_alloc.
  std::vector<KernelVariant> variants(const GemmProblem& part, const KernelParams& kernel,
                                      SharingMode operands) const;
  /// Whether every one of these is built, and verified if that is wanted. Waits for nothing.
  bool has_kernels(const std::vector<KernelVariant>& variants) const;
  /// Whether submit() would wait for trials of such kernels.
  bool need_trials(const std::vector<KernelVariant>& variants) const;
  /// Builds them, or loads them from the cache, beside running jobs. If one does not build,
  /// submit() will report it.
  void build_kernels(const std::vector<KernelVariant>& variants) noexcept;
  /// The number of products so far that waited for the allocation of device memory.
  unsigned memory_growths() const;
  /// The number of kernels that were built so far, or found useless.
  std::size_t built_kernels() const;
  /// Frees what the device keeps for later products, once the submitted ones have ended. For a lost
  /// device, which gets no more products. Objects that callers hold stay valid.
  void let_go() noexcept;
  /// Makes the things for which a first product of copied operands would wait: queues, threads,
  /// page-locked memory. The device belongs to this thread meanwhile.
  void build_pipeline() noexcept;

  /// Whether the device has refused a kernel of products so far. Else each is launchable().
  bool has_refused() const noexcept;
  /// This kernel; or if the device has refused it (it does not compile, its work-groups are too
  /// large), a replacement; nothing: the device has refused all of those too, or memory is too
  /// short to look for one.
  std::optional<KernelParams> launchable(const KernelParams& wanted,
                                         Precision precision) const noexcept;
  /// The kernel's result was wrong: launchable() does not return it any more, and later processes
  /// learn of it. False: launchable() did not return it before either.
  bool reject(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
              const std::string& why);
  /// Counts results of such parts that were checked and right.
  void add_checked(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                   std::uint64_t results) noexcept;
  /// The kernels that trials found wrong since the last call of this.
  std::vector<WrongKernel> take_wrong();
  /// Everything that is known of this device's kernels, from all processes.
  std::vector<VariantVerdict> verdicts() const;
  /// Tries a variant now, whatever is known of it. Returns what is wrong; empty: nothing. \throws
  /// DeviceError if it cannot be built or run.
  std::string try_kernel(const KernelVariant& variant);
  /// The number of trials that this object made.
  std::uint64_t trials() const;
  /// Why the device has refused this kernel; empty if it has not.
  std::string refusal(const KernelParams& kernel, Precision precision) const;

  /// The driver's binary of the variant, which is built if needed. Its contents differ between
  /// drivers. \throws DeviceError with the build log if it does not compile.
  std::vector<unsigned char> binary(const KernelVariant& variant);

  /// The device on which jobs of routines beside gemm are started (routine_job.hpp).
  const std::shared_ptr<OpenedDevice>& device() const { return device_; }

  /// Why compiled kernels are not stored on disk, as far as that was tried; empty if they are.
  std::string cache_problem() const;

  const cl::DeviceInfo& info() const;
  const DeviceLimits& limits() const;
  const SharingFacts& sharing() const;
  /// The bytes that all jobs so far copied.
  CopiedBytes copied() const;
  /// The cheapest mode on this device: host_pointer if that was verified.
  SharingMode best_sharing() const;

 private:
  std::shared_ptr<OpenedDevice> device_;
};

}  // namespace duoblas
