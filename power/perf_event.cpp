#include "power/perf_event.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
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
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.size = sizeof attributes;
  attributes.config = event.config;
  const long opened = ::syscall(SYS_perf_event_open, &attributes, -1, event.cpu, -1,
                                static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
  if (opened < 0) refuse(errno);
  return [descriptor = std::make_shared<Descriptor>(static_cast<int>(opened))] {
    std::uint64_t count = 0;
    if (::read(descriptor->number(), &count, sizeof count) != sizeof count)
      throw SensorError(std::string("reading a perf event: ") + std::strerror(errno));
    return static_cast<double>(count);
  };
}

}  // namespace duoblas::power
