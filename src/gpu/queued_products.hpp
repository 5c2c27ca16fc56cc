// Products on a program's own queue, of buffers of its own: enqueued, not waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "gpu/product.hpp"

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

/// What is wrong with an operand.
enum class Misfit { none, other_context, too_short };

/// The kernels, their scratch memory and the program's queue, which is in order. Thread-safe.
class QueuedProducts {
 public:
  /// `queue` is a cl_command_queue. Waits for what it holds. \throws DeviceError.
  QueuedProducts(void* queue, const GpuFolders& folders, const GpuBounds& bounds = {},
                 const Verification& verification = {});
  ~QueuedProducts();

  /// Whether the matrix's `rows` x `columns` elements lie in a buffer of the queue's context.
  Misfit check(const BufferPlace& place, Precision precision, std::int64_t rows,
               std::int64_t columns) const;

  /// GpuSide::expect_rate.
  void expect_rate(Precision precision, double flops_per_second);

  /// Enqueues it after these cl_events, and flushes. Where `done` is not null a cl_event is left
  /// there, whose reference is the caller's. \throws DeviceError; what was enqueued may still be
  /// running, and have written to C.
  void enqueue(const QueuedProduct& product, std::span<void* const> after, void** done);

  /// The same for a batch.
  void enqueue(QueuedBatch batch, std::span<void* const> after, void** done);

  /// GpuSide::launchable; the wanted one where nothing is, whose error then tells.
  KernelParams launchable(const KernelParams& wanted, Precision precision) const;

  /// GpuSide::take_wrong.
  std::vector<WrongKernel> take_wrong();

  const cl::DeviceInfo& info() const;
  const DeviceLimits& limits() const;

 private:
  struct State;
  static ProductOperands zero_factors(State& state, GemmProblem& problem);
  std::unique_ptr<State> state_;
};

}  // namespace duoblas
