// gemv on a program's own queue.
#include <algorithm>
#include <complex>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/queued/queued_state.hpp"
#include "gpu/streams/gemv.hpp"
#include "opencl/callers_objects.hpp"

namespace duoblas {
namespace {

BoundVector bound(const VectorPlace& place, const cl::Context& context, std::size_t element) {
  const AdoptedOperand adopted = bind({place.buffer, place.offset, 0}, context, element);
  return {adopted.operand.buffer, adopted.operand.offset_bytes, place.increment};
}

// y = beta y becomes a product of zeros, because A and x must not be read.
GemvProblem as_product(GemvProblem problem) {
  if (!problem.only_scales_y()) return problem;
  problem.rows = problem.outputs();
  problem.transposes = false;
  problem.columns = 1;
  problem.alpha = 0.0;
  problem.x.increment = 1;
  return problem;
}

WorkspaceBytes needs_of(const OpenedDevice& device, const GemvProblem& problem,
                        const GemvKernel& kernel) {
  const GemvNeeds needs = gemv_needs(device, as_product(problem), kernel);
  WorkspaceBytes bytes;
  bytes.packed_b = needs.dense_x;
  bytes.partial = needs.sums;
  if (problem.only_scales_y())
    bytes.zeros = static_cast<std::size_t>(problem.outputs()) * element_size(problem.precision);
  return bytes;
}

}  // namespace

// A program's buffer starts at a multiple of 16 bytes; no larger alignment is known.
bool is_narrow(int vector_width, std::size_t element) {
  return static_cast<std::size_t>(vector_width) * element <= 16;
}

bool is_aligned(const VectorPlace& place, const cl::Context& context, std::size_t element) {
  return bind({place.buffer, place.offset, 0}, context, element).aligned;
}

GemvChoice& QueuedProducts::gemv_kernels() {
  return state_->device.gemv;
}

std::size_t QueuedProducts::workspace_bytes(const GemvProblem& problem,
                                            const GemvKernel& kernel) const {
  if (problem.empty()) return 0;
  const OpenedDevice& device = state_->device;
  std::size_t most = 0;
  for (const double alpha : {0.0, 1.0}) {
    GemvProblem any = problem;
    any.alpha = alpha;
    most = std::max(
        most,
        needs_of(device, any, kernel).total(device.context.device().info.base_alignment_bytes));
  }
  return most;
}

void QueuedProducts::enqueue(const QueuedGemv& call, std::span<void* const> after, void** done) {
  OpenedDevice& device = state_->device;
  const std::lock_guard guard(device.mutex);
  GemvProblem problem = call.problem;
  problem.x.increment = call.x.increment;
  problem.y.increment = call.y.increment;
  if (state_->workspace && !problem.empty()) state_->serve(needs_of(device, problem, call.kernel));
  state_->in_turn(problem.empty(), after, done, [&] {
    const std::size_t element = element_size(problem.precision);
    GemvOperands operands;
    operands.y = bound(call.y, device.context, element);
    if (problem.only_scales_y()) {
      problem = as_product(problem);
      const std::size_t bytes = static_cast<std::size_t>(problem.rows) * element;
      operands.a.buffer = operands.x.buffer = state_->zeros.at_least(device.context, bytes);
      fill_unasked(device.queue, *operands.a.buffer, bytes);
      operands.a.pitch_bytes = element;
    } else {
      const AdoptedOperand a = bind(call.a, device.context, element);
      operands.a = a.operand;
      operands.x = bound(call.x, device.context, element);
      const bool aligned_x = call.x.increment != 1 || is_aligned(call.x, device.context, element);
      operands.aligned = is_narrow(call.kernel.vector_width, element) && a.aligned && aligned_x;
    }
    GemvScratch scratch;
    return submit_gemv(device, problem, call.kernel, operands, scratch);
  });
}

}  // namespace duoblas
