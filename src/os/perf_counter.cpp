#include "os/perf_counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace duoblas {

int open_perf_counter(std::uint32_t type, std::uint64_t event, int cpu) noexcept {
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.size = sizeof attributes;
  attributes.config = event;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, -1, cpu, -1,
                                    static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

bool read_perf_counter(int descriptor, std::uint64_t& count) noexcept {
  return ::read(descriptor, &count, sizeof count) == sizeof count;
}

void close_perf_counter(int descriptor) noexcept {
  ::close(descriptor);
}

}  // namespace duoblas
