#include "tuner/timed_transfers.hpp"

#include <cstdint>
#include <utility>

#include "gpu/product/product.hpp"
#include "gpu/streams/gemv.hpp"
#include "kernel_space/device_blocks.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_gemv.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

class GemmTransfers final : public TimedTransfers {
 public:
  GemmTransfers(OpenedDevice& device, TransferKind kind, const CallerGemm& call, unsigned seed,
                const KernelParams& kernel)
      : TimedTransfers(device, kind), kernel_(kernel), measured_(call, seed) {
    measured_.poison_c();
    const GemmProblem& p = measured_.problem();
    prepare(rect_of_a(p), rect_of_b(p), rect_of_c(p));
    error_ = scaled_error(p, nullptr, rows_to_verify(p, p.m / 2, seed));
  }

 private:
  void compute() override {
    ProductOperands operands{a_.bound, b_.bound, c_.bound};
    operands.aligned_a = starts_rows_aligned(a_.bound, a_.rect.data);
    operands.aligned_b = starts_rows_aligned(b_.bound, b_.rect.data);
    ProductScratch scratch;
    device_.queue.wait(submit_product(device_, measured_.problem(), kernel_, operands, scratch));
    require_all(device_.queue, scratch.earlier);
  }

  KernelParams kernel_;
  MeasuredProblem measured_;
};

class GemvTransfers final : public TimedTransfers {
 public:
  GemvTransfers(OpenedDevice& device, TransferKind kind, const CallerGemv& call, unsigned seed,
                const GemvKernel& kernel)
      : TimedTransfers(device, kind), kernel_(kernel), measured_(call, seed) {
    measured_.poison();
    const GemvProblem& p = measured_.problem();
    const auto vector = [&](const StridedVector& of, std::int64_t size) {
      return rect_of(of.data, 1, size, size, p.precision);
    };
    prepare(measured_.a(), vector(p.x, p.terms()), vector(p.y, p.outputs()));
    error_ = measured_.error(p.outputs() / 2, seed);
  }

 private:
  void compute() override {
    const GemvProblem& p = measured_.problem();
    const auto vector = [](const BoundOperand& of) {
      return BoundVector{of.buffer, of.offset_bytes, 1};
    };
    const std::size_t unit =
        static_cast<std::size_t>(kernel_.vector_width) * element_size(p.precision);
    const bool x_is_aligned =
        kind_ == TransferKind::copies || reinterpret_cast<std::uintptr_t>(p.x.data) % unit == 0;
    const GemvOperands operands{a_.bound, vector(b_.bound), vector(c_.bound),
                                x_is_aligned && starts_vectors_aligned(a_.bound, p, kernel_)};
    GemvScratch scratch;
    device_.queue.wait(submit_gemv(device_, p, kernel_, operands, scratch));
    require_all(device_.queue, scratch.earlier);
  }

  GemvKernel kernel_;
  MeasuredGemv measured_;
};

}  // namespace

TimedTransfers::Operand TimedTransfers::bound(const HostRect& rect) const {
  if (kind_ == TransferKind::zero_copy) {
    const auto buffer = std::make_shared<cl::Buffer>(
        device_.context.wrap(rect.data, rect.span(), cl::Access::read_write));
    return {rect, {buffer, 0, rect.pitch, SharingMode::host_pointer}};
  }
  const std::size_t pitch = device_pitch(rect.row_bytes);
  const auto buffer = std::make_shared<cl::Buffer>(
      device_.context.allocate(rect.rows * pitch, cl::Access::read_write));
  return {rect, {buffer, 0, pitch, SharingMode::staged}};
}

double TimedTransfers::seconds_to_device(const Operand& operand) const {
  cl::Queue& queue = device_.queue;
  const cl::Buffer& buffer = *operand.bound.buffer;
  const HostRect& rect = operand.rect;
  if (kind_ == TransferKind::copies)
    return seconds_of([&] {
      queue.write(buffer, rect.data,
                  {rect.rows, rect.row_bytes, rect.pitch, operand.bound.pitch_bytes, 0}, true);
    });
  // The buffer is mapped before; only the unmapping is timed.
  void* const mapped = queue.map(buffer, cl::Access::read_write, rect.span());
  return seconds_of([&] {
    queue.unmap(buffer, mapped);
    queue.finish();
  });
}

double TimedTransfers::seconds_to_host(const Operand& result) const {
  cl::Queue& queue = device_.queue;
  const cl::Buffer& buffer = *result.bound.buffer;
  const HostRect& rect = result.rect;
  if (kind_ == TransferKind::copies)
    return seconds_of([&] {
      queue.read(buffer, rect.data,
                 {rect.rows, rect.row_bytes, rect.pitch, result.bound.pitch_bytes, 0});
    });
  return seconds_of([&] {
    queue.unmap(buffer, queue.map(buffer, cl::Access::read_only, rect.span()));
    queue.finish();
  });
}

TimedTransfers::Parts TimedTransfers::round() {
  Parts parts{};
  parts[0] = seconds_to_device(a_);
  parts[1] = seconds_to_device(b_);
  parts[2] = seconds_of([&] { compute(); });
  parts[3] = seconds_to_host(c_);
  return parts;
}

void TimedTransfers::prepare(const HostRect& a, const HostRect& b, const HostRect& c) {
  a_ = bound(a);
  b_ = bound(b);
  c_ = bound(c);
  round();
}

void TimedTransfers::sample() {
  const Parts parts = round();
  for (std::size_t part = 0; part < parts.size(); ++part) samples_[part].push_back(parts[part]);
}

TransferMode TimedTransfers::found(bool swaps) const {
  TransferMode mode;
  mode.mode = kind_ == TransferKind::copies ? "copies" : "zero-copy";
  mode.a = median(samples_[0]);
  mode.b = median(samples_[1]);
  if (swaps) std::swap(mode.a, mode.b);
  mode.kernel = median(samples_[2]);
  mode.c = median(samples_[3]);
  mode.error = error_;
  return mode;
}

std::unique_ptr<TimedTransfers> timed_gemm(OpenedDevice& device, TransferKind kind,
                                           const CallerGemm& call, unsigned seed,
                                           const KernelParams& kernel) {
  return std::make_unique<GemmTransfers>(device, kind, call, seed, kernel);
}

std::unique_ptr<TimedTransfers> timed_gemv(OpenedDevice& device, TransferKind kind,
                                           const CallerGemv& call, unsigned seed,
                                           const GemvKernel& kernel) {
  return std::make_unique<GemvTransfers>(device, kind, call, seed, kernel);
}

}  // namespace duoblas
