#include "gpu/level3/pipelined_level3.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include <duoblas/error.hpp>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "memory/copy_threads.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

std::size_t saved_blocks(const std::vector<DeviceStep>& program, Precision precision) {
  std::size_t blocks = 0;
  for (const DeviceStep& step : program)
    if (const auto* send = std::get_if<SendRect>(&step); send != nullptr && send->is_saved) {
      const auto rows = static_cast<std::size_t>(send->rect.rows);
      const auto columns = static_cast<std::size_t>(send->rect.columns);
      blocks += UploadRing::most_blocks_of(rows, device_pitch(columns * element_size(precision)));
    }
  return blocks;
}

// Where memory is short for the leaves, or their kernel is not to be had, the host inverts them.
bool inverts_leaves(OpenedDevice& device, const Level3Problem& p, const KernelParams& kernel,
                    BlockSizes sizes, MatricesInPlace in_place) {
  if (leaf_programs(device, p, sizes, in_place).empty()) return false;
  sizes.inverts_leaves = true;
  return device_bytes(p, kernel, sizes, device.free_limits(), in_place) &&
         prepare_leaf_inverses(device, p, sizes.leaf);
}

// Old values of page-locked memory pass through no block that could be saved. Where there is no
// memory for blocks, a job goes on without.
BlockSizes possible(BlockSizes sizes, const Level3Problem& problem, const Level3Operands& operands,
                    const KernelParams& kernel, TransferQueues& queues) {
  sizes.inverts_leaves = inverts_leaves(queues.device, problem, kernel, sizes, operands.in_place());
  if (sizes.saved_bytes == 0) return sizes;
  if (operands.locked_c ||
      !queues.operands.has_room_to_save(
          saved_blocks(device_program(problem, sizes, operands.in_place()), problem.precision)))
    sizes.saved_bytes = 0;
  return sizes;
}

}  // namespace

PipelinedLevel3::PipelinedLevel3(TransferQueues& queues, const Level3Problem& problem,
                                 const KernelParams& kernel, const BlockSizes& sizes,
                                 Level3Operands operands)
    : queues_(queues),
      p_(problem),
      kernel_(for_many_sizes(kernel)),
      sizes_(possible(sizes, problem, operands, kernel_, queues)),
      operands_(std::move(operands)),
      in_place_(operands_.in_place()),
      by_columns_(goes_by_columns(problem, in_place_)),
      program_(device_program(problem, sizes_, in_place_)),
      launches_(queues, kernel_, packed_once(problem, kernel, sizes, in_place_)) {
  const DeviceLimits limits = queues.device.free_limits();
  const auto needs = device_bytes(p_, kernel_, sizes_, limits, in_place_);
  if (!needs)
    throw DeviceError(std::to_string(limits.memory_bytes) +
                      " bytes of device memory do not hold this call; the CPU has to do it");
  DeviceScratch& scratch = queues.device.scratch;
  scratch.make_room(*needs, limits.memory_bytes);
  const cl::Context& context = queues.device.context;
  const auto buffer = [&](ScratchBuffer& scratch, std::size_t bytes) {
    return bytes > 0 ? scratch.at_least(context, bytes) : nullptr;
  };
  const auto own = [&](Level3Matrix matrix, std::shared_ptr<const cl::Buffer> in,
                       std::size_t offset) {
    const StoredShape shape = device_shape(p_, matrix, sizes_, in_place_);
    place(matrix, {std::move(in), offset, pitch_of(p_, shape)}, nullptr, shape.cols);
  };
  const auto a = buffer(scratch.a, needs->a);
  own(Level3Matrix::a, a, 0);
  own(Level3Matrix::inverses, a, bytes_on_device(p_, Level3Matrix::a, sizes_, in_place_));
  own(Level3Matrix::b, buffer(scratch.b, needs->b), 0);
  own(Level3Matrix::c, buffer(scratch.c, needs->c), 0);
  if (in_place_.a) place(Level3Matrix::a, operands_.inputs.a, p_.a, stored_a(p_).cols);
  if (in_place_.b) place(Level3Matrix::b, operands_.inputs.b, p_.b, stored_b(p_).cols);
  if (in_place_.c) place(Level3Matrix::c, operands_.result->operand(), p_.c, stored_c(p_).cols);
  // As large as for any product of the job: if a buffer grew later, the smaller one before it would
  // stay as well, since kernels are still reading it.
  buffer(scratch.packed_a, needs->packed_a);
  buffer(scratch.packed_b, needs->packed_b);
  buffer(scratch.partial, needs->partial);
  if (!writes_c_directly() || updates_triangle(p_.routine))
    queues.results.reserve(needs->c, CopyThreads::least_bytes_ahead_of_level3);
  for (const DeviceStep& step : program_)
    if (const auto* multiply = std::get_if<MultiplyStep>(&step)) {
      const GemmProblem& product = multiply->product;
      prepare_product(queues.device, kernel_, p_.precision, product.op_a, product.op_b,
                      rows_of(product, kernel_));
    }
}

