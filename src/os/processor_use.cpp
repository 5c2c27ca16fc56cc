#include "os/processor_use.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace duoblas {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double clock_seconds(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double own_seconds() {
  rusage children = {};
  ::getrusage(RUSAGE_CHILDREN, &children);
  return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) + seconds_of(children.ru_utime) +
         seconds_of(children.ru_stime);
}

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks, then a line for
// each processor. A guest's time is in user already.
bool read_stat(double& busy, int& processors) {
  std::ifstream stat("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, softirq = 0, steal = 0;
  if (!(stat >> word >> user >> nice >> system >> idle >> waits >> irq >> softirq >> steal) ||
      word != "cpu")
    return false;
  busy =
      (user + nice + system + irq + softirq + steal) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  processors = 0;
  for (std::string line; std::getline(stat, line);) processors += line.starts_with("cpu");
  return processors > 0;
}

// Seconds for which the limit of this process's control group (version 2) kept it waiting.
double withheld_seconds() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    std::ifstream stat("/sys/fs/cgroup" + line.substr(3) + "/cpu.stat");
    std::string name;
    for (double value = 0; stat >> name >> value;)
      if (name == "throttled_usec") return 1e-6 * value;
  }
  return 0;
}

}  // namespace

ProcessorUse processor_use() {
  ProcessorUse use;
  use.at = clock_seconds(CLOCK_MONOTONIC);
  use.own = own_seconds();
  if (read_stat(use.busy, use.processors))
    use.busy += withheld_seconds();
  else
    use.busy = use.own;
  return use;
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
