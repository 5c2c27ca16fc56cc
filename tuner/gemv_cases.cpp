#include "tuner/gemv_cases.hpp"

#include <mutex>

#include "gpu/streams/gemv_job.hpp"

namespace duoblas {
namespace {

CallerGemv square_call(Precision precision, bool transposes, std::int64_t size) {
  CallerGemv call;
  call.precision = precision;
  call.op = transposes ? Op::transpose : Op::none;
  call.m = call.n = size;
  return call;
}

}  // namespace

GemvCase::GemvCase(GpuSide& gpu, Precision precision, bool transposes, std::int64_t size,
                   unsigned seed)
    : device_(gpu.device()),
      seed_(seed),
      measured_(square_call(precision, transposes, size), seed),
      a_(gpu.make_resident(measured_.a())) {
  const GemvProblem& p = measured_.problem();
  const std::lock_guard guard(device_->mutex);
  const auto bytes = static_cast<std::size_t>(size) * element_size(precision);
  operands_.a = a_->from(p.a);
  x_ = device_->memory.staged_input(rect_of(p.x.data, 1, size, size, precision), bytes);
  operands_.x = {x_.buffer, x_.offset_bytes, 1};
  operands_.y = {
      std::make_shared<cl::Buffer>(device_->context.allocate(bytes, cl::Access::read_write)), 0, 1};
}

cl::Event GemvCase::enqueue(const GemvKernel& kernel) {
  operands_.aligned = starts_vectors_aligned(operands_.a, measured_.problem(), kernel);
  cl::Event last = submit_gemv(*device_, measured_.problem(), kernel, operands_, scratch_);
  // Nothing waits for earlier ones, because the queue is in order.
  if (scratch_.earlier.size() > 64) scratch_.earlier.clear();
  return last;
}

// As a call with the caller's memory, but A is on the device already.
bool GemvCase::is_right(const GemvKernel& kernel) {
  const GemvProblem& p = measured_.problem();
  measured_.poison();
  GemvJob job = start_gemv(device_, p, kernel, SharingMode::staged, GemvProblem(), a_.get());
  job.wait();
  add_sums(p, job.results());
  return measured_.error(p.outputs() / 2, seed_) < 1;
}

}  // namespace duoblas
