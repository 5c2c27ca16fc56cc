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
#include <span>
#include <string>
#include <vector>

#include "gpu/gpu_options.hpp"
#include "gpu/kernel_verifier.hpp"
#include "gpu/resident_matrix.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/arrival_check.hpp"
#include "memory/operand_memory.hpp"
#include "memory/sharing_mode.hpp"
#include "opencl/device.hpp"
#include "problem/batch_problem.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

struct OpenedDevice;

/// How the operands of a part come to the device and back.
struct Sharing {
  SharingMode operands = SharingMode::staged;  ///< A and B
  SharingMode result = SharingMode::staged;    ///< C
  /// Not used if `operands` is host_pointer, nor by another device than theirs.
  ResidentOperands resident = {};
  /// What the CPU computes meanwhile: no window of A or B is to touch its C. Null: nothing.
  const GemmProblem* host_part = nullptr;
  /// Of a part with beta != 0: looks at rows before they are the caller's, or is told, by submit,
  /// that it cannot. Null: nobody looks.
  ArrivalCheck* arrivals = nullptr;
};

/// Bytes copied so far. staged: operands and results, on the host, to the device and back. saved:
/// old values of a C that the device writes in place, kept until the device cannot fail any more.
/// packed: by the device.
struct CopiedBytes {
  std::uint64_t staged = 0, saved = 0, packed = 0;
};

/// When the parts of a job ended, in seconds from the start of submit.
struct GpuJobTimes {
  double kernels = 0;  ///< the last kernel
  double whole = 0;    ///< the same, and until the result was in the caller's memory
  /// The kernels had ended before wait() looked, and the device's timestamps do not say when: both
  /// are upper bounds.
  bool at_most = false;
};

/// Work under way on the GPU. The destructor waits, so that memory is never freed under it.
class GpuJob {
 public:
  GpuJob();  ///< nothing to do: wait() returns at once
  GpuJob(GpuJob&&) noexcept;
  GpuJob& operator=(GpuJob&&) noexcept;
  ~GpuJob();

  /// Waits for the kernels and makes the result the caller's. \throws DeviceError; wherever beta !=
  /// 0, what is unfinished() then holds C's old values.
  void wait();
  /// What is left to do after wait() has thrown: parts of C that are not there. Lives as long as
  /// the job, since memory may be short by then.
  std::span<const GemmProblem> unfinished() const;
  /// Zeros before wait() returned, and of an empty job.
  GpuJobTimes times() const;

 private:
  friend class GpuSide;
  struct State;
  std::unique_ptr<State> state_;
};

class BatchJob;
struct BatchSharing;

