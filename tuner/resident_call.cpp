#include "tuner/resident_call.hpp"

#include <duoblas/error.hpp>

#include "gpu/gpu_side.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace duoblas {
namespace {

HostRect dense_rows(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                    Precision precision) {
  const std::size_t element = element_size(precision);
  return {const_cast<void*>(data), static_cast<std::size_t>(rows),
          static_cast<std::size_t>(columns) * element, static_cast<std::size_t>(ld) * element,
          element};
}

}  // namespace

ResidentCall::ResidentCall(Engine& engine, const GemmProblem& problem)
    : engine_(engine), problem_(problem) {
  GpuSide* gpu = engine.gpu();
  if (gpu == nullptr) throw DeviceError("there is no device: " + engine.gpu_problem());
  a_ = gpu->make_resident(dense_rows(problem.a, stored_rows_a(problem), stored_cols_a(problem),
                                     problem.lda, problem.precision),
                          PackedForms::made_anew);
  b_ = gpu->make_resident(dense_rows(problem.b, stored_rows_b(problem), stored_cols_b(problem),
                                     problem.ldb, problem.precision),
                          PackedForms::made_anew);
}

std::optional<CallSample> ResidentCall::sample(const Plan& plan, int repeats) {
  const Stopwatch watch;
  try {
    for (int i = 0; i < repeats; ++i)
      engine_.gpu()
          ->submit(problem_, plan.kernel, {plan.sharing, plan.sharing, {a_.get(), b_.get()}})
          .wait();
  } catch (const DeviceError&) {
    return std::nullopt;
  }
  const double seconds = watch.seconds() / repeats;
  return CallSample{seconds, seconds, 0, 0};
}

}  // namespace duoblas
