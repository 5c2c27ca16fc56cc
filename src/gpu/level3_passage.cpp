#include "gpu/level3_passage.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

std::size_t pitch_of(const Level3Problem& p, StoredShape shape) {
  return device_pitch(static_cast<std::size_t>(shape.cols) * element_size(p.precision));
}

std::size_t bytes_of(const Level3Problem& p, DeviceMatrix matrix, const BlockSizes& sizes) {
  const StoredShape shape = device_shape(p, matrix, sizes);
  return static_cast<std::size_t>(shape.rows) * pitch_of(p, shape);
}

}  // namespace

std::optional<DeviceBytes> device_bytes(const Level3Problem& p, const KernelParams& kernel,
                                        const BlockSizes& sizes, const DeviceLimits& limits) {
  constexpr std::int64_t most_extent = std::int64_t{1} << 30;
  if (std::max(order(p), free_extent(p)) > most_extent) return {};
  for (const DeviceMatrix matrix : {DeviceMatrix::a, DeviceMatrix::b, DeviceMatrix::c})
    if (pitch_of(p, device_shape(p, matrix, sizes)) > most_result_row_bytes) return {};
  DeviceBytes bytes;
  bytes.a = bytes_of(p, DeviceMatrix::a, sizes) + bytes_of(p, DeviceMatrix::inverses, sizes);
  bytes.b = bytes_of(p, DeviceMatrix::b, sizes);
  bytes.c = bytes_of(p, DeviceMatrix::c, sizes);
  for (const DeviceStep& step : device_program(p, sizes)) {
    const auto* multiply = std::get_if<MultiplyStep>(&step);
    if (multiply == nullptr) continue;
    const DeviceBytes taken = bytes_at_once(multiply->product, kernel, {false, false, false});
    bytes.packed_a = std::max(bytes.packed_a, taken.packed_a);
    bytes.packed_b = std::max(bytes.packed_b, taken.packed_b);
    bytes.partial = std::max(bytes.partial, taken.partial);
  }
  constexpr std::size_t pixel = 16;
  if (kernel.image_a && bytes.packed_a / pixel > limits.max_image_pixels) return {};
  if (kernel.image_b && bytes.packed_b / pixel > limits.max_image_pixels) return {};
  const std::size_t largest =
      std::max({bytes.a, bytes.b, bytes.c, bytes.packed_a, bytes.packed_b, bytes.partial});
  if (limits.max_allocation_bytes > 0 && largest > limits.max_allocation_bytes) return {};
  if (limits.memory_bytes > 0 && bytes.total() > limits.memory_bytes) return {};
  return bytes;
}

Level3Passage::Level3Passage(TransferLanes& lanes, const Level3Problem& problem,
                             const KernelParams& kernel, const BlockSizes& sizes)
    : lanes_(lanes),
      p_(problem),
      kernel_(kernel),
      sizes_(sizes),
      program_(device_program(problem, sizes)) {
  kernel_.inline_sizes = false;  // blocks of many sizes: none is worth a kernel of its own
  const DeviceLimits limits = lanes.device.free_limits();
  const auto needs = device_bytes(p_, kernel_, sizes_, limits);
  if (!needs)
    throw DeviceError(std::to_string(limits.memory_bytes) +
                      " bytes of device memory do not hold this call; the CPU has to do it");
  DeviceScratch& kept = lanes.device.scratch;
  kept.make_room(*needs, limits.memory_bytes);
  const cl::Context& context = lanes.device.context;
  const auto buffer = [&](ScratchBuffer& scratch, std::size_t bytes) {
    return bytes > 0 ? scratch.at_least(context, bytes) : nullptr;
  };
  const auto place = [&](DeviceMatrix matrix, std::shared_ptr<const cl::Buffer> in,
                         std::size_t offset) {
    const StoredShape shape = device_shape(p_, matrix, sizes_);
    stored(matrix) = {std::move(in), offset, pitch_of(p_, shape), shape.cols};
  };
  const auto a = buffer(kept.a, needs->a);
  place(DeviceMatrix::a, a, 0);
  place(DeviceMatrix::inverses, a, bytes_of(p_, DeviceMatrix::a, sizes_));
  place(DeviceMatrix::b, buffer(kept.b, needs->b), 0);
  place(DeviceMatrix::c, buffer(kept.c, needs->c), 0);
  // The largest that any product takes: one that grew meanwhile would be there beside those before
  // it, which kernels are still reading.
  buffer(kept.packed_a, needs->packed_a);
  buffer(kept.packed_b, needs->packed_b);
  buffer(kept.partial, needs->partial);
  lanes.results.reserve(needs->c);
  for (const DeviceStep& step : program_)
    if (const auto* multiply = std::get_if<MultiplyStep>(&step)) {
      const GemmProblem& product = multiply->product;
      prepare_product(lanes.device, kernel_, p_.precision, product.op_a, product.op_b,
                      rows_of(product, kernel_));
    }
}

BoundOperand Level3Passage::bound(const DevicePlace& place) {
  const Stored& in = stored(place.matrix);
  const std::size_t element = element_size(p_.precision);
  return {in.buffer,
          in.offset + static_cast<std::size_t>(place.row) * in.pitch +
              static_cast<std::size_t>(place.column) * element,
          in.pitch, SharingMode::staged};
}

HostRect Level3Passage::on_host(const DeviceRect& rect) const {
  const void* data = p_.c;
  std::int64_t ld = p_.ldc;
  if (rect.at.matrix == DeviceMatrix::a) {
    data = p_.a;
    ld = p_.lda;
  } else if (rect.at.matrix == DeviceMatrix::b && has_b(p_.routine)) {
    data = p_.b;
    ld = p_.ldb;
  }
  const std::int64_t elements = rect.at.row * ld + rect.at.column;
  const auto bytes = elements * static_cast<std::int64_t>(element_size(p_.precision));
  return rect_of(static_cast<const char*>(data) + bytes, rect.rows, rect.columns, ld, p_.precision);
}

