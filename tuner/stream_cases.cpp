#include "tuner/stream_cases.hpp"

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "engine/stream_routine.hpp"
#include "gpu/streams/axpy.hpp"
#include "gpu/streams/gemv.hpp"
#include "gpu/streams/ger.hpp"
#include "gpu/streams/matrix_copy.hpp"
#include "gpu/streams/routine_start.hpp"
#include "tuner/measured_gemv.hpp"

namespace duoblas {
namespace {

CallerGemv square_call(Precision precision, bool transposes, std::int64_t size) {
  CallerGemv call;
  call.precision = precision;
  call.op = transposes ? Op::transpose : Op::none;
  call.m = call.n = size;
  return call;
}

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

std::shared_ptr<const cl::Buffer> allocated(OpenedDevice& device, std::size_t bytes) {
  return std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
}

class GemvCase final : public StreamCase<GemvKernel> {
 public:
  GemvCase(GpuSide& gpu, Precision precision, bool transposes, std::int64_t size, unsigned seed)
      : StreamCase(gpu.device()),
        seed_(seed),
        measured_(square_call(precision, transposes, size), seed),
        a_(gpu.make_resident(measured_.a())) {
    const GemvProblem& p = measured_.problem();
    const std::lock_guard guard(device_->mutex);
    const auto bytes = static_cast<std::size_t>(size) * element_size(precision);
    operands_.a = a_->from(p.a);
    x_ = device_->memory.staged_input(rect_of(p.x.data, 1, size, size, precision), bytes);
    operands_.x = {x_.buffer, x_.offset_bytes, 1};
    operands_.y = {allocated(*device_, bytes), 0, 1};
  }

  double bytes() const override { return traffic_bytes(measured_.problem()); }

  cl::Event enqueue(const GemvKernel& kernel) override {
    operands_.aligned = starts_vectors_aligned(operands_.a, measured_.problem(), kernel);
    cl::Event last = submit_gemv(*device_, measured_.problem(), kernel, operands_, scratch_);
    // Nothing waits for earlier ones, because the queue is in order.
    if (scratch_.earlier.size() > 64) scratch_.earlier.clear();
    return last;
  }

  // As a call with the caller's memory, but A is on the device already.
  bool is_right(const GemvKernel& kernel) override {
    const GemvProblem& p = measured_.problem();
    measured_.poison();
    RoutineJob job = start_gemv(device_, p, kernel, SharingMode::staged, GemvProblem(), a_.get());
    job.wait();
    add_sums(p, job.results());
    return measured_.error(p.outputs() / 2, seed_) < 1;
  }

 private:
  unsigned seed_;
  MeasuredGemv measured_;
  std::shared_ptr<const ResidentMatrix> a_;
  BoundOperand x_;
  GemvOperands operands_;
  GemvScratch scratch_;
};

// A matrix that is updated or copied, and a second one.
class MatrixPair {
 public:
  MatrixPair(OpenedDevice& device, Precision precision, bool transposes, std::int64_t size,
             unsigned seed)
      : device_(device),
        measured_(square_call(precision, transposes, size), seed),
        bytes_(static_cast<std::size_t>(size * size) * element_size(precision)) {
    const std::lock_guard guard(device.mutex);
    require_room(device, 2 * bytes_);
    first_ = allocated(device, bytes_);
    second_ = allocated(device, bytes_);
    device.queue.write(*first_, host(), whole(bytes_), true);
    device.queue.write(*second_, host(), whole(bytes_), true);
  }

  const void* host() const { return measured_.a().data; }
  const GemvProblem& problem() const { return measured_.problem(); }
  const std::shared_ptr<const cl::Buffer>& first() const { return first_; }
  const std::shared_ptr<const cl::Buffer>& second() const { return second_; }

  /// The second one after a call that began with `before` in it.
  std::vector<char> after(const void* before, const std::function<cl::Event()>& enqueue) {
    std::vector<char> values(bytes_);
    const std::lock_guard guard(device_.mutex);
    device_.queue.write(*second_, before, whole(bytes_), true);
    device_.queue.wait(enqueue());
    device_.queue.read(*second_, values.data(), whole(bytes_));
    return values;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  OpenedDevice& device_;
  MeasuredGemv measured_;
  std::size_t bytes_;
  std::shared_ptr<const cl::Buffer> first_, second_;
};

constexpr double small_alpha = 1e-3;  // many calls add up to something finite

class GerCase final : public StreamCase<UpdateKernel> {
 public:
  GerCase(GpuSide& gpu, Precision precision, std::int64_t size, unsigned seed)
      : StreamCase(gpu.device()), pair_(*device_, precision, false, size, seed) {
    problem_.precision = precision;
    problem_.rows = problem_.columns = problem_.lda = size;
    problem_.alpha = small_alpha;
    problem_.x = problem_.y = {const_cast<void*>(pair_.host()), 1};
    const std::size_t pitch = static_cast<std::size_t>(size) * element_size(precision);
    operands_.x = operands_.y = {pair_.first(), 0, 1};
    operands_.a = {pair_.second(), 0, pitch, SharingMode::staged};
  }

