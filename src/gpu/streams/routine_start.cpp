#include "gpu/streams/routine_start.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

namespace duoblas {

RoutineJob started(const std::shared_ptr<OpenedDevice>& device,
                   const std::function<void(RoutineJob::State&)>& enqueue) {
  auto job = std::make_unique<RoutineJob::State>(device);
  const std::lock_guard guard(device->mutex);
  device->refuse_if_hung();
  try {
    enqueue(*job);
    job->result->expect();
    job->pending = true;
  } catch (...) {
    job->end_and_rethrow();
  }
  return RoutineJob(std::move(job));
}

HostRect dense_rect(const void* data, std::int64_t size, Precision precision) {
  return rect_of(data, 1, size, size, precision);
}

HostRect memory_of(const StridedVector& vector, std::int64_t size, Precision precision) {
  if (size == 0 || vector.data == nullptr) return {};
  const std::int64_t span = (size - 1) * std::abs(vector.increment) + 1;
  return dense_rect(lowest_address(vector, size, precision), span, precision);
}

BoundVector staged_vector(RoutineJob::State& state, const StridedVector& vector, std::int64_t size,
                          Precision precision) {
  const std::size_t bytes = static_cast<std::size_t>(size) * element_size(precision);
  const void* data = vector.data;
  if (vector.increment != 1) {
    std::vector<std::byte>& dense = state.host_copies.emplace_back(bytes);
    gather(vector, size, precision, dense.data());
    data = dense.data();
  }
  state.inputs.push_back(
      state.device->memory.staged_input(dense_rect(data, size, precision), bytes));
  return {state.inputs.back().buffer, 0, 1};
}

bool starts_at_multiples(const BoundOperand& operand, const void* host, std::size_t bytes) {
  const bool base = copies(operand.mode) ||
                    (reinterpret_cast<std::uintptr_t>(host) - operand.offset_bytes) % bytes == 0;
  return base && operand.offset_bytes % bytes == 0 && operand.pitch_bytes % bytes == 0;
}

std::int64_t units_of_launch(const TargetDevice& device, double bytes_of_unit, std::int64_t most) {
  constexpr double slow_bytes_per_second = 20e9;
  const double bound = device.launch_bound;
  most = std::max<std::int64_t>(most, 1);
  if (bound <= 0 || bytes_of_unit <= 0) return most;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(bound * slow_bytes_per_second / bytes_of_unit), 1, most);
}

}  // namespace duoblas
