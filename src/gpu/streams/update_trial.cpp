#include "gpu/streams/update_trial.hpp"

#include "check/update_check.hpp"
#include "gpu/kernels/trial_numbers.hpp"

namespace duoblas {

std::string tried_update(
    const TargetDevice& device, cl::Queue& queue, GerProblem p, const TrialPlaces& places,
    std::mt19937_64& engine,
    const std::function<cl::Event(const GerProblem&, const UpdateOperands&)>& enqueue) {
  const Precision type = p.precision;
  TrialMatrix a(p.rows, p.columns, p.lda, places.before, type);
  TrialNumbers x(TrialNumbers::span_of(p.rows, places.incx), type);
  TrialNumbers y(TrialNumbers::span_of(p.columns, places.incy), type);
  p.x = vector_of(x.at(0), p.rows, places.incx, type);
  p.y = vector_of(y.at(0), p.columns, places.incy, type);
  p.a = a.at(0);
  a.draw(engine);
  x.set(p.x, p.rows, engine);
  y.set(p.y, p.columns, engine);
  TrialMatrix old = a;
  UpdateOperands operands;
  operands.a = a.on_device(device.context, queue);
  operands.x = x.bound(x.on_device(device.context, queue), p.x);
  operands.y = y.bound(y.on_device(device.context, queue), p.y);
  run_unless_hung(
      [&] {
        const cl::Event done = enqueue(p, operands);
        queue.finish();
        queue.check_ended(done);
        a.read_back(operands.a, queue);
      },
      a.numbers(), x, y);
  if (std::string wrong = wrong_update(p, {old.at(0), p.lda, p.a, p.lda}); !wrong.empty())
    return wrong;
  return a.differs_beside(old) ? "it writes between the elements that it updates" : "";
}

}  // namespace duoblas
