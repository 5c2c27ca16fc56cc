// Products on a program's own queue, of buffers of its own: enqueued, not waited for. What
// duoblas::DeviceBlas has behind it; the GPU alone, no CPU side, no gate.
//
// In: cl_mem operands and events of the program's. Out: commands on its queue, and an event whose
// reference is the caller's. It owns kernels, scratch memory or a reference to the workspace, and
// references to queue and context; operands must live until the commands have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "gpu/kernel_choice.hpp"
#include "gpu/product.hpp"
#include "kernel_space/copy_kernel.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "kernel_space/update_kernel.hpp"
#include "opencl/caller_buffer.hpp"
#include "problem/axpy_problem.hpp"
#include "problem/copy_problem.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/ger_problem.hpp"

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

/// Many products of one shape. `places`: three offsets for each, of A, B and C, in elements from
/// those of a, b and c; empty: they are at equal distances.
struct QueuedBatch {
  GemmProblem shape;  ///< without pointers and leading dimensions
  KernelParams kernel;
  BufferPlace a, b, c;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  std::int64_t count = 0;
  std::vector<std::uint64_t> places = {};
};

/// A vector in a cl_mem: element 0 is `offset` elements from its start, and the next one
/// `increment` further on.
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

struct QueuedCopy {
  CopyProblem problem;  ///< likewise
  CopyKernel kernel;
  BufferPlace a, b;
};

struct QueuedGer {
  GerProblem problem;  ///< likewise
  UpdateKernel kernel;
  VectorPlace x, y;
  BufferPlace a;
};

struct QueuedAxpy {
  AxpyProblem problem;  ///< without pointers
  UpdateKernel kernel;
  VectorPlace x, y;
};

/// What is wrong with an operand.
enum class Misfit { none, other_context, too_short, in_workspace };

/// The kernels, their scratch memory and the program's queue, which is in order. Thread-safe.
class QueuedProducts {
 public:
  /// `queue` is a cl_command_queue. Waits for what it holds. \throws DeviceError.
  QueuedProducts(void* queue, const GpuFolders& folders, const GpuBounds& bounds = {},
                 const Verification& verification = {});
  ~QueuedProducts();

  /// Whether the matrix's `rows` x `columns` elements lie in a buffer of the queue's context, and
  /// not in the workspace.
  Misfit check(const BufferPlace& place, Precision precision, std::int64_t rows,
               std::int64_t columns) const;

  /// Bytes of a workspace in which a product of these sizes, ops and kernel finds what it takes
  /// beside its operands, whatever its scalars are. Waits for nothing. \throws DeviceError where
  /// the sizes are too large for a device.
  std::size_t workspace_bytes(const GemmProblem& problem, const KernelParams& kernel) const;
  /// The same of a gemv with these increments, for partial sums, an x without gaps and zeros.
  std::size_t workspace_bytes(const GemvProblem& problem, const GemvKernel& kernel) const;

  /// From now on gemm and gemv take `bytes` of this cl_mem, from `offset` on, in place of memory of
  /// ours, which is let go of. Null: ours again. The fault of memory that cannot be had: then
  /// nothing has changed. \throws DeviceError.
  cl::CallerBuffer::Fault set_workspace(void* buffer, std::size_t offset, std::size_t bytes);

  /// GpuSide::expect_rate.
  void expect_rate(Precision precision, double flops_per_second);

  /// Which kernels this device is given.
  StreamChoices& choices();

  /// Enqueues it after these cl_events, and flushes. Where `done` is not null a cl_event is left
  /// there, whose reference is the caller's. \throws DeviceError; what was enqueued may still be
  /// running, and have written to C. SettingError where the workspace is too small, and nothing
  /// was enqueued.
  void enqueue(const QueuedProduct& product, std::span<void* const> after, void** done);

  /// The same for a batch; what it takes beside its operands is memory of ours.
  void enqueue(QueuedBatch batch, std::span<void* const> after, void** done);

  /// The same for y = alpha op(A) x + beta y.
  void enqueue(const QueuedGemv& call, std::span<void* const> after, void** done);
  /// The same for B = alpha op(A); the zeros that an alpha of 0 takes are memory of ours.
  void enqueue(const QueuedCopy& call, std::span<void* const> after, void** done);
  /// The same for A += alpha x y', and for y += alpha x, whose increments fit an int.
  void enqueue(const QueuedGer& call, std::span<void* const> after, void** done);
  void enqueue(const QueuedAxpy& call, std::span<void* const> after, void** done);

  /// GpuSide::launchable; the wanted one where nothing is, whose error then tells.
  KernelParams launchable(const KernelParams& wanted, Precision precision) const;

  /// GpuSide::take_wrong.
  std::vector<WrongKernel> take_wrong();

  const cl::DeviceInfo& info() const;
  const DeviceLimits& limits() const;

 private:
  struct State;
  static ProductOperands zero_factors(State& state, const GemmProblem& product);
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