void Level3Passage::perform(const SendRect& step) {
  const BoundOperand to = bound(step.rect.at);
  const bool whole_rows = step.rect.columns == stored(step.rect.at.matrix).columns;
  sent_ = lanes_.operands.upload(on_host(step.rect), *to.buffer, to.offset_bytes, to.pitch_bytes,
                                 whole_rows ? Gaps::free : Gaps::kept);
}

void Level3Passage::send_block(const DenseBlock& block, const DeviceRect& rect) {
  const BoundOperand to = bound(rect.at);
  const HostRect from = rect_of(block.data(), rect.rows, rect.columns, rect.columns, p_.precision);
  sent_ = lanes_.operands.upload(from, *to.buffer, to.offset_bytes, to.pitch_bytes, Gaps::kept);
}

void Level3Passage::perform(const SendDiagonal& step) {
  if (step.matrix == DeviceMatrix::a)
    complete_a(p_, step.lines, made_);
  else
    copy_triangle_of_c(p_, step.lines, made_);
  const Interval lines = step.lines;
  send_block(made_, {{step.matrix, lines.first, lines.first}, lines.count, lines.count});
}

void Level3Passage::perform(const SendInverses& step) {
  invert_leaves(p_, step.lines, sizes_.leaf, made_);
  send_block(made_, {{DeviceMatrix::inverses, step.lines.first, 0}, step.lines.count, sizes_.leaf});
}

void Level3Passage::perform(const MultiplyStep& step) {
  OpenedDevice& device = lanes_.device;
  ProductOperands operands;
  operands.a = bound(step.a);
  operands.b = bound(step.b);
  operands.c = bound(step.c);
  operands.aligned_a = starts_rows_aligned(operands.a, nullptr);
  operands.aligned_b = starts_rows_aligned(operands.b, nullptr);
  lanes_.uploads.flush();
  if (sent_) device.queue.start_after(*std::exchange(sent_, nullptr));
  if (multiplied_) kernels_.push_back(std::move(multiplied_));
  multiplied_ = std::make_shared<cl::Event>(
      submit_product(device, step.product, kernel_, operands, scratch_));
  std::ranges::move(scratch_.earlier, std::back_inserter(kernels_));
  scratch_.earlier.clear();
}

void Level3Passage::expect(const DeviceRect& from, const HostRect& to, Result& result) {
  const BoundOperand place = bound(from.at);
  DownloadRing::Result expected;
  expected.from = place.buffer;
  expected.offset = place.offset_bytes;
  expected.pitch = place.pitch_bytes;
  expected.to = to;
  expected.after = multiplied_;
  expected.earlier = std::exchange(kernels_, {});
  expected.rows_done = &result.done;
  expected.leaves_gaps = from.columns != stored(from.at.matrix).columns;
  lanes_.results.expect(std::move(expected));
}

void Level3Passage::perform(const FetchDiagonal& step) {
  const Interval lines = step.lines;
  Diagonal& landing = diagonals_.emplace_back();
  landing.lines = lines;
  const auto elements = static_cast<std::size_t>(lines.count * lines.count);
  landing.block.resize(elements * element_size(p_.precision));
  Result& result = results_.emplace_back();
  result.lines = lines;
  result.rows = static_cast<std::size_t>(lines.count);
  result.diagonal = &landing;
  result.closes = step.is_last;
  result.is_rect = false;
  expect({{DeviceMatrix::c, lines.first, lines.first}, lines.count, lines.count},
         rect_of(landing.block.data(), lines.count, lines.count, lines.count, p_.precision),
         result);
}

void Level3Passage::perform(const FetchRect& step) {
  Result& result = results_.emplace_back();
  result.lines = step.lines;
  result.rows = static_cast<std::size_t>(step.rect.rows);
  if (updates_triangle(p_.routine)) result.diagonal = &diagonals_.back();
  expect(step.rect, on_host(step.rect), result);
}

// Results arrive one after another, so that a diagonal block is there when what is beside it is.
void Level3Passage::settle() {
  for (; settled_ < results_.size(); ++settled_) {
    const Result& result = results_[settled_];
    if (result.done < result.rows) return;
    if (!result.closes || result.diagonal == nullptr) continue;
    store_triangle_of_c(p_, result.diagonal->lines, result.lines, result.diagonal->block);
  }
}

void Level3Passage::carry_out() {
  for (const DeviceStep& step : program_) {
    std::visit([this](const auto& what) { perform(what); }, step);
    while (lanes_.results.advance()) continue;
    settle();
  }
  lanes_.operands.finish();
  lanes_.results.finish();
  settle();
  require_all(lanes_.device.queue, kernels_);
}

Level3Progress Level3Passage::progress_after_failure() noexcept {
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
      store_triangle_of_c(p_, next.diagonal->lines, {next.lines.first, done}, next.diagonal->block);
  }
  return progress;
}

Level3Outcome Level3Passage::run() noexcept {
  const std::lock_guard guard(lanes_.device.mutex);
  Level3Outcome outcome;
  try {
    carry_out();
    outcome.progress.lines = order(p_);
  } catch (...) {
    outcome.failure = std::current_exception();
    lanes_.drain();
    outcome.progress = progress_after_failure();
  }
  scratch_.release();
  outcome.seconds = watch_.seconds();
  return outcome;
}

}  // namespace duoblas