void PipelinedLevel3::place(Level3Matrix matrix, const BoundOperand& operand, const void* host,
                            std::int64_t columns) {
  stored(matrix) = {operand.buffer, operand.offset_bytes,           operand.pitch_bytes,
                    columns,        static_cast<const char*>(host), {}};
}

// Memory of the job in whole pages, with the contents that the device needs: a buffer over it that
// is made now has them on any driver.
void PipelinedLevel3::use_own(const HostRect& memory, const DeviceRect& as, cl::Access access) {
  auto buffer = std::make_shared<cl::Buffer>(
      queues_.device.context.wrap(memory.data, in_whole_pages(memory.rows * memory.pitch), access));
  place(as.at.matrix, {std::move(buffer), 0, memory.pitch}, memory.data, as.columns);
  stored(as.at.matrix).first = as.at;
}

BoundOperand PipelinedLevel3::bound(const DevicePlace& place) {
  const Stored& in = stored(place.matrix);
  const std::size_t element = element_size(p_.precision);
  return {in.buffer,
          in.offset + static_cast<std::size_t>(place.row - in.first.row) * in.pitch +
              static_cast<std::size_t>(place.column - in.first.column) * element,
          in.pitch, in.host == nullptr ? SharingMode::staged : SharingMode::host_pointer};
}

const void* PipelinedLevel3::host_at(const DevicePlace& place) {
  const Stored& in = stored(place.matrix);
  return in.host == nullptr ? nullptr : in.host + (bound(place).offset_bytes - in.offset);
}

HostRect PipelinedLevel3::on_host(const DeviceRect& rect) const {
  const void* data = p_.c;
  std::int64_t ld = p_.ldc;
  if (rect.at.matrix == Level3Matrix::a) {
    data = p_.a;
    ld = p_.lda;
  } else if (rect.at.matrix == Level3Matrix::b && has_b(p_.routine)) {
    data = p_.b;
    ld = p_.ldb;
  }
  const std::int64_t elements = rect.at.row * ld + rect.at.column;
  const auto bytes = elements * static_cast<std::int64_t>(element_size(p_.precision));
  return rect_of(static_cast<const char*>(data) + bytes, rect.rows, rect.columns, ld, p_.precision);
}

HostRect PipelinedLevel3::rect_of_block(const DenseBlock& block, Interval lines) const {
  return rect_of(block.data(), lines.count, lines.count, lines.count, p_.precision);
}

// `b` on the device may be the old values of a C that is overwritten.
bool PipelinedLevel3::is_page_locked(Level3Matrix matrix) const {
  if (matrix == Level3Matrix::a) return static_cast<bool>(operands_.locked_a);
  const bool is_b = matrix == Level3Matrix::b && has_b(p_.routine);
  return static_cast<bool>(is_b ? operands_.locked_b : operands_.locked_c);
}