  double bytes() const override { return traffic_bytes(problem_); }
  cl::Event enqueue(const UpdateKernel& kernel) override {
    return submit_ger(*device_, problem_, kernel, operands_,
                      problem_.columns % kernel.vector_width == 0);
  }
  bool is_right(const UpdateKernel& kernel) override {
    const auto values = pair_.after(pair_.host(), [&] { return enqueue(kernel); });
    const UpdatePlaces places{pair_.host(), problem_.lda, values.data(), problem_.lda};
    return !wrong_in(problem_, places, false, 0);
  }

 private:
  MatrixPair pair_;
  GerProblem problem_;
  UpdateOperands operands_;
};

class AxpyCase final : public StreamCase<UpdateKernel> {
 public:
  AxpyCase(GpuSide& gpu, Precision precision, std::int64_t size, unsigned seed)
      : StreamCase(gpu.device()), pair_(*device_, precision, false, size, seed) {
    if (size * size > most_routine_extent)
      throw DeviceError("vectors of " + std::to_string(size * size) +
                        " elements are longer than kernels take");
    problem_.precision = precision;
    problem_.size = size * size;
    problem_.alpha = small_alpha;
    problem_.x = problem_.y = {const_cast<void*>(pair_.host()), 1};
    operands_ = {{pair_.first(), 0, 1}, {pair_.second(), 0, 1}, true};
  }

  double bytes() const override { return traffic_bytes(problem_); }
  cl::Event enqueue(const UpdateKernel& kernel) override {
    return submit_axpy(*device_, problem_, kernel, operands_);
  }
  bool is_right(const UpdateKernel& kernel) override {
    const auto values = pair_.after(pair_.host(), [&] { return enqueue(kernel); });
    std::array<double, 2> one{1.0, 0.0};
    std::array<float, 2> single{1.0F, 0.0F};
    const GerProblem update = as_ger(
        problem_, is_double(problem_.precision) ? static_cast<void*>(one.data()) : single.data());
    return !wrong_in(update, {pair_.host(), 1, values.data(), 1}, false, 0);
  }

 private:
  MatrixPair pair_;
  AxpyProblem problem_;
  AxpyOperands operands_;
};

class CopyCase final : public StreamCase<CopyKernel> {
 public:
  CopyCase(GpuSide& gpu, Precision precision, bool transposes, std::int64_t size, unsigned seed)
      : StreamCase(gpu.device()), pair_(*device_, precision, false, size, seed) {
    problem_.precision = precision;
    problem_.transposes = transposes;
    problem_.rows = problem_.columns = problem_.lda = problem_.ldb = size;
    problem_.a = pair_.host();
    const std::size_t pitch = static_cast<std::size_t>(size) * element_size(precision);
    operands_ = {{pair_.first(), 0, pitch, SharingMode::staged},
                 {pair_.second(), 0, pitch, SharingMode::staged}};
  }

  double bytes() const override { return traffic_bytes(problem_); }
  cl::Event enqueue(const CopyKernel& kernel) override {
    operands_.aligned = problem_.columns % kernel.vector_width == 0;
    return submit_copy(*device_, problem_, kernel, operands_);
  }
  bool is_right(const CopyKernel& kernel) override {
    // NaN shows the elements that were not written.
    const std::vector<char> poison(pair_.bytes(), static_cast<char>(0xff));
    auto values = pair_.after(poison.data(), [&] { return enqueue(kernel); });
    CopyProblem copied = problem_;
    copied.b = values.data();
    return wrong_copy(copied, 61).empty();
  }

 private:
  MatrixPair pair_;
  CopyProblem problem_;
  CopyOperands operands_;
};

}  // namespace

std::unique_ptr<StreamCase<GemvKernel>> tuning_case_of(GemvKernels, GpuSide& gpu,
                                                       Precision precision, bool transposes,
                                                       std::int64_t size, unsigned seed) {
  return std::make_unique<GemvCase>(gpu, precision, transposes, size, seed);
}

std::unique_ptr<StreamCase<UpdateKernel>> tuning_case_of(GerKernels, GpuSide& gpu,
                                                         Precision precision, bool,
                                                         std::int64_t size, unsigned seed) {
  return std::make_unique<GerCase>(gpu, precision, size, seed);
}

std::unique_ptr<StreamCase<UpdateKernel>> tuning_case_of(AxpyKernels, GpuSide& gpu,
                                                         Precision precision, bool,
                                                         std::int64_t size, unsigned seed) {
  return std::make_unique<AxpyCase>(gpu, precision, size, seed);
}

std::unique_ptr<StreamCase<CopyKernel>> tuning_case_of(CopyKernels, GpuSide& gpu,
                                                       Precision precision, bool transposes,
                                                       std::int64_t size, unsigned seed) {
  return std::make_unique<CopyCase>(gpu, precision, transposes, size, seed);
}

}  // namespace duoblas
