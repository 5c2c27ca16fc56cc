#include "gpu/streams/gemv_job.hpp"

#include <array>
#include <utility>

#include "gpu/device/resident_matrix.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/routine_start.hpp"
#include "kernel_space/device_blocks.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

BoundOperand bound_matrix(OpenedDevice& device, const GemvProblem& part, SharingMode sharing,
                          const GemvProblem& host_part, const ResidentMatrix* resident) {
  if (resident != nullptr && resident->is_on(device)) return resident->from(part.a);
  const HostRect rect = rect_of(part.a, part.rows, part.columns, part.lda, part.precision);
  if (!copies(sharing)) {
    const std::array written = {memory_of(host_part.y, host_part.outputs(), host_part.precision)};
    BoundOperand in_place = device.memory.inputs_in_place(rect, {}, nullptr, written).a;
    if (in_place.buffer) return in_place;
  }
  const std::size_t pitch = device_pitch(rect.row_bytes);
  require_room(device, rect.rows * pitch);
  return device.memory.staged_input(rect, pitch);
}

}  // namespace

RoutineJob start_gemv(const std::shared_ptr<OpenedDevice>& opened, const GemvProblem& part,
                      const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                      const ResidentMatrix* resident) {
  require_computable(*opened, part.precision, part.rows, part.columns);
  return started(opened, [&](RoutineJob::State& state) {
    OpenedDevice& device = *opened;
    state.host_result.resize(static_cast<std::size_t>(part.outputs()) *
                             element_size(part.precision));
    GemvOperands operands;
    operands.a = bound_matrix(device, part, sharing, host_part, resident);
    state.inputs.push_back(operands.a);
    operands.x = staged_vector(state, part.x, part.terms(), part.precision);
    state.result = device.memory.staged_result(
        dense_rect(state.host_result.data(), part.outputs(), part.precision));
    state.result->begin(false);
    operands.y = {state.result->operand().buffer, state.result->operand().offset_bytes, 1};
    operands.aligned = starts_vectors_aligned(operands.a, part, kernel);
    // Parts change as calls show their times, and a call that asked for nothing waits for no
    // compiler.
    operands.may_build_sizes = false;
    GemvProblem sums = part;
    sums.beta = 0.0;
    sums.x.increment = sums.y.increment = 1;
    GemvScratch scratch;
    state.done = submit_gemv(device, sums, kernel, operands, scratch);
    state.earlier = std::move(scratch.earlier);
    state.scratch = {std::move(scratch.sums), std::move(scratch.dense_x),
                     std::move(scratch.tickets)};
    state.images.push_back(std::move(scratch.image));
  });
}

}  // namespace duoblas
