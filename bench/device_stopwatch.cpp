#include "bench/device_stopwatch.hpp"

namespace duoblas {

DeviceStopwatch::DeviceStopwatch(const cl::Context& context, cl::Queue& queue)
    : queue_(queue),
      result_(context.allocate(sizeof(float), cl::Access::read_write)),
      mark_(cl::build_from_source(context,
                                  "__kernel void mark(int turns, __global float* result) {"
                                  "  float x = turns;"
                                  "  for (int i = 0; i < turns; ++i) x = fma(x, 0.5f, 1.0f);"
                                  "  if (x < 0) *result = x;"
                                  "}",
                                  "")
                .kernel("mark")) {}

void DeviceStopwatch::start(int turns) {
  queue_.finish();
  mark_.set_argument(0, turns);
  mark_.set_argument(1, result_);
  started_ = queue_.submit(mark_, {});
}

double DeviceStopwatch::seconds_until(const cl::Event& last) {
  queue_.wait(last);
  return cl::seconds_between_ends(started_, last);
}

}  // namespace duoblas
