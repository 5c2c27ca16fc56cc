#include "os/processor_use.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace duoblas {
namespace {

double clock_seconds(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Those on which this process may run. Others' processors may be as busy as they like.
std::vector<bool> allowed_processors() {
  constexpr std::size_t most = 8192;
  std::array<unsigned long, most / (8 * sizeof(unsigned long))> mask = {};
  auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
  std::vector<bool> allowed(most, ::sched_getaffinity(::getpid(), sizeof mask, set) != 0);
  for (std::size_t i = 0; i < most; ++i)
    if (CPU_ISSET_S(i, sizeof mask, set)) allowed[i] = true;
  return allowed;
}

// A line for each processor: "cpu3 user nice system idle iowait irq softirq steal guest
// guest_nice", in ticks. A guest's time is in user already.
bool read_stat(double& busy, int& processors) {
  const std::vector<bool> allowed = allowed_processors();
  std::ifstream stat("/proc/stat");
  double ticks = 0;
  processors = 0;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    std::size_t number = 0;
    double user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, softirq = 0, steal = 0;
    if (line[3] == ' ' || !(words >> number) || number >= allowed.size() || !allowed[number])
      continue;
    if (!(words >> user >> nice >> system >> idle >> waits >> irq >> softirq >> steal)) continue;
    ticks += user + nice + system + irq + softirq + steal;
    ++processors;
  }
  busy = ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return processors > 0;
}

}  // namespace

ProcessorUse processor_use() {
  ProcessorUse use;
  use.at = clock_seconds(CLOCK_MONOTONIC);
  use.own = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (!read_stat(use.busy, use.processors)) use.busy = use.own;
  return use;
}

double thread_seconds() noexcept {
  return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

ProcessorUse operator-(const ProcessorUse& end, const ProcessorUse& begin) {
  return {end.at - begin.at, end.busy - begin.busy, end.own - begin.own, end.processors};
}

ProcessorUse operator+(const ProcessorUse& x, const ProcessorUse& y) {
  return {x.at + y.at, x.busy + y.busy, x.own + y.own, y.processors};
}

double processors_of_others(const ProcessorUse& during) {
  return during.at > 0 ? std::max(0.0, during.busy - during.own) / during.at : 0;
}

}  // namespace duoblas
