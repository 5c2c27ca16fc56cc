#include "gpu/level3/level3_job.hpp"

#include <exception>
#include <mutex>
#include <variant>
#include <vector>

#include "gpu/device/computable.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"

namespace duoblas {

Level3Job::~Level3Job() {
  if (pipelined_.valid()) pipelined_.wait();
}

void Level3Job::wait() {
  if (!pipelined_.valid()) return;
  const Level3Outcome outcome = pipelined_.get();
  progress_ = outcome.progress;
  times_ = outcome.times;
  if (!outcome.failure) return;
  try {
    std::rethrow_exception(outcome.failure);
  } catch (...) {
    device_->rethrow_drained(outcome.may_write_c);
  }
}

bool takes_level3(const OpenedDevice& device, const Level3Problem& problem,
                  const KernelParams& kernel, const BlockSizes& sizes) {
  if (is_double(problem.precision) && !device.context.device().info.has_fp64) return false;
  return device_bytes(problem, kernel, sizes, device.free_limits()).has_value();
}

Level3Job start_level3(const std::shared_ptr<OpenedDevice>& opened, const Level3Problem& problem,
                       const KernelParams& kernel, const BlockSizes& sizes,
                       const Level3Sharing& sharing) {
  OpenedDevice& device = *opened;
  require_computable(device, problem.precision, order(problem), free_extent(problem));
  const std::lock_guard guard(device.mutex);
  device.refuse_if_hung();
  GemmProblem like;  // no more work than this
  like.precision = problem.precision;
  like.m = like.k = order(problem);
  like.n = 2 * free_extent(problem);
  device.expect(like, kernel);
  const MatricesInPlace wanted = usable_in_place(problem, sharing.wanted);
  Level3Operands operands = bind_in_place(device, problem, wanted, sharing.of_host);
  TransferPipeline& pipeline = device.pipeline();
  if (sharing.registered_directly) hold_pages(pipeline.queues().page_locks, problem, operands);
  return {opened, pipeline.start(std::make_shared<PipelinedLevel3>(
                      pipeline.queues(), problem, kernel, sizes, std::move(operands)))};
}

std::vector<GemmProblem> products_by_kernel(const Level3Problem& problem,
                                            const KernelParams& kernel, const BlockSizes& sizes,
                                            MatricesInPlace wanted) {
  std::vector<GemmProblem> products;
  for (const DeviceStep& step : device_program(problem, sizes, usable_in_place(problem, wanted))) {
    if (const auto* multiply = std::get_if<MultiplyStep>(&step))
      add_if_other_kernel(products, multiply->product, kernel);
  }
  return products;
}

}  // namespace duoblas
