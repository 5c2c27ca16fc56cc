#include "bench/device_stopwatch.hpp"

namespace duoblas {

DeviceStopwatch::DeviceStopwatch(const cl::Context& context, cl::Queue& queue)
    : queue_(queue),
      mark_(cl::build_from_source(context, "__kernel void mark() {}", "").kernel("mark")) {}

void DeviceStopwatch::start() {
  queue_.finish();
  started_ = queue_.submit(mark_, {});
}

double DeviceStopwatch::seconds_until(const cl::Event& last) {
  queue_.wait(last);
  return cl::seconds_between_ends(started_, last);
}

}  // namespace duoblas