// Buffers over lines are made when their values are there.
void PipelinedLevel3::place_apart(const DeviceRect& rect, bool with_values) {
  const HostRect lines = on_host(rect), room = apart_.room_for(lines);
  if (with_values) apart_.copy_in(lines, room);
  use_own(room, rect, cl::Access::read_write);
}

void PipelinedLevel3::perform(const OverwriteRect& step) {
  if (by_columns_) {
    place_apart(step.rect, step.saves);
    for (const DeviceStep& other : program_)
      if (const auto* fetch = std::get_if<FetchRect>(&other))
        written_.overwrite(bound(fetch->rect.at), apart(fetch->rect),
                           step.saves ? OldValues::read : OldValues::useless);
    return;
  }
  const HostRect lines = on_host(step.rect);
  // The buffer of the last lines is of memory that may serve again.
  if (step.as_b != OverwriteRect::AsB::no) stored(Level3Matrix::b).buffer = nullptr;
  const auto old = written_.overwrite(bound(step.rect.at), lines,
                                      step.saves ? OldValues::saved : OldValues::useless);
  if (step.as_b == OverwriteRect::AsB::no) return;
  const bool is_written = step.as_b == OverwriteRect::AsB::copy;
  const auto b = is_written ? written_.copy_of_saved() : old;
  DeviceRect rect = step.rect;
  rect.at.matrix = Level3Matrix::b;
  use_own(without_gaps(b.get(), rect), rect,
          is_written ? cl::Access::read_write : cl::Access::read_only);
}

void PipelinedLevel3::perform(const MultiplyStep& step) {
  ProductOperands operands;
  operands.a = bound(step.a);
  operands.b = bound(step.b);
  operands.c = bound(step.c);
  operands.aligned_a = starts_rows_aligned(operands.a, host_at(step.a));
  operands.aligned_b = starts_rows_aligned(operands.b, host_at(step.b));
  if (launches_.packs_lines()) {
    operands.b = launches_.packed_lines(step, bound({step.b.matrix, 0, 0}));
    operands.packed_b = true;
  }
  launches_.add({step.product, operands, std::exchange(sent_, nullptr), step.has_last_b,
                 step.first_of_last_b},
                ends_chain_);
}

void PipelinedLevel3::expect(const DeviceRect& from, const HostRect& to, Result& result) {
  leaves_.require_solvable();
  if (in_place_.c || by_columns_)
    return written_.expect(launches_.last(), launches_.take_earlier(), &result.done);
  const BoundOperand place = bound(from.at);
  if (result.is_rect && writes_c_directly())
    return static_cast<void>(
        written_.send_for(place, to, launches_.last(), launches_.take_earlier(), &result.done));
  const bool leaves_gaps = from.columns != stored(from.at.matrix).columns;
  queues_.results.expect({place.buffer, place.offset_bytes, place.pitch_bytes, to, launches_.last(),
                          launches_.take_earlier(), &result.done, nullptr, leaves_gaps});
}

void PipelinedLevel3::perform(const FetchDiagonal& step) {
  const Interval lines = step.lines;
  Diagonal& staged_diagonal = diagonals_.emplace_back();
  staged_diagonal.lines = lines;
  staged_diagonal.block = in_place_.c ? &own_.back() : &new_block();
  staged_diagonal.block->resize(static_cast<std::size_t>(lines.count * lines.count) *
                                element_size(p_.precision));
  Result& result = results_.emplace_back();
  result.lines = lines;
  result.rows = static_cast<std::size_t>(lines.count);
  result.diagonal = &staged_diagonal;
  result.closes = step.is_last;
  result.is_rect = false;
  expect({{Level3Matrix::c, lines.first, lines.first}, lines.count, lines.count},
         rect_of_block(*staged_diagonal.block, lines), result);
}

void PipelinedLevel3::perform(const FetchRect& step) {
  Result& result = results_.emplace_back();
  result.lines = step.lines;
  result.rows = static_cast<std::size_t>(step.rect.rows);
  result.closes = step.lines.count > 0;
  if (updates_triangle(p_.routine)) result.diagonal = &diagonals_.back();
  if (by_columns_) {
    result.apart = apart(step.rect);
    result.to = on_host(step.rect);
  }
  expect(step.rect, on_host(step.rect), result);
}

