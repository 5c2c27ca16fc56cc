#include "gpu/lapack/matrix_on_device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/computable.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/lapack/lapack_memory.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

MatrixOnDevice::MatrixOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                               const KernelParams& kernel, std::int64_t width)
    : device_(device),
      guard_(device->mutex),
      queues_(device->pipeline().queues()),
      p_(p),
      kernel_(kernel),
      pitch_(row_pitch(rows_of_matrix(p), p.precision)),
      panel_pitch_(row_pitch(scratch_columns(p, width), p.precision)),
      after_scratch_(scratch_bytes(p, width)),
      width_(width) {
  require_computable(*device, p.precision, rows_of_matrix(p), p.n);
  device->refuse_if_hung();
  kernel_.inline_sizes = false;  // updates of many sizes: none is worth a kernel of its own
  const DeviceLimits limits = device->free_limits();
  const auto needs = device_bytes(p, kernel_, width, limits);
  if (!needs)
    throw DeviceError(std::to_string(limits.memory_bytes) +
                      " bytes of device memory do not hold this matrix; the CPU has to do it");
  GemmProblem like;  // no more work than this
  like.precision = p.precision;
  like.m = like.k = p.n;
  like.n = rows_of_matrix(p);
  device->expect(like, kernel_);
  DeviceScratch& kept = device->scratch;
  DeviceBytes of_scratch = *needs;
  of_scratch.c = 0;
  kept.make_room(of_scratch, limits.memory_bytes > 0 ? limits.memory_bytes - needs->c : 0);
  matrix_ = kept.a.at_least(device->context, needs->a);
  panel_ = kept.b.at_least(device->context, needs->b);
  make_for_products(*needs);
  queues_.operands.reserve();
  if (p.routine != LapackRoutine::potrf)
    queues_.results.reserve(needs->a);  // else nothing is fetched
}

// As large as for any product of the call: if a buffer grew later, the smaller one before it would
// stay as well, since kernels are still reading it.
void MatrixOnDevice::make_for_products(const DeviceBytes& needs) {
  const auto make = [&](ScratchBuffer& buffer, std::size_t bytes) {
    if (bytes > 0) buffer.at_least(device_->context, bytes);
  };
  make(device_->scratch.packed_a, needs.packed_a);
  make(device_->scratch.packed_b, needs.packed_b);
  make(device_->scratch.partial, needs.partial);
}

// What is kept for other jobs is released if that helps.
bool MatrixOnDevice::make_more_room(const DeviceBytes& needs, std::size_t others) {
  scratch_.release();
  DeviceScratch& kept = device_->scratch;
  const auto sum = [&] {
    return others + kept.flag.bytes() + kept.a.bytes() + kept.b.bytes() + kept.c.bytes() +
           kept.boards.bytes() + std::max(kept.packed_a.bytes(), needs.packed_a) +
           std::max(kept.packed_b.bytes(), needs.packed_b) +
           std::max(kept.partial.bytes(), needs.partial);
  };
  const std::size_t limit = device_->free_limits().memory_bytes;
  if (limit > 0 && sum() > limit) kept.c.release();
  if (limit > 0 && sum() > limit) return false;
  for (ScratchBuffer* grown : {&kept.packed_a, &kept.packed_b, &kept.partial}) grown->grow_by(0);
  make_for_products(needs);
  return true;
}

MatrixOnDevice::~MatrixOnDevice() {
  drain();
  queues_.panel_memory.give_back(std::move(panel_memory_));
}

BoundOperand MatrixOnDevice::at(std::int64_t row, std::int64_t column) const {
  return shifted({matrix_, 0, pitch_, SharingMode::staged}, row, column,
                 element_size(p_.precision));
}

BoundOperand MatrixOnDevice::panel_scratch(std::int64_t row, std::int64_t column) const {
  return shifted(scratch(0, panel_pitch_), row, column, element_size(p_.precision));
}

BoundOperand MatrixOnDevice::numbers_of_panel(std::int64_t number) const {
  const std::size_t bytes = PanelNumbers(p_.precision, width_).bytes;
  return {panel_, after_scratch_ + static_cast<std::size_t>(number) * bytes, bytes,
          SharingMode::staged};
}

BoundOperand MatrixOnDevice::reflector(std::int64_t number, std::int64_t row) const {
  return shifted(scratch(after_scratch_, pitch_), number, row, element_size(p_.precision));
}

HostRect MatrixOnDevice::on_host(const DeviceArea& area) const {
  return rect_of(element_of(p_.a, p_.lda, area.column, area.row, p_.precision), area.rows,
                 area.columns, p_.lda, p_.precision);
}

void MatrixOnDevice::send(const DeviceArea& area) {
  if (area.empty()) return;
  const BoundOperand to = at(area.row, area.column);
  const bool whole_rows = area.columns == rows_of_matrix(p_);
  sent_ = queues_.operands.upload(on_host(area), *to.buffer, to.offset_bytes, to.pitch_bytes,
                                  whole_rows ? Gaps::free : Gaps::untouched);
}

void MatrixOnDevice::send(const HostRect& from, const BoundOperand& to) {
  sent_ =
      queues_.operands.upload(from, *to.buffer, to.offset_bytes, to.pitch_bytes, Gaps::untouched);
}

