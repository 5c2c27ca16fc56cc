#include "gpu/streams/update_job.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "check/kept_memory.hpp"
#include "gpu/device/direct_results.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "problem/host_rect.hpp"
#include "problem/rounding.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

bool begin_update(RoutineJob::State& state, const HostRect& rect, SharingMode sharing,
                  std::span<const HostRect> written, std::size_t unit_bytes) {
  OperandMemory& memory = state.device->memory;
  if (!copies(sharing)) state.result = memory.result_in_place(rect, {}, written);
  const std::size_t few = std::max(3 * unit_bytes, most_kept_at_once);
  if (state.result && unit_bytes > 0 && rect.rows * rect.row_bytes > few) return false;
  if (!state.result) {
    begin_apart(state, rect, [&](void* dense) {
      copy_rows(dense, rect.row_bytes, rect.data, rect.pitch, rect.rows, rect.row_bytes);
    });
    return true;
  }
  state.result->begin_by_rows(true);
  return true;
}

void begin_apart(RoutineJob::State& state, HostRect shape,
                 const std::function<void(void*)>& gather) {
  const std::size_t bytes = shape.rows * shape.row_bytes;
  require_room(*state.device, bytes);
  state.host_result.resize(bytes);
  gather(state.host_result.data());
  shape.data = state.host_result.data();
  shape.pitch = shape.row_bytes;
  state.result = state.device->memory.staged_result(shape);
  state.result->begin_by_rows(true);
}

namespace {

// On the pipeline's thread. The memory must live until its end is known.
class UpdateInPieces {
 public:
  UpdateInPieces(TransferQueues& queues, UpdatedMemory updated)
      : queues_(queues),
        updated_(std::move(updated)),
        each_(outputs_of_piece(updated_.shape)),
        old_values_(DirectResults::blocks_at_once * piece_bytes()),
        written_(queues, old_values_.data(), piece_bytes()) {}

  // Does everything, and holds the device's mutex meanwhile. Nothing is running afterwards.
  UpdateEnd run() noexcept {
    const std::lock_guard guard(queues_.device.mutex);
    const std::int64_t outputs = updated_.shape.outputs;
    UpdateEnd end;
    try {
      for (std::int64_t first = 0; first < outputs; first += each_) {
        const Interval piece{first, std::min(each_, outputs - first)};
        written_.overwrite(updated_.operand(piece), updated_.rows(piece), OldValues::kept);
        written_.expect(std::make_shared<cl::Event>(updated_.launch(piece)), {});
      }
      while (written_.wait()) continue;
    } catch (...) {
      end.failure = std::current_exception();
      queues_.device.drain();
      written_.undo();
    }
    end.done = std::min(outputs, static_cast<std::int64_t>(written_.arrived()) * each_);
    end.seconds = watch_.seconds();
    return end;
  }

 private:
  static std::int64_t outputs_of_piece(const UpdatedShape& shape) {
    const auto wanted = static_cast<std::int64_t>(update_piece_bytes / shape.bytes_of_output);
    return round_up(std::max<std::int64_t>(wanted, 1), shape.unit);
  }
  std::size_t piece_bytes() const {
    return static_cast<std::size_t>(each_) * updated_.shape.bytes_of_output;
  }

  TransferQueues& queues_;
  const UpdatedMemory updated_;
  const std::int64_t each_;
  const Stopwatch watch_;
  const KeptMemory old_values_;
  DirectResults written_;
};

}  // namespace

void start_pieces(RoutineJob::State& state, UpdatedMemory updated) {
  TransferPipeline& pipeline = state.device->pipeline();
  state.pieces =
      pipeline.start(std::make_shared<UpdateInPieces>(pipeline.queues(), std::move(updated)));
}

std::int64_t rows_of_update(const RoutineJob::State& state, std::int64_t rows, std::int64_t unit) {
  constexpr std::int64_t launches = 4;
  return state.host_result.empty() ? round_up(parts(rows, launches), unit) : rows;
}

void copy_back(const RoutineJob& job, const HostRect& rect) {
  if (const void* values = job.results())
    copy_rows(rect.data, rect.pitch, values, rect.row_bytes, rect.rows, rect.row_bytes);
}

UpdatePlaces places_of(const RoutineJob& job, const void* data, std::int64_t ld,
                       std::int64_t columns) {
  if (const void* values = job.results()) return {data, ld, values, columns};
  return {job.old_values(), columns, data, ld};
}

namespace {

// Columns of one matrix beside each other, as in a factorisation's step.
bool is_between_rows(const HostRect& matrix, const HostRect& other) {
  if (matrix.rows > 1 && other.rows > 1 && matrix.pitch != other.pitch) return false;
  const std::size_t pitch = matrix.rows > 1 ? matrix.pitch : other.pitch;
  if (matrix.rows <= 1 && other.rows <= 1) return false;
  const auto wide = static_cast<std::ptrdiff_t>(pitch);
  const std::ptrdiff_t apart =
      static_cast<const char*>(other.data) - static_cast<const char*>(matrix.data);
  const auto after = static_cast<std::size_t>((apart % wide + wide) % wide);
  return after >= matrix.row_bytes && after + other.row_bytes <= pitch;
}

// The elements only, without the gaps.
HostRect elements_of(const StridedVector& vector, std::int64_t size, Precision precision) {
  const std::int64_t apart = std::abs(vector.increment);
  if (size < 2 || apart < 2) return memory_of(vector, size, precision);
  return rect_of(lowest_address(vector, size, precision), size, 1, apart, precision);
}

}  // namespace

bool reads_what_it_writes(const GerProblem& p) {
  const auto meets = [](const HostRect& one, const HostRect& other) {
    const auto* const begin = static_cast<const char*>(one.data);
    const auto* const other_begin = static_cast<const char*>(other.data);
    return begin < other_begin + other.span() && other_begin < begin + one.span() &&
           !is_between_rows(one, other);
  };
  const HostRect a = rect_of(p.a, p.rows, p.columns, p.lda, p.precision);
  return meets(a, elements_of(p.x, p.rows, p.precision)) ||
         meets(a, elements_of(p.y, p.columns, p.precision));
}

}  // namespace duoblas
