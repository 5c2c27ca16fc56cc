// The products of a level-3 job, enqueued one after another by the job's thread. (A launch takes
// the host 20 us, and 44 us where a second thread calls the driver at the same time.)
//
// They are enqueued before the next uploads: NVIDIA's driver starts a download only when all
// uploads have ended that were enqueued before its kernels
// (docs/experiments/transfers.md#what-results-of-a-solve-wait-for).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/level3/level3_program.hpp"
#include "gpu/level3/level3_times.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/bound_operand.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Blocks of a job have many sizes: none is worth a kernel of its own.
inline KernelParams for_many_sizes(KernelParams kernel) {
  kernel.inline_sizes = false;
  return kernel;
}

/// One job's. The caller has the device's mutex.
class Level3Launches {
 public:
  struct Launch {
    GemmProblem product;
    ProductOperands operands;
    std::shared_ptr<const cl::Event> after;  ///< uploads; null: no new ones
    bool has_last_b = false;                 ///< as the step says: it is packed once for all
    std::int64_t first_of_last_b = 0;
  };

  /// `all_lines`: as packed_once() has it.
  Level3Launches(TransferQueues& queues, const KernelParams& kernel,
                 const std::optional<GemmProblem>& all_lines)
      : queues_(queues), kernel_(kernel), all_lines_(all_lines) {}

  /// Enqueues it, and flushes if the product is the last one of a chain. \throws DeviceError.
  void add(const Launch& launch, bool ends_chain);

  /// Whether lines of A and B that many products multiply by are packed once for all of them.
  bool packs_lines() const { return all_lines_.has_value(); }
  /// The B of a product by lines of `step.b`'s matrix, which is `matrix`. Where that is not packed
  /// yet, it is. \pre packs_lines(). \throws DeviceError.
  BoundOperand packed_lines(const MultiplyStep& step, const BoundOperand& matrix);
  /// The event of the last product.
  const std::shared_ptr<const cl::Event>& last() const { return last_; }
  /// Kernels before it that nobody has asked yet whether they failed; asked by the caller from now
  /// on.
  EarlierKernels take_earlier();
  /// Kernels that the caller enqueued for the next product.
  EarlierKernels& before_next() { return scratch_.earlier; }
  /// Adds what kernels took, by their timestamps. \pre they have ended.
  void add_times(Level3Times& times) const;

  void release() {
    scratch_.release();
    lines_of_a_ = lines_of_b_ = nullptr;
  }

 private:
  TransferQueues& queues_;
  const KernelParams kernel_;
  const std::optional<GemmProblem> all_lines_;
  std::shared_ptr<const cl::Buffer> lines_of_a_, lines_of_b_;  ///< null: yet to be packed
  ProductScratch scratch_;
  std::shared_ptr<const cl::Event> last_;
  EarlierKernels earlier_;
  EarlierKernels products_, packings_;  ///< all of them, for their timestamps
  std::int64_t last_depth_ = 0;         ///< rows of the last B that was packed
};

}  // namespace duoblas
