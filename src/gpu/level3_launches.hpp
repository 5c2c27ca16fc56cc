// The products of a level-3 job, enqueued one after another: by the job's own thread or, chain by
// chain, by one beside it, so that this one goes on copying. (On an H100's host a product takes 26
// us to enqueue, and a trsm of 4096 has 64 of them.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/later_launches.hpp"
#include "gpu/level3_times.hpp"
#include "gpu/product.hpp"
#include "gpu/transfer_queues.hpp"
#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// Blocks of a job have many sizes: none is worth a kernel of its own.
inline KernelParams for_many_sizes(KernelParams kernel) {
  kernel.inline_sizes = false;
  return kernel;
}

/// One job's. The caller has the device's mutex, and leaves the device's own queue and its kernels
/// alone from start() to finish().
class Level3Launches {
 public:
  struct Launch {
    GemmProblem product;
    ProductOperands operands;
    std::shared_ptr<const cl::Event> after;  ///< uploads; null: no new ones
    bool has_last_b = false;                 ///< as the step says: it is packed once for all
    std::int64_t first_of_last_b = 0;
  };

  Level3Launches(TransferQueues& queues, const KernelParams& kernel)
      : queues_(queues), kernel_(kernel) {}

  /// Before the first product.
  void use_thread() { thread_ = std::make_unique<LaterLaunches>(); }
  bool has_thread() const { return thread_ != nullptr; }

  /// Enqueues it; with a thread it is gathered for start(). \throws DeviceError.
  void add(Launch launch);

  /// Whether something was gathered.
  bool has_gathered() const { return !gathered_.empty(); }
  /// Has the thread enqueue what was gathered. \pre finish() after the one before.
  void start();
  bool is_done() { return !thread_ || thread_->is_done(); }
  /// Until what was started has been enqueued. \throws DeviceError.
  void finish();
  /// After a failure: nothing more is enqueued when this returns.
  void stop() noexcept;

  /// The event of the last product. This and what follows tell of what has been enqueued. Call them
  /// between finish() and start().
  const std::shared_ptr<const cl::Event>& last() const { return last_; }
  /// Kernels before it that nobody has asked yet whether they failed; asked by the caller from now
  /// on.
  EarlierKernels take_earlier();
  /// Kernels that the caller enqueued for the next product. \pre no thread.
  EarlierKernels& before_next() { return scratch_.earlier; }
  /// Adds what kernels took, by their timestamps. \pre they have ended.
  void add_times(Level3Times& times) const;

  void release() { scratch_.release(); }

 private:
  void submit(const Launch& launch);

  TransferQueues& queues_;
  const KernelParams kernel_;
  ProductScratch scratch_;
  std::vector<Launch> gathered_, in_flight_;
  std::shared_ptr<const cl::Event> last_;
  EarlierKernels earlier_;
  EarlierKernels products_, packings_;     ///< all of them, for their timestamps
  std::int64_t last_depth_ = 0;            ///< rows of the last B that was packed
  std::unique_ptr<LaterLaunches> thread_;  // ends before what it uses
};

}  // namespace duoblas
