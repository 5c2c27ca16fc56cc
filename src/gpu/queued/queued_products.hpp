// Products on a program's own queue, with its own buffers: enqueued, not waited for. The
// implementation of duoblas::DeviceBlas: the GPU alone, no CPU side, no gate.
//
// In: cl_mem operands and events of the program's. Out: commands on its queue, and an event whose
// reference is the caller's. It owns kernels, scratch memory or a reference to the workspace, and
// references to queue and context; operands must live until the commands have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/gemv_choice.hpp"
#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/handles.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// A row-major matrix in a cl_mem; offset and leading dimension in elements.
struct BufferPlace {
  void* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t ld = 0;
};

struct QueuedProduct {
  GemmProblem problem;  ///< without pointers and leading dimensions
  KernelParams kernel;
  BufferPlace a, b, c;
};

/// Many products of one shape. `places`: for each product three offsets, of A, B and C, in elements
/// from those of a, b and c; empty: they are at equal distances.
struct QueuedBatch {
  GemmProblem shape;  ///< without pointers and leading dimensions
  KernelParams kernel;
  BufferPlace a, b, c;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  std::int64_t count = 0;
  std::vector<std::uint64_t> places = {};
};

/// A vector in a cl_mem: element 0 is `offset` elements from its start, and elements are
/// `increment` apart.
struct VectorPlace {
  void* buffer = nullptr;
  std::int64_t offset = 0;
  std::int64_t increment = 1;
};

struct QueuedGemv {
  GemvProblem problem;  ///< without pointers and leading dimension
  GemvKernel kernel;
  BufferPlace a;
  VectorPlace x, y;
};

/// A program's matrix as an operand.
struct AdoptedOperand {
  BoundOperand operand;
  bool aligned = false;  ///< rows start at multiples of 16 bytes
};

/// A kernel that writes to C had been enqueued when the product failed. No other kernel may do the
/// product then: C would have beta twice.
class WrittenInPart : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// What is wrong with an operand.
enum class Misfit { none, other_context, too_short, in_workspace };

/// The kernels, their scratch memory and the program's queue, which is in order. Thread-safe.
class QueuedProducts {
 public:
  /// `queue` is a cl_command_queue. Waits for its commands. \throws DeviceError.
  QueuedProducts(void* queue, const GpuFolders& folders, const GpuBounds& bounds = {},
                 const Verification& verification = {});
  ~QueuedProducts();

  /// Whether the matrix's `rows` x `columns` elements lie in a buffer of the queue's context,
  /// outside of the workspace.
  Misfit check(const BufferPlace& place, Precision precision, std::int64_t rows,
               std::int64_t columns) const;

  /// Bytes of a workspace that is large enough for a product of these sizes, ops and kernel,
  /// whatever its scalars are. Waits for nothing. \throws DeviceError if the sizes are too large
  /// for a device.
  std::size_t workspace_bytes(const GemmProblem& problem, const KernelParams& kernel) const;
  /// Whether the memory is there that such a product takes beside its operands: a workspace that is
  /// large enough, or of the library's own up to a quarter of the device's.
  bool has_room(const GemmProblem& problem, const KernelParams& kernel) const;
  /// workspace_bytes() for a gemv with these increments, for partial sums, an x without gaps and
  /// zeros.
  std::size_t workspace_bytes(const GemvProblem& problem, const GemvKernel& kernel) const;

  /// From now on gemm and gemv use `bytes` of this cl_mem, from `offset` on, instead of the
  /// library's own memory, which is freed. Null: the library's own memory again. Returns what is
  /// wrong with the memory; then nothing has changed. \throws DeviceError.
  cl::CallerBuffer::Fault set_workspace(void* buffer, std::size_t offset, std::size_t bytes);

  /// GpuSide::expect_rate.
  void expect_rate(Precision precision, double flops_per_second);

  /// This device's kernels of gemv.
  GemvChoice& gemv_kernels();

  /// Enqueues it after these cl_events, and flushes. If `done` is not null, it gets a cl_event,
  /// whose reference is the caller's. Where the device's memory is too short for what the kernel
  /// takes beside its operands, another kernel does it that takes less. \throws DeviceError;
  /// enqueued commands may still be running then; WrittenInPart: and have written to C. \throws
  /// SettingError if the workspace is too small; then nothing was enqueued.
  void enqueue(const QueuedProduct& product, std::span<void* const> after, void** done);

  /// The same for a batch; it uses the library's own memory beside its operands.
  void enqueue(QueuedBatch batch, std::span<void* const> after, void** done);

  /// The same for y = alpha op(A) x + beta y.
  void enqueue(const QueuedGemv& call, std::span<void* const> after, void** done);

  /// Like GpuSide::launchable; the wanted kernel if none is launchable, whose error then tells why.
  KernelParams launchable(const KernelParams& wanted, Precision precision) const;

  /// GpuSide::take_wrong.
  std::vector<WrongKernel> take_wrong();

  const cl::DeviceInfo& info() const;
  const DeviceLimits& limits() const;

 private:
  struct State;
  static ProductOperands zero_factors(State& state, const GemmProblem& product);
  static cl::Event submit(State& state, const GemmProblem& problem, const KernelParams& wanted,
                          const ProductOperands& operands);
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
