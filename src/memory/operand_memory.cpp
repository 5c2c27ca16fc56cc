#include "memory/operand_memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

struct Span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t bytes() const { return end - begin; }
  bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
  bool is_exact(std::size_t granularity) const {
    return begin % granularity == 0 && end % granularity == 0;
  }
};

Span exact_span(const HostRect& rect) {
  const auto begin = reinterpret_cast<std::uintptr_t>(rect.data);
  return {begin, begin + rect.span()};
}

Span rounded(const Span& span, std::size_t granularity) {
  return {span.begin / granularity * granularity,
          (span.end + granularity - 1) / granularity * granularity};
}

Span hull(const Span& x, const Span& y) {
  return {std::min(x.begin, y.begin), std::max(x.end, y.end)};
}

// Whether a window of these bytes overlaps memory that the host writes.
bool meets(const Span& window, std::span<const HostRect> written, std::size_t granularity) {
  return std::ranges::any_of(written, [&](const HostRect& rect) {
    return rect.span() > 0 && window.overlaps(rounded(exact_span(rect), granularity));
  });
}

bool has_gaps(const HostRect& rect) {
  return rect.rows > 1 && rect.pitch != rect.row_bytes;
}

bool is_aligned(const HostRect& rect) {
  return reinterpret_cast<std::uintptr_t>(rect.data) % rect.element_bytes == 0 &&
         rect.pitch % rect.element_bytes == 0;
}

// An operand without a buffer if the window does not contain it, or if it does not begin at an
// element of the window.
BoundOperand in_window(const std::shared_ptr<const HostWindow>& window, const HostRect& rect) {
  const Span span = exact_span(rect);
  if (!window || span.bytes() == 0 || !window->holds(span.begin, span.end)) return {};
  const std::size_t offset = span.begin - window->begin;
  if (!is_aligned(rect) || offset % rect.element_bytes != 0) return {};
  return {std::shared_ptr<const cl::Buffer>(window, &window->buffer), offset, rect.pitch,
          SharingMode::host_pointer};
}

cl::RectCopy to_dense(const HostRect& rect) {
  return {rect.rows, rect.row_bytes, rect.pitch, rect.row_bytes, 0};
}

}  // namespace

OperandMemory::OperandMemory(const cl::Context& context, cl::Queue& queue)
    : OperandMemory(context, queue, probe_sharing(context, queue)) {}

OperandMemory::OperandMemory(const cl::Context& context, cl::Queue& queue,
                             const SharingFacts& facts)
    : context_(context), queue_(queue), facts_(facts) {}

bool OperandMemory::is_too_large(std::size_t bytes) const {
  const std::size_t limit = context_.device().info.max_allocation_bytes;
  return limit > 0 && bytes > limit;
}

void OperandMemory::check_size(std::size_t bytes) const {
  if (!is_too_large(bytes)) return;
  const cl::DeviceInfo& info = context_.device().info;
  throw DeviceError("an operand of " + std::to_string(bytes) + " bytes is larger than " +
                    info.name + " can allocate at once (" +
                    std::to_string(info.max_allocation_bytes) + " bytes); the CPU has to do it");
}

std::optional<BoundResult> OperandMemory::result_in_place(const HostRect& c,
                                                          std::span<const HostRect> inputs,
                                                          std::span<const HostRect> written) {
  const std::size_t granularity = facts_.granularity();
  Span span = exact_span(c);
  if (granularity == 0 || span.bytes() == 0 || !is_aligned(c) || !span.is_exact(granularity) ||
      is_too_large(span.bytes()) || (has_gaps(c) && !facts_.coherent))
    return {};
  if (has_gaps(c)) {
    for (const HostRect& input : inputs) {
      const Span both = hull(span, exact_span(input));
      const bool apart = input.span() == 0 || !span.overlaps(exact_span(input));
      if (!apart && both.is_exact(granularity) && !meets(both, written, granularity) &&
          !is_too_large(both.bytes()))
        span = both;
    }
  }
  auto window = windows_.acquire(context_, span.begin, span.end, false);
  BoundResult result(*this, c);
  result.operand_ = in_window(window, c);
  if (!result.operand_.buffer) return {};
  result.window_ = std::move(window);
  return result;
}

BoundResult OperandMemory::staged_result(const HostRect& c) {
  const std::size_t dense_bytes = c.rows * c.row_bytes;
  check_size(dense_bytes);
  BoundResult result(*this, c);
  result.operand_ = {
      std::make_shared<cl::Buffer>(context_.allocate(dense_bytes, cl::Access::read_write)), 0,
      c.row_bytes, SharingMode::staged};
  if (dense_bytes > 0) result.pinned_ = pinned_pool_.take(context_, queue_, dense_bytes);
  return result;
}