// Results arrive one after another, so that a diagonal block is there when what is beside it is.
void PipelinedLevel3::settle() {
  for (; settled_ < results_.size(); ++settled_) {
    const Result& result = results_[settled_];
    if (result.done < result.rows) return;
    if (by_columns_) apart_.copy_out(result.apart, result.to);
    if (!result.closes || result.diagonal == nullptr) continue;
    if (stored_ != nullptr && stored_ != result.diagonal && !in_place_.c)
      queues_.spare_blocks.give_back(*stored_->block);
    stored_ = result.diagonal;
    times_.blocks += seconds_of([&] {
      store_triangle_of_c(p_, result.diagonal->lines, result.lines, *result.diagonal->block,
                          &queues_.copiers);
    });
  }
}

Level3Times PipelinedLevel3::times() noexcept {
  times_.operand_copies = queues_.operands.copy_seconds() - times_.operand_copies;
  times_.result_copies = queues_.results.copy_seconds() - times_.result_copies;
  times_.operand_copies += apart_.seconds_in();
  times_.result_copies += apart_.seconds_out();
  launches_.add_times(times_);
  times_.whole = watch_.seconds();
  return times_;
}

void PipelinedLevel3::carry_out() {
  prefault_pages();
  expect_uploads();
  if (by_columns_) apart_.begin(bytes_apart(program_, p_.precision));
  times_.operand_copies = queues_.operands.copy_seconds();
  times_.result_copies = queues_.results.copy_seconds();
  // Products of a solve's block are short, so a flush behind each of them would count.
  const bool has_chains = p_.routine == Routine::trsm && !in_place_.a && !in_place_.c;
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const DeviceStep& step = program_[i];
    ends_chain_ = !has_chains || i + 1 == program_.size() ||
                  !std::holds_alternative<MultiplyStep>(program_[i + 1]);
    std::visit([this](const auto& what) { perform(what); }, step);
    while (is_any_result_there()) continue;
    settle();
  }
  times_.sent = watch_.seconds();
  queues_.operands.finish();
  queues_.results.finish();
  while (written_.wait()) settle();
  settle();
  require_all(queues_.device.queue, launches_.take_earlier());
  queues_.operands.drop_saved();
}

Level3Progress PipelinedLevel3::progress_after_failure() noexcept {
  settle();
  Level3Progress progress;
  for (std::size_t i = 0; i < settled_; ++i)
    if (results_[i].closes) progress.lines += results_[i].lines.count;
  if (settled_ == results_.size()) return progress;
  const Result& next = results_[settled_];
  const auto done = static_cast<std::int64_t>(next.done);
  if (!next.closes || !next.is_rect || done == 0) return progress;
  if (!lines_are_rows()) {
    progress.rows_of_next = done;
    progress.next = next.lines.count;
  } else if (!from_the_end(p_)) {
    progress.lines += done;
    if (next.diagonal != nullptr)
      store_triangle_of_c(p_, next.diagonal->lines, {next.lines.first, done},
                          *next.diagonal->block);
  }
  return progress;
}

Level3Outcome PipelinedLevel3::run() noexcept {
  const std::lock_guard guard(queues_.device.mutex);
  Level3Outcome outcome;
  try {
    carry_out();
    outcome.progress.lines = order(p_);
  } catch (...) {
    outcome.failure = std::current_exception();
    queues_.drain();
    queues_.operands.restore_saved();
    written_.undo();
    outcome.may_write_c = in_place_.c || writes_c_directly();
    outcome.progress = progress_after_failure();
  }
  pages_.reset();
  launches_.release();
  for (Stored& matrix : matrices_) matrix.buffer = nullptr;
  for (DenseBlock& block : own_) queues_.spare_blocks.give_back(block);
  if (!outcome.failure) outcome.times = times();
  return outcome;
}

}  // namespace duoblas
