#include "power/perf_event.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "os/perf_counter.hpp"
#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close_perf_counter(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void refuse(int error) {
  std::string text = std::string("perf_event_open: ") + std::strerror(error);
  if (error == EACCES || error == EPERM)
    text +=
        "; events of the whole machine need \"sysctl kernel.perf_event_paranoid=0\", or the "
        "capability CAP_PERFMON";
  throw SensorError(text);
}

}  // namespace

PerfReader open_perf_event(const PerfEvent& event) {
  const int opened = open_perf_counter(event.type, event.config, event.cpu);
  if (opened < 0) refuse(errno);
  return [descriptor = std::make_shared<Descriptor>(opened)] {
    std::uint64_t count = 0;
    if (!read_perf_counter(descriptor->number(), count))
      throw SensorError(std::string("reading a perf event: ") + std::strerror(errno));
    return static_cast<double>(count);
  };
}

}  // namespace duoblas::power