/// One OpenCL device made ready: context, queue, kernel cache. Thread-safe; jobs run one after
/// another on the device.
class GpuSide {
 public:
  /// `timestamps`: a profiling queue, so that a job's end is known even if nobody waited for it;
  /// that costs a little per command. \throws DeviceError if the device cannot be opened.
  /// `memory_limit`: bytes of the device that a product may use; 0: four fifths of what it has.
  GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps = false,
          std::size_t memory_limit = 0, const GpuBounds& bounds = {},
          const Verification& verification = {});
  ~GpuSide();

  /// The rate of kernels of this type until one was measured. Launches are cut by it.
  void expect_rate(Precision precision, double flops_per_second);

  /// Binds memory, enqueues the packing and the product, and flushes: the GPU works when this
  /// returns. An empty part gives an empty job. \throws DeviceError; C has its old values where
  /// beta != 0, but for what a DeviceHung may write.
  /// C of a part whose rows are not its own (a cut by columns) must be no host pointer, since the
  /// CPU writes between them.
  GpuJob submit(const GemmProblem& part, const KernelParams& kernel, const Sharing& sharing);
  GpuJob submit(const GemmProblem& part, const KernelParams& kernel, SharingMode sharing) {
    return submit(part, kernel, Sharing{sharing, sharing});
  }

  /// The same for many products, of which none only scales C (batch_job.hpp): one launch for many.
  /// \throws DeviceError; every C has its old values where beta != 0, but for what a DeviceHung may
  /// write.
  BatchJob submit(const BatchProblem& part, const BatchSharing& sharing);
  /// needs_trials() and build_kernels() for the kernels of such a part.
  bool needs_trials(const BatchProblem& part, SharingMode operands) const;
  void build_kernels(const BatchProblem& part, SharingMode operands) noexcept;
  bool has_kernels(const BatchProblem& part, SharingMode operands) const;

  /// Copies a matrix to the device, where it stays. Products then take it, or parts of it that
  /// begin at one of its elements, from there. \throws DeviceError.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix,
                                                      PackedForms forms = PackedForms::kept);

  /// Builds the kernel for these ops, from the cache where it is there. \throws DeviceError.
  void prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b);

  /// Whether submit() finds every kernel of this part built, and verified where it is to be, that
  /// its size and its operands' places tell of. Waits for nothing.
  bool has_kernels(const GemmProblem& part, const KernelParams& kernel, SharingMode operands) const;
  /// Whether submit() would wait for trials of such kernels.
  bool needs_trials(const GemmProblem& part, const KernelParams& kernel,
                    SharingMode operands) const;
  /// Builds them, or loads them from the cache, beside whoever uses the device. Of `part` nothing
  /// is read or written. One that does not build is submit()'s to tell of.
  void build_kernels(const GemmProblem& part, const KernelParams& kernel,
                     SharingMode operands) noexcept;
  /// Products so far that waited for the device's memory to be allocated.
  unsigned memory_growths() const;
  /// Frees what the device keeps for later products, once the submitted ones have ended. For a lost
  /// device, which gets no more of them. What callers hold stays theirs.
  void let_go() noexcept;
  /// Makes what a first product of copied operands would wait for: queues, threads, page-locked
  /// memory. The device is this thread's meanwhile.
  void build_pipeline() noexcept;

  /// This kernel. If the device has refused it (it does not compile, its work-groups are too
  /// large), one that takes its place; nothing: the device has refused all of those too.
  std::optional<KernelParams> launchable(const KernelParams& wanted, Precision precision) const;
  /// The kernel's result was wrong: launchable() does not offer it any more, and later processes
  /// hear of it. False: launchable() did not offer it before either.
  bool convict(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
               const std::string& why);
  /// The same of a batch: all of its kernels.
  bool convict(const BatchProblem& part, SharingMode operands, const std::string& why);
  /// Results of such parts that were checked and right.
  void add_checked(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                   std::uint64_t results) noexcept;
  /// Kernels that were found wrong when they were tried, since this was last asked for.
  std::vector<WrongKernel> take_wrong();
  /// What is known of this device's kernels, in all processes.
  std::vector<VariantVerdict> verdicts() const;
  /// Tries a variant now, whatever is known of it. What is wrong with it; empty: nothing. \throws
  /// DeviceError where it cannot be built or run.
  std::string try_kernel(const KernelVariant& variant);
  /// Trials of kernels that this object made.
  std::uint64_t trials() const;
  /// Why the device was seen to refuse this kernel; empty where it was not.
  std::string refusal(const KernelParams& kernel, Precision precision) const;

  /// The driver's binary of the variant, built where it was not yet: what is inside differs from
  /// driver to driver. \throws DeviceError with the build log where it does not compile.
  std::vector<unsigned char> binary(const KernelVariant& variant);

  /// What jobs of routines beside gemm are started on (gemv_job.hpp).
  const std::shared_ptr<OpenedDevice>& device() const;

  /// Why compiled kernels are not kept on disk, as far as that was tried; empty where they are.
  std::string cache_problem() const;

  const cl::DeviceInfo& info() const;
  const DeviceLimits& limits() const;
  const SharingFacts& sharing() const;
  /// What all jobs so far copied.
  CopiedBytes copied() const;
  /// The mode that costs the least on this device: host_pointer where it was verified.
  SharingMode best_sharing() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
