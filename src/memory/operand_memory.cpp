#include "memory/operand_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

struct Span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
};

Span span_of(const HostRect& rect, std::size_t granularity) {
  const auto begin = reinterpret_cast<std::uintptr_t>(rect.data);
  const auto end = begin + rect.span();
  return {begin / granularity * granularity, (end + granularity - 1) / granularity * granularity};
}

bool is_exact(const HostRect& rect, std::size_t granularity) {
  const auto begin = reinterpret_cast<std::uintptr_t>(rect.data);
  return begin % granularity == 0 && (begin + rect.span()) % granularity == 0;
}

bool is_aligned(const HostRect& rect) {
  return reinterpret_cast<std::uintptr_t>(rect.data) % rect.element_bytes == 0 &&
         rect.pitch % rect.element_bytes == 0;
}

std::shared_ptr<const cl::Buffer> buffer_of(std::shared_ptr<const HostWindow> window) {
  const cl::Buffer* buffer = &window->buffer;
  return {std::move(window), buffer};
}

// Between the caller's rows and rows that lie densely.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t rows, std::size_t row_bytes) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(target + row * to_pitch, source + row * from_pitch, row_bytes);
  }
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

void OperandMemory::check_size(std::size_t bytes) const {
  const std::size_t limit = context_.device().info.max_allocation_bytes;
  if (limit > 0 && bytes > limit) {
    throw DeviceError("an operand of " + std::to_string(bytes) + " bytes is larger than " +
                      context_.device().info.name + " can allocate at once (" +
                      std::to_string(limit) + " bytes); the CPU has to do it");
  }
}

BoundResult OperandMemory::bind_result(const HostRect& c, SharingMode mode, bool keep_old) {
  check_size(c.span());
  BoundResult result(*this, c);
  const std::size_t granularity = facts_.granularity();
  const std::size_t dense_bytes = c.rows * c.row_bytes;
  if (mode == SharingMode::host_pointer && granularity > 0 && c.span() > 0 && is_aligned(c) &&
      is_exact(c, granularity)) {
    const Span span = span_of(c, granularity);
    if (auto window = windows_.acquire(context_, span.begin, span.end, false)) {
      result.operand_ = {buffer_of(std::move(window)), 0, c.pitch, SharingMode::host_pointer};
      if (keep_old) {
        result.saved_.reset(allocate_host(dense_bytes));
        if (!result.saved_) {
          throw DeviceError("no memory to keep the old values of C (" +
                            std::to_string(dense_bytes) + " bytes); the CPU has to do it");
        }
        copy_rows(result.saved_.get(), c.row_bytes, c.data, c.pitch, c.rows, c.row_bytes);
        saved_bytes_ += dense_bytes;
      }
      return result;
    }
  }
  result.operand_ = {
      std::make_shared<cl::Buffer>(context_.allocate(dense_bytes, cl::Access::read_write)), 0,
      c.row_bytes, SharingMode::staged};
  if (dense_bytes == 0) return result;
  result.landing_ = landings_.take(context_, queue_, dense_bytes);
  if (keep_old) {
    queue_.write(*result.operand_.buffer, c.data, to_dense(c), true);
    staged_ += dense_bytes;
  }
  return result;
}

BoundOperand OperandMemory::stage_input(const HostRect& rect) {
  check_size(rect.rows * rect.row_bytes);
  BoundOperand operand{std::make_shared<cl::Buffer>(
                           context_.allocate(rect.rows * rect.row_bytes, cl::Access::read_only)),
                       0, rect.row_bytes, SharingMode::staged};
  queue_.write(*operand.buffer, rect.data, to_dense(rect), true);
  staged_ += rect.rows * rect.row_bytes;
  return operand;
}

// An operand without a buffer: this memory cannot be wrapped now.
BoundOperand OperandMemory::wrap_input(const HostRect& rect, const HostRect& written) {
  const std::size_t granularity = facts_.granularity();
  if (granularity == 0 || rect.span() == 0 || !is_aligned(rect)) return {};
  const Span span = span_of(rect, granularity);
  if (written.span() > 0 && span.overlaps(span_of(written, granularity))) return {};
  check_size(span.end - span.begin);
  auto window = windows_.acquire(context_, span.begin, span.end, true);
  if (!window) return {};
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(rect.data) - window->begin;
  if (offset % rect.element_bytes != 0) return {};
  return {buffer_of(std::move(window)), offset, rect.pitch, SharingMode::host_pointer};
}

BoundInputs OperandMemory::bind_inputs(const HostRect& a, const HostRect& b, SharingMode mode,
                                       const HostRect& written) {
  BoundInputs inputs;
  if (mode == SharingMode::host_pointer && facts_.granularity() > 0) {
    // Overlapping operands first get one window over both, in which each then finds its own.
    std::shared_ptr<const HostWindow> both;
    const Span span_a = span_of(a, facts_.granularity());
    const Span span_b = span_of(b, facts_.granularity());
    const Span hull{std::min(span_a.begin, span_b.begin), std::max(span_a.end, span_b.end)};
    const bool meets_host =
        written.span() > 0 && hull.overlaps(span_of(written, facts_.granularity()));
    if (a.span() > 0 && b.span() > 0 && span_a.overlaps(span_b) && !meets_host) {
      check_size(hull.end - hull.begin);
      both = windows_.acquire(context_, hull.begin, hull.end, true);
    }
    inputs.a = wrap_input(a, written);
    inputs.b = wrap_input(b, written);
  }
  if (!inputs.a.buffer) inputs.a = stage_input(a);
  if (!inputs.b.buffer) inputs.b = stage_input(b);
  return inputs;
}

BoundResult::~BoundResult() {
  if (landing_) memory_->landings_.give_back(std::move(landing_));
}

void BoundResult::publish() {
  if (!landing_) return;
  const std::size_t bytes = rect_.rows * rect_.row_bytes;
  memory_->queue_.read(*operand_.buffer, landing_->data(), {1, bytes, bytes, bytes, 0});
  copy_rows(rect_.data, rect_.pitch, landing_->data(), rect_.row_bytes, rect_.rows,
            rect_.row_bytes);
  memory_->staged_ += bytes;
}

void BoundResult::restore() noexcept {
  if (!saved_) return;
  copy_rows(rect_.data, rect_.pitch, saved_.get(), rect_.row_bytes, rect_.rows, rect_.row_bytes);
}

}  // namespace duoblas
