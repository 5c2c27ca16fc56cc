#include "tuner/resident_call.hpp"

#include <duoblas/error.hpp>

#include "gpu/gpu_side.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"

namespace duoblas {

ResidentCall::ResidentCall(Engine& engine, const GemmProblem& problem)
    : engine_(engine), problem_(problem) {
  GpuSide* gpu = engine.gpu();
  if (gpu == nullptr) throw DeviceError("there is no device: " + engine.facts().gpu_problem());
  a_ = gpu->make_resident(rect_of_a(problem), PackedForms::made_anew);
  b_ = gpu->make_resident(rect_of_b(problem), PackedForms::made_anew);
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
