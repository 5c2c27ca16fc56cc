#include "gpu/streams/update_trial.hpp"

#include <cstring>

#include "check/update_check.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

std::string tried_update(
    const TargetDevice& device, cl::Queue& queue, GerProblem p, const TrialPlaces& places,
    std::mt19937_64& engine,
    const std::function<cl::Event(const GerProblem&, const UpdateOperands&)>& enqueue) {
  const Precision type = p.precision;
  const std::size_t element = element_size(type);
  TrialNumbers a(places.before + p.rows * p.lda, type);
  TrialNumbers x(TrialNumbers::span_of(p.rows, places.incx), type);
  TrialNumbers y(TrialNumbers::span_of(p.columns, places.incy), type);
  p.x = vector_of(x.at(0), p.rows, places.incx, type);
  p.y = vector_of(y.at(0), p.columns, places.incy, type);
  p.a = a.at(places.before);
  a.set_rows(places.before, p.rows, p.columns, p.lda, engine);
  x.set(p.x, p.rows, engine);
  y.set(p.y, p.columns, engine);
  TrialNumbers old = a;
  UpdateOperands operands;
  operands.a = {a.on_device(device.context, queue),
                static_cast<std::size_t>(places.before) * element,
                static_cast<std::size_t>(p.lda) * element, SharingMode::staged};
  operands.x = x.bound(x.on_device(device.context, queue), p.x);
  operands.y = y.bound(y.on_device(device.context, queue), p.y);
  try {
    const cl::Event done = enqueue(p, operands);
    queue.finish();
    queue.check_ended(done);
    a.read_back(*operands.a.buffer, queue);
  } catch (const cl::DeviceHung&) {
    for (TrialNumbers* numbers : {&a, &x, &y}) numbers->abandon();
    throw;
  }
  if (std::string wrong = wrong_update(p, {old.at(places.before), p.lda, p.a, p.lda});
      !wrong.empty())
    return wrong;
  // Nothing except the elements themselves has changed.
  for (std::int64_t row = 0; row < p.rows; ++row)
    std::memcpy(old.at(places.before + row * p.lda), a.at(places.before + row * p.lda),
                static_cast<std::size_t>(p.columns) * element);
  return a == old ? "" : "it writes between the elements that it updates";
}

}  // namespace duoblas