std::shared_ptr<const HostWindow> OperandMemory::window_of(const HostRect& rect,
                                                           std::span<const HostRect> written) {
  const Span span = rounded(exact_span(rect), facts_.granularity());
  if (rect.span() == 0 || !is_aligned(rect) || meets(span, written, facts_.granularity()) ||
      is_too_large(span.bytes()))
    return nullptr;
  return windows_.acquire(context_, span.begin, span.end, true);
}

BoundInputs OperandMemory::inputs_in_place(const HostRect& a, const HostRect& b,
                                           const BoundResult* c,
                                           std::span<const HostRect> written) {
  BoundInputs inputs;
  const std::size_t granularity = facts_.granularity();
  if (granularity == 0) return inputs;
  if (c != nullptr) {
    inputs.a = in_window(c->window_, a);
    inputs.b = in_window(c->window_, b);
  }
  const Span span_a = rounded(exact_span(a), granularity);
  const Span span_b = rounded(exact_span(b), granularity);
  const Span both = hull(span_a, span_b);
  if (!inputs.a.buffer && !inputs.b.buffer && a.span() > 0 && b.span() > 0 &&
      span_a.overlaps(span_b) && !meets(both, written, granularity) &&
      !is_too_large(both.bytes())) {
    const auto window = windows_.acquire(context_, both.begin, both.end, true);
    inputs.a = in_window(window, a);
    inputs.b = in_window(window, b);
  }
  if (!inputs.a.buffer) inputs.a = in_window(window_of(a, written), a);
  if (!inputs.b.buffer) inputs.b = in_window(window_of(b, written), b);
  return inputs;
}

BoundOperand OperandMemory::staged_input(const HostRect& rect, std::size_t pitch) {
  const std::size_t bytes = rect.rows * pitch;
  check_size(bytes);
  BoundOperand operand{
      std::make_shared<cl::Buffer>(context_.allocate(bytes, cl::Access::read_only)), 0, pitch,
      SharingMode::staged};
  queue_.write(*operand.buffer, rect.data, {rect.rows, rect.row_bytes, rect.pitch, pitch, 0}, true);
  staged_ += rect.rows * rect.row_bytes;
  return operand;
}

BoundResult::~BoundResult() {
  if (pinned_) memory_->pinned_pool_.give_back(std::move(pinned_));
}

void BoundResult::begin(bool keep_old) {
  begin_by_rows(keep_old);
  keep_next(rect_.rows);
}

void BoundResult::begin_by_rows(bool keep_old) {
  const std::size_t dense_bytes = rect_.rows * rect_.row_bytes;
  if (!window_) {
    if (!keep_old || dense_bytes == 0) return;
    memory_->queue_.write(*operand_.buffer, rect_.data, to_dense(rect_), true);
    memory_->staged_ += dense_bytes;
    return;
  }
  if (keep_old) {
    saved_.reset(allocate_host(dense_bytes));
    if (!saved_)
      throw DeviceError("no memory to keep the old values of C (" + std::to_string(dense_bytes) +
                        " bytes); the CPU has to do it");
  }
  rows_.emplace(operand_, rect_, !keep_old, memory_->facts_.coherent);
}

void BoundResult::keep_next(std::size_t rows) {
  if (!saved_) return;
  rows = std::min(rows, rect_.rows - saved_rows_);
  copy_rows(static_cast<char*>(saved_.get()) + saved_rows_ * rect_.row_bytes, rect_.row_bytes,
            static_cast<const char*>(rect_.data) + saved_rows_ * rect_.pitch, rect_.pitch, rows,
            rect_.row_bytes);
  saved_rows_ += rows;
  memory_->saved_bytes_ += rows * rect_.row_bytes;
}

void BoundResult::expect() {
  if (rows_) rows_->expect(memory_->queue_);
}

void BoundResult::publish() {
  if (rows_) memory_->staged_ += rows_->arrive(memory_->queue_);
  if (!pinned_) return;
  const std::size_t bytes = rect_.rows * rect_.row_bytes;
  memory_->queue_.read(*operand_.buffer, pinned_->data(), {1, bytes, bytes, bytes, 0});
  copy_rows(rect_.data, rect_.pitch, pinned_->data(), rect_.row_bytes, rect_.rows, rect_.row_bytes);
  memory_->staged_ += bytes;
}

void BoundResult::restore() noexcept {
  if (!saved_) return;
  copy_rows(rect_.data, rect_.pitch, saved_.get(), rect_.row_bytes, saved_rows_, rect_.row_bytes);
}

}  // namespace duoblas
