#include "gpu/gemv_job.hpp"

#include <array>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/gemv.hpp"
#include "gpu/product.hpp"
#include "gpu/resident_matrix.hpp"
#include "gpu/routine_job_state.hpp"
#include "opencl/patience.hpp"
#include "planner/device_blocks.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

HostRect rect_of_matrix(const GemvProblem& p) {
  return rect_of(p.a, p.rows, p.columns, p.lda, p.precision);
}

HostRect dense_rect(const void* data, std::int64_t size, Precision precision) {
  return rect_of(data, 1, size, size, precision);
}

// The memory that a vector's elements lie in, with what lies between them.
HostRect memory_of(const StridedVector& vector, std::int64_t size, Precision precision) {
  if (size == 0 || vector.data == nullptr) return {};
  const std::int64_t span = (size - 1) * std::abs(vector.increment) + 1;
  return dense_rect(lowest_address(vector, size, precision), span, precision);
}

void check(const GemvProblem& part, const OpenedDevice& device) {
  const cl::DeviceInfo& info = device.context.device().info;
  if (is_double(part.precision) && !info.has_fp64)
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
  if (part.rows > most_gemv_extent || part.columns > most_gemv_extent)
    throw DeviceError("a matrix of " + std::to_string(part.rows) + " x " +
                      std::to_string(part.columns) +
                      " is larger than kernels of gemv take; the CPU has to do it");
}

BoundOperand bound_matrix(OpenedDevice& device, const GemvProblem& part, SharingMode sharing,
                          const GemvProblem& host_part, const ResidentMatrix* resident) {
  if (resident != nullptr && resident->is_on(device)) return resident->from(part.a);
  const HostRect rect = rect_of_matrix(part);
  if (!copies(sharing)) {
    const std::array written = {memory_of(host_part.y, host_part.outputs(), host_part.precision)};
    BoundOperand in_place = device.memory.inputs_in_place(rect, {}, nullptr, written).a;
    if (in_place.buffer) return in_place;
  }
  const std::size_t pitch = device_pitch(rect.row_bytes);
  const std::size_t limit = device.free_limits().memory_bytes;
  if (limit > 0 && rect.rows * pitch > limit)
    throw DeviceError("a matrix of " + std::to_string(rect.rows * pitch) +
                      " bytes does not fit into the device's memory; the CPU has to do it");
  return device.memory.staged_input(rect, pitch);
}

// x as the device reads it, without gaps.
BoundOperand bound_vector(OpenedDevice& device, const GemvProblem& part) {
  const std::size_t bytes = static_cast<std::size_t>(part.terms()) * element_size(part.precision);
  if (part.x.increment == 1)
    return device.memory.staged_input(dense_rect(part.x.data, part.terms(), part.precision), bytes);
  auto dense = std::make_unique<std::vector<std::byte>>(bytes);
  gather(part.x, part.terms(), part.precision, dense->data());
  try {
    return device.memory.staged_input(dense_rect(dense->data(), part.terms(), part.precision),
                                      bytes);
  } catch (const cl::DeviceHung&) {
    static_cast<void>(dense.release());  // the device may go on, and read it then
    throw;
  }
}

}  // namespace

RoutineJob start_gemv(const std::shared_ptr<OpenedDevice>& opened, const GemvProblem& part,
                      const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                      const ResidentMatrix* resident) {
  OpenedDevice& device = *opened;
  check(part, device);
  auto job = std::make_unique<RoutineJob::State>(opened);
  RoutineJob::State& state = *job;
  const std::lock_guard guard(device.mutex);
  // Nothing more is sent to where nothing ends: who had the mutex may have found that out.
  if (const auto& patience = device.context.patience(); patience->is_over()) patience->give_up(0);
  state.landing.resize(static_cast<std::size_t>(part.outputs()) * element_size(part.precision));
  try {
    GemvOperands operands;
    operands.a = bound_matrix(device, part, sharing, host_part, resident);
    state.inputs.push_back(operands.a);
    state.inputs.push_back(bound_vector(device, part));
    state.result = device.memory.staged_result(
        dense_rect(state.landing.data(), part.outputs(), part.precision));
    state.result->begin(false);
    operands.x = {state.inputs.back().buffer, 0, 1};
    operands.y = {state.result->operand().buffer, state.result->operand().offset_bytes, 1};
    operands.aligned = starts_vectors_aligned(operands.a, part, kernel);
    GemvProblem sums = part;
    sums.beta = 0.0;
    sums.x.increment = sums.y.increment = 1;
    GemvScratch scratch;
    state.done = submit_gemv(device, sums, kernel, operands, scratch);
    state.earlier = std::move(scratch.earlier);
    state.scratch = {std::move(scratch.sums), std::move(scratch.dense_x)};
    state.result->expect();
    state.pending = true;
  } catch (...) {
    state.end_and_rethrow();
  }
  return RoutineJob(std::move(job));
}

}  // namespace duoblas