void MatrixOnDevice::fill_with_zeros() {
  note(device_->queue.fill_with_zeros(*matrix_, static_cast<std::size_t>(p_.n) * pitch_));
  device_->queue.flush();
  queues_.uploads.start_after(*last_);
}

std::shared_ptr<const cl::Buffer> MatrixOnDevice::send_bytes(const void* data, std::size_t bytes) {
  auto buffer = std::make_shared<cl::Buffer>(
      device_->context.allocate(std::max<std::size_t>(bytes, 16), cl::Access::read_only));
  const HostRect from{const_cast<void*>(data), 1, bytes, bytes, 1};
  if (bytes > 0) sent_ = queues_.operands.upload(from, *buffer, 0, bytes);
  numbers_.push_back(buffer);
  return buffer;
}

void MatrixOnDevice::start_after_sent() {
  if (!sent_) return;
  queues_.uploads.flush();
  device_->queue.start_after(*std::exchange(sent_, nullptr));
}

void MatrixOnDevice::note(cl::Event&& event) {
  if (last_) kernels_.push_back(std::move(last_));
  last_ = std::make_shared<cl::Event>(std::move(event));
}

void MatrixOnDevice::copy(const BoundOperand& from, const BoundOperand& to, std::int64_t rows,
                          std::int64_t columns) {
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * element_size(p_.precision);
  note(device_->queue.copy(*from.buffer, *to.buffer,
                           {static_cast<std::size_t>(rows), row_bytes, from.offset_bytes,
                            from.pitch_bytes, to.offset_bytes, to.pitch_bytes}));
}

void MatrixOnDevice::multiply(const GemmProblem& product, const BoundOperand& a,
                              const BoundOperand& b, const BoundOperand& c) {
  if (product.empty() || product.k == 0) return;
  ProductOperands operands{a, b, c};
  operands.aligned_a = starts_rows_aligned(a, nullptr);
  operands.aligned_b = starts_rows_aligned(b, nullptr);
  start_after_sent();
  scratch_.flushes = flushes_;
  note(submit_product(*device_, product, kernel_, operands, scratch_));
  std::ranges::move(scratch_.earlier, std::back_inserter(kernels_));
  scratch_.earlier.clear();
}

// Includes the copies of panels: if one fails, what kernels computed from it may arrive all the
// same.
EarlierKernels MatrixOnDevice::take_unasked() {
  EarlierKernels all = std::exchange(kernels_, {});
  std::ranges::move(sent_panels_, std::back_inserter(all));
  sent_panels_.clear();
  return all;
}

void MatrixOnDevice::fetch(const DeviceArea& area, const HostRect& to, std::size_t& rows_done) {
  rows_done = 0;
  if (!area.empty())
    fetch(at(area.row, area.column), to, rows_done, area.columns != rows_of_matrix(p_));
}

void MatrixOnDevice::fetch(const BoundOperand& from, const HostRect& to, std::size_t& rows_done,
                           bool leaves_gaps) {
  rows_done = 0;
  if (!flushes_) flush();
  queues_.results.expect({from.buffer, from.offset_bytes, from.pitch_bytes, to, last_,
                          take_unasked(), &rows_done, nullptr, leaves_gaps});
}

void MatrixOnDevice::wait_for_results() {
  queues_.results.finish();
}

std::byte* MatrixOnDevice::panel_memory(std::size_t bytes) {
  panel_memory_ = queues_.panel_memory.take(device_->context, queues_.panels, bytes);
  return static_cast<std::byte*>(panel_memory_->data());
}

std::shared_ptr<const cl::Event> MatrixOnDevice::send_panel(const HostRect& from,
                                                            const BoundOperand& to) {
  auto sent = std::make_shared<cl::Event>(queues_.panels.write_later(
      *to.buffer, from.data,
      {from.rows, from.row_bytes, from.pitch, to.pitch_bytes, to.offset_bytes}));
  queues_.panels.flush();
  sent_panels_.push_back(sent);
  return sent;
}

MatrixOnDevice::Download MatrixOnDevice::start_download(const BoundOperand& from,
                                                        const HostRect& to) {
  if (!flushes_) flush();
  Download download{nullptr, last_, take_unasked()};
  if (last_) queues_.downloads.start_after(*last_);
  download.arrived = std::make_shared<cl::Event>(queues_.downloads.read_later(
      *from.buffer, to.data,
      {to.rows, to.row_bytes, to.pitch, from.pitch_bytes, from.offset_bytes}));
  queues_.downloads.flush();
  return download;
}

void MatrixOnDevice::wait_for(const Download& download) {
  queues_.downloads.wait(*download.arrived);
  if (download.after) queues_.downloads.wait(*download.after);
  queues_.operands.check_ended();
}

void MatrixOnDevice::finish() {
  if (!flushes_) flush();
  queues_.operands.finish();
  queues_.results.finish();
  if (last_) device_->queue.wait(*last_);
  require_all(device_->queue, take_unasked());
  last_ = nullptr;
}

void MatrixOnDevice::drain() noexcept {
  queues_.drain();
  scratch_.release();
  kernels_.clear();
  sent_panels_.clear();
  last_ = sent_ = nullptr;
  numbers_.clear();
}

}  // namespace duoblas
